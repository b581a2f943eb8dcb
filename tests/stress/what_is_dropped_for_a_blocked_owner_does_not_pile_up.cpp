// The owner of a million objects sits outside while another thread drops them all: they are freed without
// it, and what waits in queues meanwhile takes next to no memory. The same where the owner runs and
// comes to a safepoint now and then.

#include <algorithm>
#include <cstdio>
#include <memory>

#include "core/object/merge_queues.hpp"
#include "tests/contract/threads.hpp"
#include "tests/support/scale.hpp"

namespace ouro::test {
namespace {

class Dropped : public Threads {
protected:
    void SetUp() override {
        Threads::SetUp();
        fate_ = std::make_unique<Fate>();
        PyGC_Disable();  // each collection is verified
        for (size_t i = scaled(1'000'000, 1000); i > 0; --i) {
            objects_.push_back(new_thing(fate_.get()));
        }
        PyGC_Enable();
    }
    void drop_all() {
        for (size_t i = 0; i < objects_.size(); ++i) {
            Py_DECREF(objects_[i]);
            if (i % 1000 == 0) {
                most_bytes_ = std::max(most_bytes_, object::queue_usage().bytes);
            }
        }
    }

    std::unique_ptr<Fate> fate_;
    std::vector<PyObject*> objects_;
    size_t most_bytes_ = 0;
};

TEST_P(Dropped, WhileItsOwnerIsBlocked) {
    {
        const Detached outside;
        std::thread([&] {
            const Attached here;
            drop_all();
            EXPECT_EQ(fate_->died, objects_.size()) << "freed before the owner is back";
        }).join();
        EXPECT_EQ(object::queue_usage().entries, 0u);
    }
    std::printf("queue memory: %zu bytes at most\n", most_bytes_);
    EXPECT_LE(most_bytes_, size_t{1} << 20);
}

TEST_P(Dropped, WhileItsOwnerRuns) {
    std::atomic<bool> done{false};
    std::thread other([&] {
        const Attached here;
        drop_all();
        done = true;
    });
    run_until([&] { return done.load(); });
    run_until([&] { return fate_->died == static_cast<long>(objects_.size()); });
    EXPECT_EQ(object::queue_usage().entries, 0u);
    std::printf("queue memory: %zu bytes at most\n", most_bytes_);
    EXPECT_LE(most_bytes_, size_t{64} << 20);
    const Detached outside;
    other.join();
}

EVERY_RUNTIME(Dropped);

}  // namespace
}  // namespace ouro::test
