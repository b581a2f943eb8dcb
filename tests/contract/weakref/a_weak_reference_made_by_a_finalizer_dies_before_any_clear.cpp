// A finalizer can make a weak reference to garbage that stays garbage. It is dead before the first
// tp_clear runs, and its callback is not called. Source: "Supporting Cyclic Garbage Collection",
// tp_clear, and CPython's rule for weak references made during a collection (gh-91636).

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

class Late : public Things {
protected:
    void SetUp() override {
        Things::SetUp();
        record.on_clear = [this](Thing*) {
            for (PyObject* reference : made_) {
                EXPECT_TRUE(is_dead(reference));
            }
            ++asked_;
            return true;
        };
    }
    void TearDown() override {
        drop(made_);
        made_.clear();
        Things::TearDown();
    }
    std::vector<PyObject*> made_;
    int asked_ = 0;
};

TEST_P(Late, ToItself) {
    record.on_finalize = [this](Thing* self) {
        made_.push_back(PyWeakref_NewRef(object(self), nullptr));
        EXPECT_FALSE(is_dead(made_.back())) << "whole, and known to its maker";
    };
    drop_ring(3, &FinalThingType);
    EXPECT_EQ(PyGC_Collect(), 3);
    EXPECT_EQ(made_.size(), 3u);
    EXPECT_EQ(asked_, 3);
}

TEST_P(Late, WithACallback) {
    record.on_finalize = [this](Thing* self) { made_.push_back(watched(object(self), self->id)); };
    drop_ring(3, &FinalThingType);
    EXPECT_EQ(PyGC_Collect(), 3);
    EXPECT_EQ(made_.size(), 3u);
    EXPECT_EQ(asked_, 3);
    EXPECT_EQ(record.count(Call::kCallback), 0);
}

TEST_P(Late, ToAnotherMemberWithoutAFinalizer) {
    PyObject* plain = new_thing(1);
    PyObject* final_one = new_thing(2, &FinalThingType);
    refer(plain, 0, final_one);
    refer(final_one, 0, plain);
    record.on_finalize = [&](Thing* self) {
        made_.push_back(PyWeakref_NewRef(self->slots[0], nullptr));
    };
    drop({plain, final_one});
    EXPECT_EQ(PyGC_Collect(), 2);
    EXPECT_EQ(made_.size(), 1u);
    EXPECT_EQ(asked_, 2);
}

// One that is kept only by the garbage itself goes with it.
TEST_P(Late, KeptByTheGarbage) {
    record.on_finalize = [](Thing* self) {
        PyObject* reference = watched(object(self), self->id);
        refer(object(self), 1, reference);
        Py_DECREF(reference);
    };
    drop_ring(3, &FinalThingType);
    PyGC_Collect();
    PyGC_Collect();
    EXPECT_EQ(record.live, 0);
    EXPECT_EQ(record.count(Call::kCallback), 0);
}

// A callback that is due can do the same.
TEST_P(Late, MadeByACallback) {
    const std::vector<PyObject*> things = ring(2);
    PyObject* member = things[1];
    PyObject* reference = watched(
        things[0], 1, [&](PyObject*) { made_.push_back(PyWeakref_NewRef(member, nullptr)); });
    drop(things);
    EXPECT_EQ(PyGC_Collect(), 2);
    EXPECT_EQ(made_.size(), 1u);
    EXPECT_EQ(asked_, 2);
    Py_DECREF(reference);
}

// To something a finalizer revives it stays alive.
TEST_P(Late, ToSomethingRevived) {
    PyObject* saved = nullptr;
    PyObject* op = new_thing(1, &FinalThingType);
    refer(op, 0, op);
    PyObject* reference = nullptr;
    record.on_finalize = [&](Thing* self) {
        saved = Py_NewRef(object(self));
        reference = PyWeakref_NewRef(saved, nullptr);
    };
    Py_DECREF(op);
    PyGC_Collect();
    EXPECT_EQ(asked_, 0);
    ASSERT_NE(reference, nullptr);
    EXPECT_FALSE(is_dead(reference));
    Py_CLEAR(saved);
    made_.push_back(reference);
    EXPECT_EQ(PyGC_Collect(), 1);
    EXPECT_EQ(asked_, 1);
}

EVERY_RUNTIME(Late);

}  // namespace
}  // namespace ouro::test
