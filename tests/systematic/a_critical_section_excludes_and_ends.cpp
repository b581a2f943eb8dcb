// Who is in a critical section of an object is alone in it from one safepoint to the next; sections of two
// objects that are named in either order come to an end, also where a thread in one collects.

#include "tests/systematic/runtime.hpp"

namespace ouro::test {
namespace {

class ACriticalSection : public Runtime {};

class Section {
public:
    explicit Section(PyObject* op) { PyCriticalSection_Begin(&section_, op); }
    ~Section() { PyCriticalSection_End(&section_); }
    Section(const Section&) = delete;
    Section& operator=(const Section&) = delete;

private:
    PyCriticalSection section_;
};

class SectionOfTwo {
public:
    SectionOfTwo(PyObject* a, PyObject* b) { PyCriticalSection2_Begin(&section_, a, b); }
    ~SectionOfTwo() { PyCriticalSection2_End(&section_); }
    SectionOfTwo(const SectionOfTwo&) = delete;
    SectionOfTwo& operator=(const SectionOfTwo&) = delete;

private:
    PyCriticalSection2 section_;
};

// Two objects, each with a number that its lock protects: plain, so that the thread sanitizer sees
// whether it does.
struct Two {
    Held a{new_witness(0)};
    Held b{new_witness(0)};
};

void add(PyObject* op) {
    const long before = witness(op)->number;
    point("between");
    witness(op)->number = before + 1;
}

void expect_sums(const Two& two, long a, long b) {
    EXPECT_EQ(witness(two.a.get())->number, a);
    EXPECT_EQ(witness(two.b.get())->number, b);
    EXPECT_EQ(Py_REFCNT(two.a.get()), 1);
}

void take_in_both_orders(Execution& run, int rounds) {
    auto two = std::make_shared<Two>();
    for (const bool turned : {false, true}) {
        run.thread(turned ? "b a" : "a b", [two, turned, rounds] {
            const Attached here;
            PyObject* first = turned ? two->b.get() : two->a.get();
            PyObject* second = turned ? two->a.get() : two->b.get();
            for (int i = 0; i < rounds; ++i) {
                const SectionOfTwo section(first, second);
                add(first);
                add(second);
            }
        });
    }
    run.after([two, rounds] { expect_sums(*two, 2 * rounds, 2 * rounds); });
}

TEST_P(ACriticalSection, OfTwoObjectsInBothOrders) {
    explore_runtime(300, [](Execution& run) { take_in_both_orders(run, 2); });
}

TEST_P(ACriticalSection, OfTwoObjectsInBothOrdersInEverySchedule) {
    exhaust_runtime(2, [](Execution& run) { take_in_both_orders(run, 1); });
}

// One inside the other: the outer is let go while the inner is waited for, so the number is not carried
// over its beginning.
TEST_P(ACriticalSection, InsideAnotherInBothOrders) {
    explore_runtime(300, [](Execution& run) {
        auto two = std::make_shared<Two>();
        for (const bool turned : {false, true}) {
            run.thread(turned ? "b a" : "a b", [two, turned] {
                const Attached here;
                PyObject* first = turned ? two->b.get() : two->a.get();
                PyObject* second = turned ? two->a.get() : two->b.get();
                for (int i = 0; i < 2; ++i) {
                    const Section outer(first);
                    add(first);
                    {
                        const Section inner(second);
                        add(second);
                    }
                    add(first);
                }
            });
        }
        run.after([two] { expect_sums(*two, 6, 6); });
    });
}

// The other waits for the section, or runs into the stop, or is in neither.
void collect_inside(Execution& run, int rounds) {
    auto two = std::make_shared<Two>();
    run.thread("collects", [two, rounds] {
        const Attached here;
        for (int i = 0; i < rounds; ++i) {
            const SectionOfTwo section(two->a.get(), two->b.get());
            add(two->a.get());
            PyObject* ring = new_witness(1);
            OURO_STORE_FIELD(&witness(ring)->other, ring);
            PyGC_Collect();
            EXPECT_EQ(died, i + 1);
            add(two->b.get());
        }
    });
    run.thread("waits", [two, rounds] {
        const Attached here;
        for (int i = 0; i < rounds; ++i) {
            {
                const SectionOfTwo section(two->b.get(), two->a.get());
                add(two->b.get());
                add(two->a.get());
            }
            safepoint();
        }
    });
    run.after([two, rounds] { expect_sums(*two, 2 * rounds, 2 * rounds); });
}

TEST_P(ACriticalSection, InWhichAThreadCollects) {
    explore_runtime(300, [](Execution& run) { collect_inside(run, 2); });
}

FREE_RUNTIMES(ACriticalSection);

}  // namespace
}  // namespace ouro::test
