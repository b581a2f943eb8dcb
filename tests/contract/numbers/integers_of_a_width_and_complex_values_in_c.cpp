// Ints to and from C integers of 32 and 64 bits; arithmetic of complex values in C. Source: "Integer Objects",
// PyLong_AsInt32 and so on; "Complex Number Objects", Py_complex.

#include <cerrno>
#include <vector>

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

class Widths : public Things {
protected:
    void TearDown() override {
        drop(made_);
        made_.clear();
        Things::TearDown();
    }
    // Drops it when the test is over.
    PyObject* kept(PyObject* op) {
        EXPECT_NE(op, nullptr);
        made_.push_back(op);
        return op;
    }

private:
    std::vector<PyObject*> made_;
};

TEST_P(Widths, HoldWhatFitsThem) {
    int32_t i32 = 0;
    uint32_t u32 = 0;
    int64_t i64 = 0;
    uint64_t u64 = 0;
    EXPECT_EQ(PyLong_AsInt32(kept(PyLong_FromInt32(INT32_MIN)), &i32), 0);
    EXPECT_EQ(i32, INT32_MIN);
    EXPECT_EQ(PyLong_AsUInt32(kept(PyLong_FromUInt32(UINT32_MAX)), &u32), 0);
    EXPECT_EQ(u32, UINT32_MAX);
    EXPECT_EQ(PyLong_AsInt64(kept(PyLong_FromInt64(INT64_MIN)), &i64), 0);
    EXPECT_EQ(i64, INT64_MIN);
    EXPECT_EQ(PyLong_AsUInt64(kept(PyLong_FromUInt64(UINT64_MAX)), &u64), 0);
    EXPECT_EQ(u64, UINT64_MAX);
    PyObject* minus = kept(PyLong_FromInt32(-1));
    EXPECT_EQ(PyLong_AsInt32(minus, &i32), 0);
    EXPECT_EQ(i32, -1);
    EXPECT_EQ(PyLong_AsInt64(minus, &i64), 0);
    EXPECT_EQ(i64, -1);
    PyObject* wide = kept(PyLong_FromUInt64(UINT64_MAX));
    const auto overflows = [](int result) {
        return result == -1 && take_error().type == "OverflowError";
    };
    EXPECT_TRUE(overflows(PyLong_AsInt32(wide, &i32)));
    EXPECT_TRUE(overflows(PyLong_AsUInt32(wide, &u32)));
    EXPECT_TRUE(overflows(PyLong_AsInt64(wide, &i64)));
    EXPECT_TRUE(overflows(PyLong_AsUInt32(minus, &u32)));
    EXPECT_TRUE(overflows(PyLong_AsUInt64(minus, &u64)));
    EXPECT_EQ(PyLong_AsUInt64(kept(PyUnicode_FromString("1")), &u64), -1);
    EXPECT_EQ(take_error().type, "TypeError");
    EXPECT_EQ(PyLong_AsInt32(kept(PyUnicode_FromString("1")), &i32), -1);
    EXPECT_EQ(take_error().type, "TypeError");
}

TEST_P(Widths, ComplexValuesAreComputedWith) {
    const auto equal = [](Py_complex a, double real, double imag) {
        return a.real == real && a.imag == imag;
    };
    const Py_complex a = {1, 2};
    const Py_complex b = {3, -4};
    EXPECT_TRUE(equal(_Py_c_sum(a, b), 4, -2));
    EXPECT_TRUE(equal(_Py_c_diff(a, b), -2, 6));
    EXPECT_TRUE(equal(_Py_c_neg(a), -1, -2));
    EXPECT_TRUE(equal(_Py_c_prod(a, b), 11, 2));
    EXPECT_TRUE(equal(_Py_c_quot(_Py_c_prod(a, b), b), 1, 2));
    EXPECT_TRUE(equal(_Py_c_pow(a, {2, 0}), -3, 4));
    errno = 0;
    EXPECT_TRUE(equal(_Py_c_quot(a, {0, 0}), 0, 0));
    EXPECT_EQ(errno, EDOM);
    errno = 0;
    _Py_c_pow({0, 0}, {-1, 0});
    EXPECT_EQ(errno, EDOM);
    errno = 0;
}

EVERY_WAY_OF_COUNTING(Widths);

}  // namespace
}  // namespace ouro::test
