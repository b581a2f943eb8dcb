// Formats values by any text: what comes out is a str, or the text is refused. The first byte chooses
// the value, the second what the text is: a format specification, a template of the operator %, or the format of
// a memoryview's items.

#include <regex>
#include <vector>

#include "tests/fuzz/checks.hpp"

namespace ouro::fuzz {
namespace {

// New references.
std::vector<PyObject*> values() {
    return {Py_BuildValue("i", 0),
            Py_BuildValue("L", -1234567890123LL),
            PyLong_FromString("123456789012345678901234567890", nullptr, 10),
            Py_BuildValue("d", 0.1),
            Py_BuildValue("d", -1e300),
            PyFloat_FromDouble(Py_HUGE_VAL),
            PyComplex_FromDoubles(1.5, -2),
            PyUnicode_FromString("a\u00e9\u20ac\U0001f600"),
            Py_NewRef(Py_True),
            Py_NewRef(Py_None),
            Py_BuildValue("(isd)", 7, "seven", 7.0),
            Py_BuildValue("{s:i,s:s}", "a", 1, "b", "two")};
}

// Whoever asks for a text of gigabytes gets one: such inputs show nothing.
bool asks_for_much(const std::string& text) {
    static const std::regex many_digits("[0-9]{5}");
    return std::regex_search(text, many_digits);
}

void expect_text(PyObject* result) {
    if (succeeded(result != nullptr)) {
        expect(PyUnicode_Check(result), "what is no str");
        expect(PyUnicode_AsUTF8(result) != nullptr || PyErr_Occurred() != nullptr, "no UTF-8");
        PyErr_Clear();
        Py_DECREF(result);
    }
}

void read_items(PyObject* value, const std::string& format) {
    PyObject* repr = PyObject_Repr(value);
    PyObject* bytes = PyUnicode_AsUTF8String(repr);
    PyObject* view = PyMemoryView_FromObject(bytes);
    PyObject* items = PyObject_CallMethod(view, "cast", "s", format.c_str());
    if (succeeded(items != nullptr)) {
        PyObject* list = PyObject_CallMethod(items, "tolist", nullptr);
        if (succeeded(list != nullptr)) {
            expect(PyList_GET_SIZE(list) == PyObject_Size(items), "another number of items");
            Py_DECREF(list);
        }
        Py_DECREF(items);
    }
    Py_DECREF(view);
    Py_DECREF(bytes);
    Py_DECREF(repr);
}

void format_by(PyObject* value, unsigned way, const std::string& bytes) {
    PyObject* text =
        PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace");
    if (!succeeded(text != nullptr)) {
        return;
    }
    switch (way) {
        case 0:
            expect_text(PyObject_Format(value, text));
            break;
        case 1:
            expect_text(PyUnicode_Format(text, value));
            break;
        default:
            read_items(value, bytes);
    }
    Py_DECREF(text);
}

}  // namespace
}  // namespace ouro::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace ouro::fuzz;
    begin();
    const NothingIsLeft guard;
    Input input(data, size);
    const std::vector<PyObject*> all = values();
    PyObject* value = all[input.below(all.size())];
    const unsigned way = input.below(3);
    if (const std::string text = input.rest(); !asks_for_much(text)) {
        format_by(value, way, text);
    }
    for (PyObject* each : all) {
        Py_DECREF(each);
    }
    return 0;
}
