#include "core/collector/finalize.hpp"

#include "core/object/object.hpp"

namespace ouro::collector {

size_t finalize(const Candidates& condemned) {
    size_t ran = 0;
    for (PyObject* op : condemned) {
        if (Py_TYPE(op)->tp_finalize != nullptr &&
            (object::load_state(op) & (heap::kTracked | heap::kFinalized)) == heap::kTracked) {
            PyObject_CallFinalizer(op);
            ++ran;
        }
    }
    return ran;
}

}  // namespace ouro::collector
