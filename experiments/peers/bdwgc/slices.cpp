// The workload `slices` on the Boehm-Demers-Weiser collector; ../row.py says how it is started.
//
//   slices MODE BUDGET_US RINGS ...     MODE: stw, parallel, incremental. HEAP_BYTES in the environment
#define GC_THREADS
#include <gc.h>
#include <unistd.h>

#include <cstring>

#include "experiments/peers/native/slices.hpp"

namespace {

struct Node {
    Node* next;
    Node* other;  // always null
};

Node** rings;  // a root

peers::Pauses* pauses;
int64_t stopping_ns;
unsigned long warnings;  // that the heap was full

// In the thread that collects, which is the only one.
void listen(GC_EventType event) {
    if (event == GC_EVENT_PRE_STOP_WORLD) {
        stopping_ns = peers::now_ns();
    } else if (event == GC_EVENT_POST_START_WORLD) {
        pauses->add(peers::now_ns() - stopping_ns);
    }
}

// In a heap of a fixed size that is no news: the collector goes on to collect at once.
void warn(char* message, GC_word argument) {
    if (std::strstr(message, "Out of Memory!  Trying to continue") != nullptr) {
        ++warnings;
    } else {
        std::fprintf(stderr, message, argument);
    }
}

template <typename T>
T* made(size_t bytes) {
    void* memory = GC_MALLOC(bytes);
    if (memory == nullptr) {
        peers::fail("the heap is full");
    }
    return static_cast<T*>(memory);
}

void print_version() {
    const unsigned version = GC_get_version();
    std::printf("bdwgc %u.%u.%u", version >> 16, version >> 8 & 0xff, version & 0xff);
}

class Heap {
public:
    explicit Heap(const peers::Work& work) : work_(work) {
        rings = made<Node*>(work.rings * sizeof(Node*));
    }

    void replace(uint32_t place) {
        Node* first = made<Node>(sizeof(Node));
        Node* last = first;
        for (int i = 1; i < 4; ++i) {
            Node* next = made<Node>(sizeof(Node));
            store(&last->next, next);
            last = next;
        }
        store(&last->next, first);
        store(&rings[place], first);
    }
    void between() {}
    void begin() {
        pauses->forget();
        warnings = 0;
        collections_ = GC_get_gc_no();
    }
    bool intact() const {
        for (uint32_t i = 0; i < work_.rings; ++i) {
            if (!peers::is_ring(rings[i])) {
                return false;
            }
        }
        return true;
    }
    void print() const {
        std::printf("version ");
        print_version();
        std::printf(", %s marking, %d thread(s)\nheap %zu\ncollections %lu\nfull %lu\n",
                    GC_is_incremental_mode() != 0 ? "incremental" : "stop-the-world",
                    GC_get_parallel() + 1, GC_get_heap_size() - GC_get_free_bytes(),
                    static_cast<unsigned long>(GC_get_gc_no() - collections_), warnings);
        pauses->print();
    }

private:
    static void store(Node** place, Node* value) { GC_PTR_STORE_AND_DIRTY(place, value); }

    const peers::Work& work_;
    GC_word collections_ = 0;  // before the end of the warm-up
};

// The heap is of this size from the beginning to the end. A collection begins when most of what is not
// alive was allocated since the last one; one in steps when a quarter of it was, so that it can end in time.
void fix_heap(size_t bytes, const peers::Work& work, bool incremental) {
    GC_set_max_heap_size(bytes);
    const size_t there = GC_get_heap_size();
    if (bytes > there && GC_expand_hp(bytes - there) == 0) {
        peers::fail("the heap cannot be made as large as it was asked for");
    }
    const size_t live = size_t{work.rings} * (4 * sizeof(Node) + sizeof(Node*));
    const size_t rest = bytes > live ? bytes - live : 0;
    GC_set_min_bytes_allocd((incremental ? rest / 4 : rest - rest / 8) + 1);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 2 && std::strcmp(argv[1], "--version") == 0) {
        print_version();
        std::printf("\n");
        return 0;
    }
    const peers::Work work(argc, argv);
    if (argc != 9) {
        peers::fail("arguments: MODE BUDGET_US RINGS SLICES WARMUP SLICE SEED SHUFFLED");
    }
    const char* mode = argv[1];
    const bool parallel = std::strcmp(mode, "parallel") == 0;
    const bool incremental = std::strcmp(mode, "incremental") == 0;
    GC_set_all_interior_pointers(0);  // or an object has a byte more, and takes twice as much
    GC_set_markers_count(parallel ? static_cast<unsigned>(sysconf(_SC_NPROCESSORS_ONLN)) : 1);
    GC_set_manual_vdb_allowed(incremental ? 1 : 0);
    GC_INIT();
    if (parallel) {
        GC_start_mark_threads();
    }
    GC_set_full_freq(0);    // no collection is of the young alone
    GC_set_max_retries(1);  // where the heap is full, a collection at once, then the end
    if (incremental) {
        const unsigned long budget_us = std::strtoul(argv[2], nullptr, 10);
        GC_set_time_limit_tv({budget_us / 1000, budget_us % 1000 * 1000});
        GC_enable_incremental();
    }
    pauses = new peers::Pauses;
    GC_set_on_collection_event(listen);
    GC_set_warn_proc(warn);
    const char* bytes = std::getenv("HEAP_BYTES");
    fix_heap(bytes == nullptr ? 0 : std::strtoull(bytes, nullptr, 10), work, incremental);
    peers::run<Heap>(work);
}
