#include "core/builtins/text/unicode_errors.hpp"

namespace ouro::text {
namespace {

// Steals `op`, which may be nullptr with an exception.
void set_error(PyObject* type, const char* encoding, PyObject* op, size_t start, size_t end,
               const char* reason) {
    if (op == nullptr) {
        return;
    }
    PyObject* arguments = Py_BuildValue("(sNnns)", encoding, op, static_cast<Py_ssize_t>(start),
                                        static_cast<Py_ssize_t>(end), reason);
    if (arguments != nullptr) {
        PyErr_SetObject(type, arguments);
        Py_DECREF(arguments);
    }
}

}  // namespace

void set_decode_error(const char* encoding, std::string_view bytes, size_t start, size_t end,
                      const char* reason) {
    set_error(PyExc_UnicodeDecodeError, encoding,
              PyBytes_FromStringAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size())), start,
              end, reason);
}

void set_encode_error(const char* encoding, PyObject* op, size_t start, size_t end,
                      const char* reason) {
    set_error(PyExc_UnicodeEncodeError, encoding, Py_NewRef(op), start, end, reason);
}

}  // namespace ouro::text
