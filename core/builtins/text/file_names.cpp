// Names of files. Source: "File System Encoding" and "os.fspath" in the C API documentation.
#include "core/builtins/text/bytes.hpp"
#include "core/builtins/text/unicode.hpp"
#include "core/builtins/type/special.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using namespace ouro::type::literals;
using object::Own;

namespace {

bool is_path(PyObject* op) {
    return PyUnicode_Check(op) || PyBytes_Check(op);
}

// What `convert` makes of a path, stored in *result: what both converters do.
template <class Convert>
int convert_path(PyObject* path, void* result, Convert convert) {
    auto** place = static_cast<PyObject**>(result);
    if (path == nullptr) {
        Py_CLEAR(*place);
        return 1;
    }
    const Own op(PyOS_FSPath(path));
    Own made(op ? convert(op.get()) : nullptr);
    if (!made) {
        return 0;
    }
    const std::string_view name =
        PyBytes_Check(made.get()) ? text::bytes_in(made.get()) : text::text_in(made.get());
    if (name.find('\0') != std::string_view::npos) {
        PyErr_SetString(PyExc_ValueError, PyBytes_Check(made.get()) ? "embedded null byte"
                                                                    : "embedded null character");
        return 0;
    }
    *place = made.release();
    return Py_CLEANUP_SUPPORTED;
}

}  // namespace

PyObject* PyOS_FSPath(PyObject* path) {
    if (is_path(path)) {
        return Py_NewRef(path);
    }
    const type::SpecialMethod method(path, "__fspath__"_name);
    if (method.failed()) {
        return nullptr;
    }
    if (method.missing() || method.is_none()) {
        return PyErr_Format(PyExc_TypeError,
                            "expected str, bytes or os.PathLike object, not %.200s",
                            Py_TYPE(path)->tp_name);
    }
    Own made(method.call());
    if (made && !is_path(made.get())) {
        return PyErr_Format(PyExc_TypeError,
                            "expected %.200s.__fspath__() to return str or bytes, not %.200s",
                            Py_TYPE(path)->tp_name, Py_TYPE(made.get())->tp_name);
    }
    return made.release();
}

int PyUnicode_FSConverter(PyObject* path, void* result) {
    return convert_path(path, result, [](PyObject* op) {
        return PyBytes_Check(op) ? Py_NewRef(op) : PyUnicode_EncodeFSDefault(op);
    });
}

int PyUnicode_FSDecoder(PyObject* path, void* result) {
    return convert_path(path, result, [](PyObject* op) {
        return PyUnicode_Check(op)
                   ? Py_NewRef(op)
                   : PyUnicode_DecodeFSDefaultAndSize(PyBytes_AS_STRING(op), PyBytes_GET_SIZE(op));
    });
}
