// What floats, ints and threads are made of, as tuples with names. Source: "Floating-Point Objects", PyFloat_GetInfo;
// "Integer Objects", PyLong_GetInfo; PyThread_GetInfo.

#include <cfloat>

#include "tests/contract/text.hpp"

namespace ouro::test {
namespace {

using Infos = Things;

TEST_P(Infos, AreTuplesWithNames) {
    Kept kept;
    PyObject* floats = kept(PyFloat_GetInfo());
    EXPECT_EQ(PyTuple_Size(floats), 11);
    EXPECT_EQ(PyFloat_AsDouble(kept(PyObject_GetAttrString(floats, "max"))), DBL_MAX);
    EXPECT_EQ(PyLong_AsLong(kept(PyObject_GetAttrString(floats, "mant_dig"))), DBL_MANT_DIG);
    PyObject* ints = kept(PyLong_GetInfo());
    EXPECT_EQ(PyLong_AsLong(kept(PyObject_GetAttrString(ints, "bits_per_digit"))), PyLong_SHIFT);
    PyObject* threads = kept(PyThread_GetInfo());
    EXPECT_EQ(shown(PyObject_GetAttrString(threads, "name")), "'pthread'");
    PyObject* small = kept(PyLong_FromLong(-70000));
    ASSERT_TRUE(PyUnstable_Long_IsCompact(reinterpret_cast<PyLongObject*>(small)));
    EXPECT_EQ(PyUnstable_Long_CompactValue(reinterpret_cast<PyLongObject*>(small)), -70000);
}

TEST_P(Infos, AreOfThreads) {
    EXPECT_EQ(PyThread_get_stacksize(), 0U);
    EXPECT_EQ(PyThread_set_stacksize(1), -1);
    EXPECT_EQ(PyThread_set_stacksize(1U << 20), 0);
    EXPECT_EQ(PyThread_get_stacksize(), size_t{1} << 20);
    EXPECT_EQ(PyThread_set_stacksize(0), 0);
    EXPECT_EQ(PyThread_get_thread_native_id(), static_cast<unsigned long>(gettid()));
}

EVERY_WAY_OF_COUNTING(Infos);

}  // namespace
}  // namespace ouro::test
