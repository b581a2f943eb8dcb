#include "core/object/unicode_errors.hpp"

#include "core/object/text_buffer.hpp"

namespace ouro::object {

void set_decode_error(const char* encoding, std::string_view bytes, size_t start, size_t end,
                      const char* reason) {
    if (end - start == 1) {
        PyErr_Format(PyExc_UnicodeDecodeError,
                     "'%s' codec can't decode byte 0x%02x in position %zu: %s", encoding,
                     static_cast<unsigned char>(bytes[start]), start, reason);
    } else {
        PyErr_Format(PyExc_UnicodeDecodeError,
                     "'%s' codec can't decode bytes in position %zu-%zu: %s", encoding, start,
                     end - 1, reason);
    }
}

void set_encode_error(const char* encoding, PyObject* op, size_t start, size_t end,
                      const char* reason) {
    if (end - start == 1) {
        TextBuffer escape;
        escape.append_escape(PyUnicode_READ_CHAR(op, static_cast<Py_ssize_t>(start)));
        escape.append('\0');
        PyErr_Format(PyExc_UnicodeEncodeError,
                     "'%s' codec can't encode character '%s' in position %zu: %s", encoding,
                     escape.view().data(), start, reason);
    } else {
        PyErr_Format(PyExc_UnicodeEncodeError,
                     "'%s' codec can't encode characters in position %zu-%zu: %s", encoding, start,
                     end - 1, reason);
    }
}

}  // namespace ouro::object
