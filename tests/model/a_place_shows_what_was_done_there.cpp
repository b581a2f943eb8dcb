// Whoever has a place of a crew (concurrency/worklist/crew.hpp) sees what was done at it before, and what the owner wrote
// before the slice; and when the slice has been closed the owner sees what was done at all places.

#include "tests/model/relacy.hpp"
// Relacy comes first.
#include "concurrency/worklist/crew.hpp"

namespace ouro::model {
namespace {

// With weaker orders a model is to fail.
template <bool kWeak>
struct CrewSync {
    template <class T>
    class Atomic : public model::Atomic<T> {
        using Base = model::Atomic<T>;

    public:
        using Base::Base;
        T load(std::memory_order order) const { return Base::load(weaker(order)); }
        T fetch_sub(T value, std::memory_order order) {
            return Base::fetch_sub(value, weaker(order));
        }
        bool compare_exchange_weak(T& expected, T desired, std::memory_order success,
                                   std::memory_order failure) {
            return Base::compare_exchange_weak(expected, desired, weaker(success), weaker(failure));
        }

    private:
        static std::memory_order weaker(std::memory_order order) {
            return kWeak ? std::memory_order_relaxed : order;
        }
    };
    static constexpr int kRelaxes = 1;

    static bool wait(const Atomic<uint32_t>&, uint32_t, int64_t) {
        relax();
        return true;
    }
    static void wake(const Atomic<uint32_t>&, int) {}
    static int64_t now_ns() { return 0; }
    static void relax() { rl::yield(1, $); }
};

template <bool kWeak>
struct Slices : rl::test_suite<Slices<kWeak>, 2> {
    static constexpr unsigned kPlaces = 2;

    worklist::Crew<int, CrewSync<kWeak>> crew{kPlaces};
    Plain<int> slice{0};
    Plain<int> first{0};
    Plain<int> second{0};

    void thread(unsigned self) {
        int argument = 0;
        if (self != 0) {
            (void)crew.join(argument);
            (void)crew.join(argument);
            return;
        }
        const auto job = [this](unsigned place, int& calls) {
            Plain<int>& mine = place == 0 ? first : second;
            mine = mine + slice;
            ++calls;
        };
        for (int i = 1; i <= 2; ++i) {
            slice = i;
            crew.open(job);
            (void)crew.join(argument);
            crew.close(argument);
            RL_ASSERT(first + second >= i);
        }
    }
};

TEST(APlace, ShowsWhatWasDoneThere) {
    EXPLORE_MILLIONS(Slices<false>);
    CATCH(Slices<true>, Search::kRandom, random_schedules(100'000));
}

}  // namespace
}  // namespace ouro::model
