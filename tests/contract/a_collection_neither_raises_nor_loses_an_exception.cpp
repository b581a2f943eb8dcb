// PyGC_Collect raises nothing: what user code leaves raised inside it is reported, with the type it
// happened in, and what was set when it began is set when it ends. Source: "Supporting Cyclic
// Garbage Collection", PyGC_Collect.

#include "tests/contract/containers.hpp"

namespace ouro::test {
namespace {

class Exceptions : public Contract {
protected:
    // What the collection wrote on stderr.
    static std::string collect(Py_ssize_t expected) {
        testing::internal::CaptureStderr();
        EXPECT_EQ(PyGC_Collect(), expected);
        return testing::internal::GetCapturedStderr();
    }
    static std::string print_and_clear() {
        testing::internal::CaptureStderr();
        PyErr_Print();
        return testing::internal::GetCapturedStderr();
    }
    static auto reported(const char* text) {
        return testing::AllOf(testing::HasSubstr("Exception ignored"), testing::HasSubstr(text));
    }
};

TEST_P(Exceptions, ThatAreSetStaySetWithTheirMessage) {
    drop_ring(3, &FinalizedType);
    PyErr_SetString(PyExc_KeyError, "the caller's");
    EXPECT_EQ(collect(3), "");
    ASSERT_EQ(PyErr_ExceptionMatches(PyExc_KeyError), 1);
    EXPECT_EQ(print_and_clear(), "KeyError: \"the caller's\"\n");
}

TEST_P(Exceptions, OfTheCallerAreNotSeenByUserCode) {
    recorder.on_finalize = [](Node*) { EXPECT_EQ(PyErr_Occurred(), nullptr); };
    recorder.on_clear = [](Node*) {
        EXPECT_EQ(PyErr_Occurred(), nullptr);
        return true;
    };
    recorder.on_dealloc = [](Node*) { EXPECT_EQ(PyErr_Occurred(), nullptr); };
    drop_ring(3, &FinalizedType);
    PyErr_SetString(PyExc_KeyError, "the caller's");
    EXPECT_EQ(collect(3), "");
    PyErr_Clear();
}

TEST_P(Exceptions, OfAClearDoNotReplaceTheCallers) {
    recorder.on_clear = [](Node*) {
        PyErr_SetString(PyExc_ValueError, "a clear's");
        return true;
    };
    drop_ring(1);
    PyErr_SetString(PyExc_KeyError, "the caller's");
    EXPECT_THAT(collect(1), reported("ValueError: a clear's"));
    EXPECT_EQ(print_and_clear(), "KeyError: \"the caller's\"\n");
}

TEST_P(Exceptions, OfAFinalizerAreReported) {
    recorder.on_finalize = [](Node*) { PyErr_SetString(PyExc_ValueError, "a finalizer's"); };
    drop_ring(1, &FinalizedType);
    EXPECT_THAT(collect(1), reported("ValueError: a finalizer's"));
    EXPECT_EQ(PyErr_Occurred(), nullptr);
}

TEST_P(Exceptions, OfAFinalizerAreReportedBeforeTheNextRuns) {
    recorder.on_finalize = [](Node* op) {
        EXPECT_EQ(PyErr_Occurred(), nullptr) << "of the finalizer before this one";
        PyErr_Format(PyExc_ValueError, "finalizer of %d", op->id);
    };
    drop_ring(2, &FinalizedType);
    EXPECT_THAT(collect(2), testing::AllOf(reported("ValueError: finalizer of 0"),
                                           reported("ValueError: finalizer of 1")));
}

// Nothing is cleared then, and nobody else would report it.
TEST_P(Exceptions, OfAFinalizerThatResurrectsAreReported) {
    PyObject* rescued = nullptr;
    recorder.on_finalize = [&](Node* op) {
        rescued = Py_NewRef(object(op));
        PyErr_SetString(PyExc_ValueError, "a finalizer's");
    };
    drop_ring(1, &FinalizedType);
    EXPECT_THAT(collect(0), reported("ValueError: a finalizer's"));
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    Py_DECREF(rescued);
    EXPECT_EQ(PyGC_Collect(), 1);
}

TEST_P(Exceptions, OfADeallocationAreReported) {
    recorder.on_dealloc = [](Node*) { PyErr_SetString(PyExc_ValueError, "a dealloc's"); };
    drop_ring(1);
    EXPECT_THAT(collect(1), reported("ValueError: a dealloc's"));
    EXPECT_EQ(PyErr_Occurred(), nullptr);
}

EVERY_POLICY(Exceptions);

}  // namespace
}  // namespace ouro::test
