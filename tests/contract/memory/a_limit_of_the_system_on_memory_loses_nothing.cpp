// A limit on memory that the system sets (RLIMIT_AS, RLIMIT_DATA) in the middle of a collection: from a traversal,
// a finalizer, a clear, a callback or a deallocation, with what the C library has left used up. Functions then
// say that memory is out, collections complete or back out, whichever engine runs them; nothing that is alive is
// lost, and when the limit is lifted a full collection finds all that is garbage: each object dies once, each
// finalizer runs once. Source: "Memory Management", "Exception Handling" (PyErr_NoMemory), "Supporting Cyclic
// Garbage Collection" (PyGC_Collect).
//
// Each case is a process of its own, which says by its exit status how it went.
// a process for each case

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <array>
#include <cstdlib>
#include <cstring>

#include "tests/contract/threads.hpp"

namespace ouro::test {
namespace {

constexpr int kRings = 800;
constexpr int kRing = 5;
constexpr int kLiveRings = 300;
// An automatic collection that makes no progress without memory is left alone after so many attempts.
constexpr int kAttempts = 20'000;

// When the limit is set.
enum class Moment { kBefore, kTraverse, kCallback, kFinalize, kClear, kDealloc };
constexpr std::array kMoments = {Moment::kBefore,   Moment::kTraverse, Moment::kCallback,
                                 Moment::kFinalize, Moment::kClear,    Moment::kDealloc};
constexpr std::array kNames = {"before", "traverse", "callback", "finalize", "clear", "dealloc"};

struct LimitCase {
    Moment moment;
    decltype(RLIMIT_AS) resource;
    size_t slack;    // bytes that may still be had
    bool automatic;  // else it is asked for
    bool sleeps;     // a finalizer does, for longer than it is waited for at first
};

// What a process and those that are forked from it tell each other.
struct Shared {
    std::atomic<bool> wanted{false};
    std::atomic<bool> limited{false};
    std::atomic<bool> over{false};
};
Shared* shared_flags = nullptr;
pid_t of = 0;
LimitCase now;
std::atomic<bool> armed{false};

[[noreturn]] void fail(const char* what) {
    // The C library may have no memory to print with.
    (void)!write(STDERR_FILENO, what, std::strlen(what));
    (void)!write(STDERR_FILENO, "\n", 1);
    _exit(1);
}

void require(bool condition, const char* what) {
    if (!condition) {
        fail(what);
    }
}

// A number that Linux tells of this process. Without memory.
size_t status_of(const char* key) {
    char text[4096] = {};
    const int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    require(file >= 0 && read(file, text, sizeof text - 1) > 0, "no /proc/self/status");
    close(file);
    const char* found = std::strstr(text, key);
    require(found != nullptr, "not in /proc/self/status");
    return std::strtoull(found + std::strlen(key), nullptr, 10);
}

// What the C library can still give, taken while the limit is in force.
struct Taken {
    Taken* next;
};
Taken* all_taken = nullptr;

rlimit limit_before;

void tighten() {
    static std::atomic<bool> done{false};
    if (done.exchange(true)) {
        return;
    }
    require(getrlimit(now.resource, &limit_before) == 0, "no limit can be read");
    const size_t in_use = status_of(now.resource == RLIMIT_AS ? "VmSize:" : "VmData:") * 1024;
    const rlimit limit = {in_use + now.slack, limit_before.rlim_max};
    require(setrlimit(now.resource, &limit) == 0, "no limit can be set");
    for (size_t bytes = size_t{1} << 16; bytes >= sizeof(Taken) && now.slack == 0; bytes /= 2) {
        while (auto* more = static_cast<Taken*>(std::malloc(bytes))) {
            more->next = all_taken;
            all_taken = more;
        }
    }
    shared_flags->limited = true;
}

void lift() {
    require(setrlimit(now.resource, &limit_before) == 0, "the limit cannot be lifted");
    while (Taken* each = all_taken) {
        all_taken = each->next;
        std::free(each);
    }
}

void come_to(Moment moment) {
    if (moment != now.moment || !armed.load() || !armed.exchange(false)) {
        return;
    }
    if (getpid() == of) {
        tighten();
    } else {  // of a snapshot: the limit is the program's
        shared_flags->wanted = true;
        while (!shared_flags->limited.load()) {
            usleep(50);
        }
    }
}

// A cell that comes to every moment.
int probe_traverse(PyObject* op, visitproc visit, void* arg) {
    come_to(Moment::kTraverse);
    return thing_traverse(op, visit, arg);
}
int probe_clear(PyObject* op) {
    come_to(Moment::kClear);
    return thing_clear(op);
}
void probe_dealloc(PyObject* op) {
    come_to(Moment::kDealloc);
    thing_dealloc(op);
}

PyTypeObject ProbeType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "limit.Probe",
    .tp_dealloc = probe_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
                OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_traverse = probe_traverse,
    .tp_clear = probe_clear,
    .tp_base = &ThingType,
};

std::atomic<long> called{0};
std::array<std::atomic<PyObject*>, 16> revived{};
std::atomic<size_t> revivals{0};

void finalize(Thing* self) {
    if (now.sleeps && armed.load()) {
        come_to(Moment::kFinalize);
        const Detached outside;
        sleep_ms(250);
    }
    come_to(Moment::kFinalize);
    if (const size_t place = revivals++; place < revived.size()) {
        revived[place] = Py_NewRef(object(self));
    }
}

PyObject* call(PyObject*, PyObject*) {
    come_to(Moment::kCallback);
    ++called;
    return Py_NewRef(Py_None);
}
PyMethodDef callback_def = {"call", call, METH_O, nullptr};

std::atomic<int> full_cycles{0};

void hear(const OuroEvent* event, void*) {
    full_cycles += event->phase == OURO_PHASE_CYCLE && event->generation == 2 ? 1 : 0;
}

// A new ring (a reference to the first), or nullptr with what there was of it dropped.
PyObject* try_ring(Fate* fate, PyTypeObject* type) {
    PyObject* first = nullptr;
    PyObject* last = nullptr;
    for (int i = 0; i < kRing; ++i) {
        PyObject* op = new_thing(fate, type);
        if (op == nullptr) {
            require(PyErr_ExceptionMatches(PyExc_MemoryError) == 1, "not a MemoryError");
            PyErr_Clear();
            Py_XDECREF(first);
            return nullptr;
        }
        if (first == nullptr) {
            first = op;
        } else {
            refer(last, 0, op);
            Py_DECREF(op);
        }
        last = op;
    }
    refer(last, 0, first);
    return first;
}

// Allocates until a full collection has ended that began by itself, or is given up.
void let_one_come(Fate* fate) {
    const auto is_over = [] {
        return full_cycles.load() > 0 || (now.sleeps && shared_flags->limited.load());
    };
    for (int i = 0; i < kAttempts && !is_over(); ++i) {
        if (PyObject* ring = try_ring(fate, &ThingType)) {
            Py_DECREF(ring);
        } else {
            require(Py_MakePendingCalls() == 0, "a pending call failed");
        }
    }
}

// The threads of a parallel engine come when there is work for them, and stay.
void start_workers(const char* runtime) {
    const size_t threads = std::strstr(runtime, "workers=3") != nullptr ? 3 : 1;
    do {
        PyGC_Collect();
    } while (status_of("Threads:") < threads);
}

void run_case(const char* runtime) {
    const std::string settings = settings_for(runtime, "verify=off,generations=off");
    require(Ouro_Configure(settings.c_str(), nullptr) == 0, "bad settings");
    Py_Initialize();
    for (PyTypeObject* type : {&ThingType, &FinalThingType, &ProbeType}) {
        require(PyType_Ready(type) == 0, "a type is not ready");
    }
    Ouro_SetUnraisableHook([](PyObject*, PyObject*, PyObject*, void*) {}, nullptr);
    Ouro_AddListener(hear, nullptr);
    record.on_finalize = finalize;
    PyObject* callback = PyCFunction_New(&callback_def, nullptr);
    PyGC_Collect();
    const size_t tracked = tracked_objects();
    PyGC_Disable();

    Fate live_fate, fate;
    std::vector<PyObject*> live, garbage, watches;
    for (int i = 0; i < kLiveRings; ++i) {
        live.push_back(try_ring(&live_fate, &ThingType));
        PyObject* list = PyList_New(0);
        PyList_Append(list, live.back());
        refer(live.back(), 1, list);
        Py_DECREF(list);
    }
    for (int i = 0; i < kRings; ++i) {
        PyObject* ring = try_ring(&fate, i % 4 == 0 ? &FinalThingType : &ProbeType);
        if (i % 8 == 0) {
            watches.push_back(PyWeakref_NewRef(ring, callback));
        }
        PyObject* dict = PyDict_New();
        PyDict_SetItem(dict, Py_None, ring);
        refer(ring, 1, dict);
        Py_DECREF(dict);
        garbage.push_back(ring);
    }
    PyGC_Enable();
    start_workers(runtime);
    for (PyObject* ring : garbage) {
        Py_DECREF(ring);
    }
    // Where a child process comes to the moment.
    std::thread limiter([] {
        while (!shared_flags->over.load()) {
            if (shared_flags->wanted.load() && !shared_flags->limited.load()) {
                tighten();
            }
            usleep(50);
        }
    });

    full_cycles = 0;
    armed = true;
    come_to(Moment::kBefore);
    if (now.automatic) {
        let_one_come(&fate);
    }
    PyGC_Collect();
    Ouro_CollectGeneration(0);
    for (int i = 0; i < 100; ++i) {
        if (PyObject* ring = try_ring(&fate, &ProbeType)) {
            Py_DECREF(ring);
        }
    }
    PyGC_Collect();
    shared_flags->over = true;
    limiter.join();
    require(shared_flags->limited.load(), "the moment never came");
    lift();
    armed = false;

    for (int i = 0; i < 2; ++i) {
        PyGC_Collect();
        for (auto& each : revived) {
            if (PyObject* op = each.exchange(nullptr)) {
                require(is_whole(op), "what was revived is dead");
                Py_DECREF(op);
            }
        }
    }
    PyGC_Collect();
    require(PyErr_Occurred() == nullptr, "an exception is set");
    require(record.live.load() == kLiveRings * kRing, "not all garbage was found");
    require(fate.finalized.load() == kRings / 4 * kRing, "not each finalizer ran once");
    require(live_fate.died.load() == 0, "something alive died");
    for (PyObject* first : live) {
        PyObject* op = first;
        for (int i = 0; i < kRing; ++i) {
            require(op != nullptr && is_whole(op) && PyObject_GC_IsTracked(op), "not whole");
            op = thing(op)->slots[0];
        }
        require(op == first, "a ring is cut");
        PyObject* list = thing(first)->slots[1];
        require(PyList_Size(list) == 1 && PyList_GetItem(list, 0) == first, "a list is cut");
    }
    for (PyObject* watch : watches) {
        require(PyWeakref_IsDead(watch) == 1, "a weak reference is not dead");
        Py_DECREF(watch);
    }
    require(called.load() <= static_cast<long>(watches.size()), "a callback was called twice");
    for (PyObject* op : live) {
        Py_DECREF(op);
    }
    PyGC_Collect();
    require(record.live.load() == 0, "cells are left");
    require(tracked_objects() == tracked, "tracked objects are left");
    Py_DECREF(callback);
    require(Py_FinalizeEx() == 0, "the runtime does not end");
}

class Limits : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        GTEST_SKIP() << "a sanitizer ends a program without memory";
#endif
        shared_flags = static_cast<Shared*>(mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    }
    void TearDown() override {
        if (shared_flags != nullptr) {
            munmap(shared_flags, sizeof(Shared));
        }
    }

    static void expect_survived(const LimitCase& each) {
        SCOPED_TRACE(std::string(kNames[static_cast<size_t>(each.moment)]) +
                     (each.resource == RLIMIT_AS ? ", RLIMIT_AS" : ", RLIMIT_DATA") + " and " +
                     std::to_string(each.slack) + (each.automatic ? ", automatic" : ", asked for"));
        new (shared_flags) Shared;
        const pid_t child = fork();
        if (child == 0) {
            alarm(60);
            of = getpid();
            now = each;
            const bool had_failed = HasFailure();
            run_case(GetParam());
            _exit(HasFailure() && !had_failed ? 2 : 0);
        }
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_FALSE(WIFSIGNALED(status)) << "signal " << WTERMSIG(status);
        EXPECT_EQ(WEXITSTATUS(status), 0);
    }
};

TEST_P(Limits, InTheMiddleOfACollection) {
    for (const Moment moment : kMoments) {
        for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
            for (const size_t slack : {size_t{0}, size_t{256} << 10}) {
                for (const bool automatic : {false, true}) {
                    expect_survived({moment, resource, slack, automatic, false});
                }
            }
        }
    }
}

// Whoever asks for a collection meanwhile looks at what that finalizer does.
TEST_P(Limits, WhileAFinalizerSleeps) {
    for (const bool automatic : {false, true}) {
        expect_survived({Moment::kFinalize, RLIMIT_AS, 0, automatic, true});
    }
}

INSTANTIATE_TEST_SUITE_P(Engines, Limits, every_engine(), runtime_name);

}  // namespace
}  // namespace ouro::test
