// Where memory is out an operation on numbers is a MemoryError, and nothing is lost: each is made to fail at
// each of its allocations. Source: "NumberMemory Management".

#include <climits>

#include "tests/contract/numbers.hpp"
#include "tests/support/failing.hpp"

namespace ouro::test {
namespace {

using NumberMemory = Things;

struct NumberCase {
    const char* name;
    PyObject* (*operation)(PyObject* x, PyObject* y);
};

const NumberCase kNumberCases[] = {
    {"+", PyNumber_Add},
    {"-", PyNumber_Subtract},
    {"*", PyNumber_Multiply},
    {"//", PyNumber_FloorDivide},
    {"%", PyNumber_Remainder},
    {"divmod", PyNumber_Divmod},
    {"/", PyNumber_TrueDivide},
    {"&", PyNumber_And},
    {"|", PyNumber_Or},
    {"^", PyNumber_Xor},
    {"<<", [](PyObject* x, PyObject*) { return PyNumber_Lshift(x, PyLong_FromLong(100)); }},
    {">>", [](PyObject* x, PyObject*) { return PyNumber_Rshift(x, PyLong_FromLong(10)); }},
    {"**", [](PyObject* x, PyObject*) { return PyNumber_Power(x, PyLong_FromLong(3), Py_None); }},
    {"pow", [](PyObject* x, PyObject* y) { return PyNumber_Power(x, PyLong_FromLong(20), y); }},
    {"inverse", [](PyObject* x, PyObject* y) { return PyNumber_Power(x, PyLong_FromLong(-1), y); }},
    {"unary -", [](PyObject* x, PyObject*) { return PyNumber_Negative(x); }},
    {"~", [](PyObject* x, PyObject*) { return PyNumber_Invert(x); }},
    {"float", [](PyObject* x, PyObject*) { return PyNumber_Float(x); }},
    {"base 16", [](PyObject* x, PyObject*) { return PyNumber_ToBase(x, 16); }},
    {"base 10", [](PyObject* x, PyObject*) { return PyNumber_ToBase(x, 10); }},
    {"text", [](PyObject*, PyObject*) { return integer("123456789012345678901234567890"); }},
    {"hexadecimal text", [](PyObject*, PyObject*) { return integer("fedcba9876543210f", 16); }},
    {"unsigned", [](PyObject*, PyObject*) { return PyLong_FromUnsignedLong(ULONG_MAX); }},
    {"whole part", [](PyObject*, PyObject*) { return PyLong_FromDouble(1e300); }},
    {"repr of a float",
     [](PyObject*, PyObject*) {
         PyObject* op = PyFloat_FromDouble(1.5);
         PyObject* text = op == nullptr ? nullptr : Py_TYPE(op)->tp_repr(op);
         Py_XDECREF(op);
         return text;
     }},
};

TEST_P(NumberMemory, OutIsAMemoryError) {
    PyObject* x = integer("100000000000000000000000000000000000000000000000000000000000000000001");
    PyObject* y = integer("3000000000000000000000000000000000000000000000000007");
    for (const NumberCase& c : kNumberCases) {
        SCOPED_TRACE(c.name);
        const std::string expected = take_text(c.operation(x, y));
        const int failures = fail_each_allocation([&](Failing& failing) {
            PyObject* result = failing([&] { return c.operation(x, y); });
            if (result == nullptr) {
                expect_raised(PyExc_MemoryError);
            } else {
                EXPECT_EQ(take_text(result), expected);
            }
        });
        EXPECT_GE(failures, 1) << "it allocates nothing, so this shows nothing";
        EXPECT_EQ(Py_REFCNT(x), 1);
        EXPECT_EQ(Py_REFCNT(y), 1);
    }
    drop({x, y});
}

TEST_P(NumberMemory, OutForAMessageIsAMemoryErrorToo) {
    fail_each_allocation([&](Failing& failing) {
        EXPECT_EQ(failing([] { return integer("x"); }), nullptr);
        expect_raised(failing.failed() > 0 ? PyExc_MemoryError : PyExc_ValueError);
    });
}

EVERY_WAY_OF_COUNTING(NumberMemory);

}  // namespace
}  // namespace ouro::test
