#include "core/collector/condemn.hpp"

namespace ouro::collector {

void condemn(const Candidates& garbage) {
    for (PyObject* op : garbage) {
        heap::tables.mark[heap::slot_of(op)] |= heap::kCondemned;
        Py_INCREF(op);
    }
}

}  // namespace ouro::collector
