#include "core/collector/finalize.hpp"

#include "core/object/object.hpp"

namespace ouro::collector {

size_t finalize(const Candidates& condemned, size_t& next, Deadline& deadline) {
    size_t ran = 0;
    while (next < condemned.size()) {
        PyObject* op = condemned[next++];
        uint32_t work = 1;
        if (Py_TYPE(op)->tp_finalize != nullptr &&
            (object::load_state(op) & (heap::kTracked | heap::kFinalized)) == heap::kTracked) {
            PyObject_CallFinalizer(op);
            ++ran;
            work = kCodeUnits;
        }
        if (deadline.has_passed(work)) {
            break;
        }
    }
    return ran;
}

}  // namespace ouro::collector
