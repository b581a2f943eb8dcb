// The workload `slices` on V8's collector for C++; ../row.py says how it is started.
//
//   slices MODE RINGS ...     MODE: atomic, incremental, concurrent. HEAP_BYTES in the environment
#include <cppgc/allocation.h>
#include <cppgc/default-platform.h>
#include <cppgc/garbage-collected.h>
#include <cppgc/heap.h>
#include <cppgc/member.h>
#include <cppgc/persistent.h>
#include <cppgc/platform.h>
#include <cppgc/process-heap-statistics.h>
#include <cppgc/visitor.h>
#include <libplatform/libplatform.h>
#include <v8-initialization.h>

#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <string>

#include "experiments/peers/native/slices.hpp"

namespace {

class Node final : public cppgc::GarbageCollected<Node> {
public:
    void Trace(cppgc::Visitor* visitor) const {
        visitor->Trace(next);
        visitor->Trace(other);
    }

    cppgc::Member<Node> next;
    cppgc::Member<Node> other;  // always null
};

// The array that keeps the rings: its items are behind it.
class Table final : public cppgc::GarbageCollected<Table> {
public:
    using Item = cppgc::Member<Node>;

    explicit Table(uint32_t rings) : rings_(rings) {
        for (uint32_t i = 0; i < rings; ++i) {
            new (&items()[i]) Item();
        }
    }
    void Trace(cppgc::Visitor* visitor) const {
        for (uint32_t i = 0; i < rings_; ++i) {
            visitor->Trace(items()[i]);
        }
    }
    Item* items() { return reinterpret_cast<Item*>(this + 1); }
    const Item* items() const { return reinterpret_cast<const Item*>(this + 1); }

private:
    uint64_t rings_;  // the items are aligned behind it
};

// The phases that the collector tells of by trace events. Those of the mutator's thread that lie in no
// other are its pauses.
class Phases final : public v8::TracingController {
public:
    const uint8_t* GetCategoryGroupEnabled(const char* name) override {
        static const uint8_t no = 0;
        static const uint8_t yes = 1;
        return std::strcmp(name, "cppgc") == 0 ? &yes : &no;
    }

    uint64_t AddTraceEvent(char phase, const uint8_t*, const char* name, const char*, uint64_t,
                           uint64_t, int32_t, const char**, const uint8_t*, const uint64_t*,
                           std::unique_ptr<v8::ConvertableToTraceFormat>*, unsigned) override {
        if (!mutators_) {
            elsewhere_.fetch_add(phase == 'B' ? 1 : 0, std::memory_order_relaxed);
        } else if (phase == 'B' && depth_++ == 0) {
            begun_ns_ = peers::now_ns();
        } else if (phase == 'E' && --depth_ == 0) {
            pauses_.add(peers::now_ns() - begun_ns_);
            ++counts_[name];
        }
        return 0;
    }

    static void this_is_the_mutator() { mutators_ = true; }
    void forget() {
        pauses_.forget();
        counts_.clear();
        elsewhere_.store(0, std::memory_order_relaxed);
    }
    void print() const {
        for (const auto& [name, count] : counts_) {
            std::printf("phase %s %u\n", name.c_str(), count);
        }
        std::printf("phase elsewhere %u\n", elsewhere_.load(std::memory_order_relaxed));
        pauses_.print();
    }

private:
    static thread_local bool mutators_;
    int depth_ = 0;
    int64_t begun_ns_ = 0;
    peers::Pauses pauses_;
    std::map<std::string, unsigned> counts_;
    std::atomic<unsigned> elsewhere_{0};
};

thread_local bool Phases::mutators_ = false;

struct Mode {
    const char* name;
    cppgc::Heap::MarkingType marking;
    cppgc::Heap::SweepingType sweeping;
};
constexpr Mode kModes[] = {
    {"atomic", cppgc::Heap::MarkingType::kAtomic, cppgc::Heap::SweepingType::kAtomic},
    {"incremental", cppgc::Heap::MarkingType::kIncremental,
     cppgc::Heap::SweepingType::kIncremental},
    {"concurrent", cppgc::Heap::MarkingType::kIncrementalAndConcurrent,
     cppgc::Heap::SweepingType::kIncrementalAndConcurrent},
};

struct Runtime {
    std::shared_ptr<cppgc::DefaultPlatform> platform;
    Phases* phases;
    std::unique_ptr<cppgc::Heap> heap;
};

class Heap {
public:
    Heap(const peers::Work& work, Runtime& runtime)
        : work_(work), runtime_(runtime), allocation_(runtime.heap->GetAllocationHandle()),
          table_(cppgc::MakeGarbageCollected<Table>(
              allocation_, cppgc::AdditionalBytes(work.rings * sizeof(Table::Item)), work.rings)),
          items_(table_->items()) {}

    void replace(uint32_t place) {
        Node* first = cppgc::MakeGarbageCollected<Node>(allocation_);
        Node* last = first;
        for (int i = 1; i < 4; ++i) {
            Node* next = cppgc::MakeGarbageCollected<Node>(allocation_);
            last->next = next;
            last = next;
        }
        last->next = first;
        items_[place] = first;
    }
    // One task, as a program's message loop would run one.
    void between() { v8::platform::PumpMessageLoop(runtime_.platform->GetV8Platform(), nullptr); }
    void begin() { runtime_.phases->forget(); }
    bool intact() const {
        for (uint32_t i = 0; i < work_.rings; ++i) {
            if (!peers::is_ring(static_cast<const Node*>(items_[i].Get()))) {
                return false;
            }
        }
        return true;
    }
    void print() const {
        std::printf("version V8 %s\nheap %zu\n", v8::V8::GetVersion(),
                    cppgc::ProcessHeapStatistics::TotalAllocatedObjectSize());
        runtime_.phases->print();
    }

private:
    const peers::Work& work_;
    Runtime& runtime_;
    cppgc::AllocationHandle& allocation_;
    cppgc::Persistent<Table> table_;
    Table::Item* items_;  // the table does not move
};

// A collection has to end before the heap is one and a half times what was alive after the last one, or
// what is set here if that is more.
size_t initial_size(size_t limit) {
    constexpr double kGrowth = 1.5;
    return static_cast<size_t>(static_cast<double>(limit) / kGrowth);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 2 && std::strcmp(argv[1], "--version") == 0) {
        std::printf("V8 %s\n", v8::V8::GetVersion());
        return 0;
    }
    const peers::Work work(argc, argv);
    const Mode* mode = nullptr;
    for (const Mode& each : kModes) {
        mode = argc == 8 && std::strcmp(argv[1], each.name) == 0 ? &each : mode;
    }
    if (mode == nullptr) {
        peers::fail("arguments: MODE RINGS SLICES WARMUP SLICE SEED SHUFFLED");
    }
    const char* bytes = std::getenv("HEAP_BYTES");
    Runtime runtime;
    auto phases = std::make_unique<Phases>();
    runtime.phases = phases.get();
    Phases::this_is_the_mutator();
    runtime.platform = std::make_shared<cppgc::DefaultPlatform>(
        0, cppgc::DefaultPlatform::IdleTaskSupport::kDisabled, std::move(phases));
    v8::V8::InitializePlatform(
        runtime.platform->GetV8Platform());  // it asks that one for its tracing
    cppgc::InitializeProcess(runtime.platform->GetPageAllocator());
    cppgc::Heap::HeapOptions options = cppgc::Heap::HeapOptions::Default();
    options.marking_support = mode->marking;
    options.sweeping_support = mode->sweeping;
    options.resource_constraints.initial_heap_size_bytes =
        initial_size(bytes == nullptr ? 0 : std::strtoull(bytes, nullptr, 10));
    runtime.heap = cppgc::Heap::Create(runtime.platform, std::move(options));
    peers::run<Heap>(work, runtime);
}
