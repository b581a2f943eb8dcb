#include "core/collector/condemn.hpp"

#include <new>

#include "core/collector/legacy.hpp"
#include "core/collector/weakrefs.hpp"

namespace ouro::collector {

void condemn(Condemned& condemned) {
    for (const PyObject* op : condemned.garbage) {
        heap::tables.mark[heap::slot_of(op)] |= heap::kCondemned;
    }
    try {
        keep_legacy(condemned.garbage, condemned.kept, condemned.legacy);
        kill_weak_references(condemned.garbage, condemned.called);
    } catch (const std::bad_alloc&) {
        for (const PyObject* op : condemned.garbage) {
            heap::tables.mark[heap::slot_of(op)] = heap::kNotSeen;
        }
        throw;
    }
    for (PyObject* op : condemned.garbage) {
        Py_INCREF(op);
    }
}

}  // namespace ouro::collector
