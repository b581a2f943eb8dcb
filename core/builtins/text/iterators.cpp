// Iterators over str and bytes.
#include "core/builtins/protocol/position.hpp"
#include "core/builtins/text/bytes.hpp"
#include "core/builtins/text/unicode.hpp"

using namespace ouro;

namespace {

// A str's place is counted in bytes of its UTF-8, so that the next code point need not be searched for.
PyObject* unicode_iterator_next(PyObject* op) {
    const protocol::Place place = protocol::place_of(op);
    if (!place.over) {
        return nullptr;
    }
    const std::string_view rest =
        text::text_in(place.over.get()).substr(static_cast<size_t>(place.index));
    if (rest.empty()) {
        protocol::end_iteration(op);
        return nullptr;
    }
    const char* end = rest.data();
    text::utf8::next(&end);
    const auto bytes = static_cast<size_t>(end - rest.data());
    PyObject* character = text::new_text(rest.substr(0, bytes));
    if (character != nullptr) {
        protocol::move(op, place.index + static_cast<Py_ssize_t>(bytes));
    }
    return character;
}

PyObject* unicode_iterator_hint(PyObject* op, PyObject*) {
    const protocol::Place place = protocol::place_of(op);
    if (!place.over) {
        return PyLong_FromLong(0);
    }
    const auto done = static_cast<size_t>(place.index);
    return PyLong_FromSize_t(
        text::utf8::measure(text::text_in(place.over.get()).substr(done)).length);
}

PyObject* byte_at(PyObject* op, Py_ssize_t index) {
    return index < Py_SIZE(op)
               ? PyLong_FromLong(static_cast<unsigned char>(PyBytes_AS_STRING(op)[index]))
               : nullptr;
}

PyObject* bytes_iterator_next(PyObject* op) {
    return protocol::step(op, 1, byte_at);
}

PyObject* bytes_iterator_hint(PyObject* op, PyObject*) {
    const protocol::Place place = protocol::place_of(op);
    return PyLong_FromSsize_t(place.over ? Py_SIZE(place.over.get()) - place.index : 0);
}

constexpr const char* kHintDoc = PyDoc_STR("How many items are left.");

PyMethodDef unicode_iterator_methods[] = {
    {"__length_hint__", unicode_iterator_hint, METH_NOARGS, kHintDoc},
    {nullptr, nullptr, 0, nullptr},
};

PyMethodDef bytes_iterator_methods[] = {
    {"__length_hint__", bytes_iterator_hint, METH_NOARGS, kHintDoc},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

constinit PyTypeObject PyUnicodeIter_Type =
    protocol::position_type("str_iterator", unicode_iterator_next, unicode_iterator_methods);
constinit PyTypeObject _PyUnicodeASCIIIter_Type =
    protocol::position_type("str_ascii_iterator", unicode_iterator_next, unicode_iterator_methods);
constinit PyTypeObject PyBytesIter_Type =
    protocol::position_type("bytes_iterator", bytes_iterator_next, bytes_iterator_methods);

PyObject* text::unicode_iterate(PyObject* op) {
    PyTypeObject* type = is_ascii(op) ? &_PyUnicodeASCIIIter_Type : &PyUnicodeIter_Type;
    return protocol::new_position(type, op, 0);
}

PyObject* text::bytes_iterate(PyObject* op) {
    return protocol::new_position(&PyBytesIter_Type, op, 0);
}
