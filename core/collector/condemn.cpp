#include "core/collector/condemn.hpp"

#include "core/collector/legacy.hpp"
#include "core/collector/weakrefs.hpp"
#include "core/object/object.hpp"

namespace ouro::collector {

void condemn(Condemned& condemned) {
    for (const PyObject* op : condemned.garbage) {  // inv.exact.frozen
        heap::tables.mark[heap::slot_of(op)] |= heap::kCondemned;
    }
    keep_legacy(condemned.garbage, condemned.kept, condemned.legacy);
    kill_weak_references(condemned.garbage, condemned.called);
    for (PyObject* op : condemned.garbage) {  // inv.exact.held
        object::hold(op);
    }
}

}  // namespace ouro::collector
