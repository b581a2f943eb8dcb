// The workload `slices` for collectors that C++ programs use: what their programs have in common.
// ../row.py starts such a program, says what its arguments are, and reads what it prints.
#pragma once

#include <sys/mman.h>
#include <time.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace peers {

[[noreturn]] inline void fail(const char* message) {
    std::fprintf(stderr, "%s\n", message);
    std::exit(1);
}

inline int64_t now_ns() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// Memory outside the collected heap, which no collector looks for roots in.
template <typename T>
T* outside(size_t count, int flags = MAP_POPULATE) {
    void* memory = mmap(nullptr, (count + 1) * sizeof(T), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    if (memory == MAP_FAILED) {
        fail("no memory for what is measured");
    }
    return static_cast<T*>(memory);
}

// Times that the runtime gives; one thread's.
class Pauses {
public:
    void add(int64_t ns) {
        if (count_ == kMost) {
            fail("more pauses than can be kept");
        }
        all_[count_++] = ns;
    }
    void forget() { count_ = 0; }
    void print() const {
        for (size_t i = 0; i < count_; ++i) {
            std::printf("pause %lld\n", static_cast<long long>(all_[i]));
        }
    }

private:
    static constexpr size_t kMost = 1 << 24;
    int64_t* all_ = outside<int64_t>(kMost, MAP_NORESERVE);
    size_t count_ = 0;
};

struct Work {
    uint32_t rings, slices, warmup, operations;
    uint64_t seed;
    bool shuffled;

    // The last six arguments.
    Work(int argc, char** argv) {
        if (argc < 7) {
            fail("arguments: RINGS SLICES WARMUP SLICE SEED SHUFFLED");
        }
        const auto number = [&](int place) {
            return std::strtoull(argv[argc - 6 + place], nullptr, 10);
        };
        rings = static_cast<uint32_t>(number(0));
        slices = static_cast<uint32_t>(number(1));
        warmup = static_cast<uint32_t>(number(2));
        operations = static_cast<uint32_t>(number(3));
        seed = number(4);
        shuffled = number(5) == 1;
    }
};

class Places {
public:
    explicit Places(const Work& work)
        : rings_(work.rings), shuffled_(work.shuffled), state_(work.seed * 2 + 1) {}

    uint32_t next() {
        if (shuffled_) {
            return below(rings_);
        }
        const uint32_t place = turn_;
        turn_ = turn_ + 1 == rings_ ? 0 : turn_ + 1;
        return place;
    }
    // The place of each first ring; made outside the heap, and given back by the process's end.
    const uint32_t* order() {
        auto* places = outside<uint32_t>(rings_);
        std::iota(places, places + rings_, 0u);
        for (uint32_t i = rings_ - 1; shuffled_ && i > 0; --i) {
            std::swap(places[i], places[below(i + 1)]);
        }
        return places;
    }
    // Of the first 1000 to come, which stay to come.
    uint64_t checksum() const {
        Places copy = *this;
        uint64_t sum = 14695981039346656037u;
        for (int i = 0; i < 1000; ++i) {
            sum = (sum ^ copy.next()) * 1099511628211u;
        }
        return sum;
    }

private:
    uint32_t below(uint32_t limit) {
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return static_cast<uint32_t>((state_ * 2685821657736338717u >> 33) % limit);
    }

    uint32_t rings_;
    bool shuffled_;
    uint64_t state_;
    uint32_t turn_ = 0;
};

// Says where the program is, and waits until this was noted.
inline void mark(const char* name) {
    std::printf("mark %s\n", name);
    std::fflush(stdout);
    if (std::getchar() == EOF) {
        fail("nobody reads");
    }
}

// Whether four objects are a ring of four with nothing else in them.
template <typename Node>
bool is_ring(const Node* first) {
    const Node* each = first;
    for (int k = 1; k <= 4; ++k) {
        if (each == nullptr || each->other != nullptr) {
            return false;
        }
        each = each->next;
        if ((each == first) != (k == 4)) {
            return false;
        }
    }
    return true;
}

// Does the work, prints what row.py reads, and ends the process. A heap has:
//   replace(place)   a new ring takes this place
//   between()        what a program of this runtime does between two pieces of work
//   begin()          the warm-up is over; what was counted is forgotten
//   intact()         whether each place holds a ring of four
//   print()          version, bytes that are held, pauses, and what else there is to say
template <typename Heap, typename... Arguments>
[[noreturn]] void run(const Work& work, Arguments&&... arguments) {
    auto* samples = outside<int64_t>(work.slices);
    mark("before");
    Heap heap(work, std::forward<Arguments>(arguments)...);
    Places places(work);
    const uint32_t* order = places.order();
    for (uint32_t i = 0; i < work.rings; ++i) {
        heap.replace(order[i]);
    }
    const uint64_t checksum = places.checksum();
    mark("live");
    int64_t begun = 0;
    int64_t last = now_ns();
    for (uint32_t slice = 0; slice < work.slices; ++slice) {
        if (slice == work.warmup) {
            mark("begin");
            heap.begin();
            begun = last = now_ns();
        }
        for (uint32_t i = 0; i < work.operations; ++i) {
            heap.replace(places.next());
        }
        heap.between();
        const int64_t end = now_ns();
        samples[slice] = end - last;
        last = end;
    }
    const int64_t run_ns = last - begun;
    mark("end");
    heap.print();
    if (!heap.intact()) {
        fail("a ring is broken");
    }
    std::printf("places %llu\nrun_ns %lld\n", static_cast<unsigned long long>(checksum),
                static_cast<long long>(run_ns));
    for (uint32_t slice = 0; slice < work.slices; ++slice) {
        std::printf("sample %lld\n", static_cast<long long>(samples[slice]));
    }
    const bool written = std::fflush(stdout) == 0;
    std::_Exit(written ? 0 : 1);  // nothing is taken apart
}

}  // namespace peers
