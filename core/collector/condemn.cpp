#include "core/collector/condemn.hpp"

#include <algorithm>
#include <new>

#include "core/collector/finalize.hpp"
#include "core/collector/legacy.hpp"
#include "core/collector/weakrefs.hpp"
#include "core/object/object.hpp"

namespace ouro::collector {
namespace {

// Objects that the cache holds from one pass over them to the next.
constexpr size_t kChunk = 256;

// Calls work(some of the objects) for all of them, as long as that is true; whether it always was.
template <class Work>
bool by_chunks(std::span<PyObject* const> objects, const Work& work) {
    bool goes_on = true;
    for (size_t from = 0; from < objects.size() && goes_on; from += kChunk) {
        goes_on = work(objects.subspan(from, std::min(kChunk, objects.size() - from)));
    }
    return goes_on;
}

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
    const auto is_inert = [](std::span<PyObject* const> some) {
        return !has_weak_references(some) && !have_finalizers(some);
    };
    return by_chunks(objects, is_inert) &&
           by_chunks(objects, [stopper](std::span<PyObject* const> some) {
               set_marks(some);
               pin(some, stopper);
               return true;
           });
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
