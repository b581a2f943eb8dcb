#include "core/collector/condemn.hpp"

#include <new>

#include "core/collector/chunks.hpp"
#include "core/collector/finalize.hpp"
#include "core/collector/legacy.hpp"
#include "core/collector/weakrefs.hpp"
#include "core/object/object.hpp"

namespace ouro::collector {
namespace {

void set_marks(std::span<PyObject* const> objects) {  // inv.exact.frozen
    for (const PyObject* op : objects) {
        const heap::HeapView<heap::Holding> view;
        view.condemn(view.slot_of(op));
    }
}

void pin(std::span<PyObject* const> objects, uint32_t stopper) {  // inv.exact.pinned
    for (PyObject* op : objects) {
        object::pin(op, stopper);
    }
}

}  // namespace

void condemn(Condemned& condemned) {
    set_marks(condemned.garbage);
    keep_legacy(condemned.garbage, condemned.kept, condemned.legacy);
    kill_weak_references(condemned.garbage, condemned.called);
    pin(condemned.garbage, _Ouro_ThreadWord);
}

void condemn_component(std::span<PyObject* const> objects, Candidates& called) {
    set_marks(objects);
    try {
        kill_weak_references(objects, called);
    } catch (const std::bad_alloc&) {
        for (const PyObject* op : objects) {
            acquit(op);
        }
        throw;
    }
    pin(objects, _Ouro_ThreadWord);
}

bool condemn_if_inert(std::span<PyObject* const> objects, uint32_t stopper) {
    const auto is_inert = [objects](size_t from, size_t size) {
        const auto some = objects.subspan(from, size);
        return !has_weak_references(some) && !have_finalizers(some);
    };
    const auto take = [objects, stopper](size_t from, size_t size) {
        const auto some = objects.subspan(from, size);
        set_marks(some);
        pin(some, stopper);
        return true;
    };
    return by_chunks(objects.size(), is_inert) && by_chunks(objects.size(), take);
}

void keep_component(std::span<PyObject* const> objects, Condemned& condemned) {
    make_room(condemned.kept, objects.size());
    make_room(condemned.legacy, objects.size());
    for (PyObject* op : objects) {
        condemned.kept.push_back(op);
        if (is_reported(op)) {
            condemned.legacy.push_back(Py_NewRef(op));
        }
    }
}

}  // namespace ouro::collector
