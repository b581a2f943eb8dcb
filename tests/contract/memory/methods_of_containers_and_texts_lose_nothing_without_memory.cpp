// Methods, operators and views of dict, set, str, bytes, int and float return NULL with MemoryError where memory is out,
// and leave nothing behind. Source: "MethodMemory Management", "Exception Handling".

#include "tests/contract/methods.hpp"
#include "tests/support/failing.hpp"

namespace ouro::test {
namespace {

using MethodMemory = Things;

struct MethodCall {
    const char* self;  // literals
    const char* name;
    const char* args;
};

const MethodCall kMethodCalls[] = {
    {"{'a': 1, 'b': 2}", "copy", ""},
    {"{'a': 1, 'b': 2}", "keys", ""},
    {"{'a': 1, 'b': 2}", "__reversed__", ""},
    {"{'a': 1, 'b': 2}", "__or__", "{'c': 3}"},
    {"{'a': 1, 'b': 2}", "__repr__", ""},
    {"{'a': 1, 'b': 2}", "fromkeys", "('x', 'y', 'z')"},
    {"{1, 2, 3}", "copy", ""},
    {"{1, 2, 3}", "union", "(3, 4, 5), {6: 7}"},
    {"{1, 2, 3}", "intersection", "(3, 4, 2)"},
    {"{1, 2, 3}", "difference", "(3, 4, 2)"},
    {"{1, 2, 3}", "symmetric_difference", "(3, 4, 2)"},
    {"{1, 2, 3}", "issubset", "(3, 4, 2)"},
    {"{1, 2, 3}", "isdisjoint", "(5, 4)"},
    {"{1, 2, 3}", "__xor__", "{2, 4}"},
    {"{1, 2, 3}", "__repr__", ""},
    {"frozenset({1, 2, 3})", "union", "(3, 4, 5)"},
    {"'a b c'", "split", ""},
    {"'a b c'", "rsplit", "None, 1"},
    {"'a b c'", "splitlines", ""},
    {"'a=b'", "partition", "'='"},
    {"'-'", "join", "('a', 'b', 'c')"},
    {"'Straße'", "upper", ""},
    {"'Straße'", "title", ""},
    {"'  abc '", "strip", ""},
    {"'abc'", "center", "2000"},
    {"'abc'", "zfill", "2000"},
    {"'abc'", "replace", "'b', 'xyz'"},
    {"'abc'", "translate", "{98: 'xyz'}"},
    {"'abc'", "maketrans", "'abc', 'xyz'"},
    {"'abc'", "encode", "'latin-1'"},
    {"'{x!r:>1000} {x[a].real}'", "format_map", "{'x': {'a': 5}}"},
    {"'{:>1000} {!r}'", "format", "5, 'é'"},
    {"'%1000d %r %.300f'", "__mod__", "(5, 'é', 1.5)"},
    {"'%(a)s'", "__mod__", "{'a': 1000}"},
    {"b'a b c'", "split", ""},
    {"b'a=b'", "rpartition", "b'='"},
    {"b'-'", "join", "(b'a', b'b', b'c')"},
    {"b'abc'", "upper", ""},
    {"b'abc'", "center", "2000"},
    {"b'abc'", "replace", "b'b', b'xyz'"},
    {"b'abc'", "hex", "':'"},
    {"b'abc'", "decode", "'latin-1'"},
    {"b''", "fromhex", "'0a0b'"},
    {"123456789012345678901234567890", "to_bytes", "40, 'big'"},
    {"123456789012345678901234567890", "__round__", "-3"},
    {"123456789012345678901234567890", "__format__", "'2000,'"},
    {"0", "from_bytes", "b'0123456789abcdef', 'big'"},
    {"1.5", "as_integer_ratio", ""},
    {"1e300", "__format__", "'2000,.3f'"},
    {"1.5", "hex", ""},
};

TEST_P(MethodMemory, FailsEachOfThem) {
    for (const MethodCall& each : kMethodCalls) {
        SCOPED_TRACE(std::string(each.self) + "." + each.name);
        PyObject* self = literal(each.self);
        PyObject* args = literal(std::string("(") + each.args + (*each.args == '\0' ? ")" : ",)"));
        PyObject* method = PyObject_GetAttrString(self, each.name);
        ASSERT_NE(method, nullptr) << take_raised();
        const int failures = fail_each_allocation([&](Failing& failing) {
            PyObject* op = failing([&] { return PyObject_Call(method, args, nullptr); });
            if (op == nullptr) {
                expect_raised(PyExc_MemoryError);
            }
            EXPECT_EQ(PyErr_Occurred(), nullptr);
            Py_XDECREF(op);
        });
        EXPECT_GE(failures, 2) << "it allocates nothing, so this shows nothing";
        drop({self, args, method});
    }
}

EVERY_WAY_OF_COUNTING(MethodMemory);

}  // namespace
}  // namespace ouro::test
