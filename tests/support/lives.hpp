// What threads of a program do for ever: every state that a thread of the runtime's can be in.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "tests/support/attached.hpp"
#include "tests/support/rings.hpp"

namespace ouro::test {

// What a thread does for ever, once it is attached with a state of its own. Nothing of it ends before the runtime does.
using Life = void (*)();

// What they share.
struct WorldOfLives {
    std::atomic<int> begun{0};
    PyMutex contended{};
    PyMutex other{};
    PyObject* shared = nullptr;
};
inline WorldOfLives& world_of_lives() {
    static WorldOfLives only;
    return only;
}

// Now and then with a pause: while a finalizer has no end nothing is collected, and the heap may not outgrow the
// test meanwhile.
inline void live_ring(size_t size, PyTypeObject* type = &LinkType) {
    static thread_local unsigned count = 0;
    drop_ring(size, type);
    if (++count % 16 == 0) {
        Py_BEGIN_ALLOW_THREADS
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        Py_END_ALLOW_THREADS
    }
}

inline void allocate() {
    for (;;) {
        live_ring(4);
    }
}

inline void collect() {
    for (;;) {
        live_ring(3);
        PyGC_Collect();
    }
}

// A finalizer that others, too, wait for.
inline void finalize_slowly() {
    for (;;) {
        live_ring(2, &SlowLinkType);
        PyGC_Collect();
    }
}

// And one that never comes back.
inline void finalize_for_ever() {
    live_ring(2, &EndlessLinkType);
    PyGC_Collect();
    allocate();
}

inline void stay_in_sections() {
    for (;;) {
        PyCriticalSection2 section;
        PyCriticalSection2_BeginMutex(&section, &world_of_lives().contended,
                                      &world_of_lives().other);
        live_ring(2);
        PyCriticalSection inner;
        PyCriticalSection_Begin(&inner, world_of_lives().shared);
        live_ring(2);
        PyCriticalSection_End(&inner);
        PyCriticalSection2_End(&section);
    }
}

inline void come_and_go() {
    for (;;) {
        Py_BEGIN_ALLOW_THREADS
        std::this_thread::yield();
        Py_END_ALLOW_THREADS
        live_ring(2);
    }
}

inline void make_states() {
    for (;;) {
        PyThreadState* made = PyThreadState_New(PyInterpreterState_Main());
        PyThreadState* mine = PyThreadState_Swap(made);
        live_ring(2);
        PyThreadState_Swap(mine);
        PyThreadState_Clear(made);
        PyThreadState_Delete(made);
    }
}

inline void sleep_outside() {
    for (;;) {
        Py_BEGIN_ALLOW_THREADS
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        Py_END_ALLOW_THREADS
    }
}

inline constexpr std::array<Life, 8> kLives = {allocate,          collect,          finalize_slowly,
                                               finalize_for_ever, stay_in_sections, come_and_go,
                                               make_states,       sleep_outside};

inline void live(Life life) {
    std::thread([life] {
        PyGILState_Ensure();
        ++world_of_lives().begun;
        life();
        std::_Exit(3);  // it came back
    }).detach();
}

// So many threads, each at what it does, other ones in another round. The calling thread is attached.
inline void begin_lives(unsigned threads, unsigned round) {
    for (PyTypeObject* type : {&LinkType, &SlowLinkType, &EndlessLinkType}) {
        if (PyType_Ready(type) != 0) {
            std::_Exit(5);
        }
    }
    WorldOfLives& world = world_of_lives();
    world.contended = {};
    world.other = {};
    world.shared = PyList_New(0);
    world.begun = 0;
    for (unsigned i = 0; i < threads; ++i) {
        live(kLives[(round * 3 + i) % kLives.size()]);
    }
    const Detached outside;
    wait_until([&] { return world.begun == static_cast<int>(threads); });
}

}  // namespace ouro::test
