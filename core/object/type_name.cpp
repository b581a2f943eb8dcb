#include "core/object/type_name.hpp"

namespace ouro::object {

PyObject* full_name_of(PyTypeObject* type) {
    return PyUnicode_FromString(type->tp_name);
}

}  // namespace ouro::object
