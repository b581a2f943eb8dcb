#include "core/collector/finalize.hpp"

#include "core/object/object.hpp"

namespace ouro::collector {

size_t finalize(const Candidates& condemned) {
    size_t ran = 0;
    for (PyObject* op : condemned) {
        const destructor finalizer = Py_TYPE(op)->tp_finalize;
        if (finalizer == nullptr || (object::load_state(op) & heap::kFinalized) != 0) {
            continue;
        }
        uint8_t* state = object::state_of(op);
        __atomic_store_n(state, static_cast<uint8_t>(*state | heap::kFinalized), __ATOMIC_RELAXED);
        finalizer(op);
        ++ran;
    }
    return ran;
}

}  // namespace ouro::collector
