// PyGC_Collect raises nothing: what user code leaves raised inside it is reported, with the type it
// happened in, and what was set when it began is set when it ends. Source: "Supporting Cyclic
// Garbage Collection", PyGC_Collect.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

class Exceptions : public Things {
protected:
    void SetUp() override {
        Things::SetUp();
        Ouro_SetUnraisableHook(nullptr, nullptr);  // what cannot be raised is printed
    }

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
    drop_ring(3, &FinalThingType);
    PyErr_SetString(PyExc_KeyError, "the caller's");
    EXPECT_EQ(collect(3), "");
    ASSERT_EQ(PyErr_ExceptionMatches(PyExc_KeyError), 1);
    EXPECT_EQ(print_and_clear(), "KeyError: \"the caller's\"\n");
}

TEST_P(Exceptions, OfTheCallerAreNotSeenByUserCode) {
    record.on_finalize = [](Thing*) { EXPECT_EQ(PyErr_Occurred(), nullptr); };
    record.on_clear = [](Thing*) {
        EXPECT_EQ(PyErr_Occurred(), nullptr);
        return true;
    };
    record.on_dealloc = [](Thing*) { EXPECT_EQ(PyErr_Occurred(), nullptr); };
    drop_ring(3, &FinalThingType);
    PyErr_SetString(PyExc_KeyError, "the caller's");
    EXPECT_EQ(collect(3), "");
    PyErr_Clear();
}

TEST_P(Exceptions, OfAClearDoNotReplaceTheCallers) {
    record.on_clear = [](Thing*) {
        PyErr_SetString(PyExc_ValueError, "a clear's");
        return true;
    };
    drop_ring(1);
    PyErr_SetString(PyExc_KeyError, "the caller's");
    EXPECT_THAT(collect(1), reported("ValueError: a clear's"));
    EXPECT_EQ(print_and_clear(), "KeyError: \"the caller's\"\n");
}

TEST_P(Exceptions, OfAFinalizerAreReported) {
    record.on_finalize = [](Thing*) { PyErr_SetString(PyExc_ValueError, "a finalizer's"); };
    drop_ring(1, &FinalThingType);
    EXPECT_THAT(collect(1), reported("ValueError: a finalizer's"));
    EXPECT_EQ(PyErr_Occurred(), nullptr);
}

TEST_P(Exceptions, OfAFinalizerAreReportedBeforeTheNextRuns) {
    record.on_finalize = [](Thing* op) {
        EXPECT_EQ(PyErr_Occurred(), nullptr) << "of the finalizer before this one";
        PyErr_Format(PyExc_ValueError, "finalizer of %d", op->id);
    };
    drop_ring(2, &FinalThingType);
    EXPECT_THAT(collect(2), testing::AllOf(reported("ValueError: finalizer of 0"),
                                           reported("ValueError: finalizer of 1")));
}

// Nothing is cleared then, and nobody else would report it.
TEST_P(Exceptions, OfAFinalizerThatResurrectsAreReported) {
    PyObject* rescued = nullptr;
    record.on_finalize = [&](Thing* op) {
        rescued = Py_NewRef(object(op));
        PyErr_SetString(PyExc_ValueError, "a finalizer's");
    };
    drop_ring(1, &FinalThingType);
    EXPECT_THAT(collect(0), reported("ValueError: a finalizer's"));
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    Py_DECREF(rescued);
    EXPECT_EQ(PyGC_Collect(), 1);
}

TEST_P(Exceptions, OfADeallocationAreReported) {
    record.on_dealloc = [](Thing*) { PyErr_SetString(PyExc_ValueError, "a dealloc's"); };
    drop_ring(1);
    EXPECT_THAT(collect(1), reported("ValueError: a dealloc's"));
    EXPECT_EQ(PyErr_Occurred(), nullptr);
}

EVERY_RUNTIME(Exceptions);

}  // namespace
}  // namespace ouro::test
