// The instrumented object of these tests: a container that can be weakly referenced, and whose finalizer, clear,
// deallocation and traversal are recorded, or counted where several threads make many of it, and can be extended by
// a test. Callbacks of weak references. The fixture starts the runtime anew for each way to run it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/include/ouroboros.h"
#include "tests/support/runtimes.hpp"
#include "tests/support/tracked_objects.hpp"

namespace ouro::test {

inline constexpr size_t kSlots = 3;

// What happened to some things, on any thread.
struct Fate {
    std::atomic<long> finalized{0};
    std::atomic<long> died{0};
};
inline constexpr Fate* kUncounted = nullptr;

// Holds up to kSlots references and can be weakly referenced. The record knows it by its id, or its fate counts it.
// A cookie tells whether it is alive.
struct Thing {
    PyObject ob_base;
    PyObject* slots[kSlots];
    PyObject* weak_references;
    Fate* fate;  // of one that is not recorded; may be kUncounted
    std::atomic<uint64_t> cookie;
    int id;
    bool recorded;
};
inline constexpr uint64_t kCookie = 0xA11'7E5'C0FFEE;

// What is called with a weak reference; keeps `held` alive.
struct Callback {
    PyObject ob_base;
    std::function<void(PyObject*)>* action;
    PyObject* held;
    int id;
};

enum class Call { kFinalize, kClear, kDealloc, kCallback };

struct Unraisable {
    std::string type, message;
    PyObject* where;  // an address, not a reference
};

// What the runtime called, in order, and what a test wants to happen then. Any thread adds to it, and may count;
// the vectors are read while the runtime calls nothing. What is to happen is set while no other thread runs.
class Record {
public:
    struct Entry {
        Call call;
        int id;
        bool operator==(const Entry&) const = default;
    };
    std::vector<Entry> calls;
    std::vector<Unraisable> unraisable;
    std::vector<OuroEvent> cycles;
    std::function<void(Thing*)> on_finalize;
    std::function<bool(Thing*)> on_clear;     // false: tp_clear drops nothing
    std::function<void(Thing*)> on_dealloc;   // the fields are still whole
    std::function<void(Thing*)> on_traverse;  // of an ObservedType
    std::atomic<long> live{0};                // things and callbacks

    void note(Call call, int id) {
        const std::lock_guard lock(noting_);
        calls.push_back({call, id});
    }
    void note_cycle(const OuroEvent& cycle) {
        const std::lock_guard lock(noting_);
        cycles.push_back(cycle);
    }
    void note_unraisable(Unraisable error) {
        const std::lock_guard lock(noting_);
        unraisable.push_back(std::move(error));
    }
    void clear() {
        calls.clear();
        unraisable.clear();
        cycles.clear();
        on_clear = nullptr;
        on_finalize = on_dealloc = on_traverse = nullptr;
        live = 0;
    }
    long count(Call call) const {
        const std::lock_guard lock(noting_);
        return std::ranges::count(calls, call, &Entry::call);
    }
    long count(Call call, int id) const {
        const std::lock_guard lock(noting_);
        return std::ranges::count(calls, Entry{call, id});
    }
    // The ids of all calls of a kind, in order.
    std::vector<int> ids(Call call) const {
        std::vector<int> found;
        for (const Entry& entry : calls) {
            if (entry.call == call) {
                found.push_back(entry.id);
            }
        }
        return found;
    }
    std::vector<unsigned> generations() const {
        std::vector<unsigned> all;
        for (const OuroEvent& cycle : cycles) {
            all.push_back(cycle.generation);
        }
        return all;
    }

private:
    mutable std::mutex noting_;
};
inline Record record;

inline Thing* thing(PyObject* op) {
    return reinterpret_cast<Thing*>(op);
}
inline PyObject* object(void* op) {
    return static_cast<PyObject*>(op);
}

inline int thing_traverse(PyObject* op, visitproc visit, void* arg) {
    for (PyObject*& slot : thing(op)->slots) {
        Py_VISIT(slot);
    }
    return 0;
}

inline void drop_slots(PyObject* op) {
    for (PyObject*& slot : thing(op)->slots) {
        Py_CLEAR(slot);
    }
}

inline int thing_clear(PyObject* op) {
    if (thing(op)->recorded) {
        record.note(Call::kClear, thing(op)->id);
    }
    if (!record.on_clear || record.on_clear(thing(op))) {
        drop_slots(op);
    }
    return PyErr_Occurred() == nullptr ? 0 : -1;
}

inline void thing_finalize(PyObject* op) {
    Thing* self = thing(op);
    if (self->recorded) {
        record.note(Call::kFinalize, self->id);
    } else if (self->fate != kUncounted) {
        ++self->fate->finalized;
    }
    if (record.on_finalize) {
        record.on_finalize(self);
    }
}

inline void thing_dealloc(PyObject* op) {
    if (PyObject_CallFinalizerFromDealloc(op) < 0) {
        return;
    }
    PyObject_GC_UnTrack(op);
    PyObject_ClearWeakRefs(op);
    Thing* self = thing(op);
    EXPECT_EQ(self->cookie.exchange(0), kCookie) << "a thing died twice";
    if (self->recorded) {
        record.note(Call::kDealloc, self->id);
    } else if (self->fate != kUncounted) {
        ++self->fate->died;
    }
    if (record.on_dealloc) {
        record.on_dealloc(self);
    }
    drop_slots(op);
    --record.live;
    Py_TYPE(op)->tp_free(op);
}

inline PyTypeObject ThingType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Thing",
    .tp_basicsize = sizeof(Thing),
    .tp_dealloc = thing_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
                OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_traverse = thing_traverse,
    .tp_clear = thing_clear,
    .tp_weaklistoffset = offsetof(Thing, weak_references),
};

// A thing with a finalizer; the rest is inherited.
inline PyTypeObject FinalThingType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.FinalThing",
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_base = &ThingType,
    .tp_finalize = thing_finalize,
};

// For a type whose things are equal if their ids are.
inline PyObject* id_compare(PyObject* a, PyObject* b, int operation) {
    if ((operation != Py_EQ && operation != Py_NE) || !PyObject_TypeCheck(b, &ThingType)) {
        return Py_NewRef(Py_NotImplemented);
    }
    return PyBool_FromLong((thing(a)->id == thing(b)->id) == (operation == Py_EQ));
}

inline int observed_traverse(PyObject* op, visitproc visit, void* arg) {
    if (record.on_traverse) {
        record.on_traverse(thing(op));
    }
    return thing_traverse(op, visit, arg);
}

// A thing with a finalizer whose traversals can be looked at: they never run concurrently with the program.
inline PyTypeObject ObservedType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Observed",
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = observed_traverse,
    .tp_clear = thing_clear,
    .tp_base = &ThingType,
    .tp_finalize = thing_finalize,
};

inline Callback* callback(PyObject* op) {
    return reinterpret_cast<Callback*>(op);
}

inline int callback_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(callback(op)->held);
    return 0;
}

inline int callback_clear(PyObject* op) {
    Py_CLEAR(callback(op)->held);
    return 0;
}

inline void callback_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    callback_clear(op);
    delete callback(op)->action;
    --record.live;
    Py_TYPE(op)->tp_free(op);
}

inline PyObject* callback_call(PyObject* op, PyObject* args, PyObject*) {
    record.note(Call::kCallback, callback(op)->id);
    if (callback(op)->action != nullptr) {
        (*callback(op)->action)(PyTuple_GetItem(args, 0));
    }
    return PyErr_Occurred() != nullptr ? nullptr : Py_NewRef(Py_None);
}

inline PyTypeObject CallbackType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Callback",
    .tp_basicsize = sizeof(Callback),
    .tp_dealloc = callback_dealloc,
    .tp_call = callback_call,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_traverse = callback_traverse,
    .tp_clear = callback_clear,
};

// Makes a recorded thing of new memory, whose references are as allocation left them. Returns it.
inline PyObject* begin_thing(PyObject* op, int id = 0) {
    thing(op)->fate = kUncounted;
    thing(op)->cookie.store(kCookie);
    thing(op)->id = id;
    thing(op)->recorded = true;
    ++record.live;
    return op;
}

// A new thing, tracked, whose calls are recorded (new reference).
inline PyObject* new_thing(int id = 0, PyTypeObject* type = &ThingType) {
    return begin_thing(type->tp_alloc(type, 0), id);
}

// One that is counted, or not even that (new reference, or nullptr with an exception).
inline PyObject* new_thing(Fate* fate, PyTypeObject* type = &ThingType) {
    PyObject* op = type->tp_alloc(type, 0);
    if (op != nullptr) {
        thing(op)->fate = fate;
        thing(op)->cookie.store(kCookie);
        ++record.live;
    }
    return op;
}

inline bool is_whole(PyObject* op) {
    return thing(op)->cookie.load() == kCookie;
}

// A callable that calls `action` with what it is called with (new reference).
inline PyObject* new_callback(int id = 0, std::function<void(PyObject*)> action = {}) {
    PyObject* op = CallbackType.tp_alloc(&CallbackType, 0);
    callback(op)->id = id;
    if (action) {
        callback(op)->action = new std::function<void(PyObject*)>(std::move(action));
    }
    ++record.live;
    return op;
}

// Lets `from` refer to `to`, which may be NULL; drops what the slot held. Does not steal.
inline void refer(PyObject* from, size_t slot, PyObject* to) {
    Py_XSETREF(thing(from)->slots[slot], Py_XNewRef(to));
}

// Things with ids first, first + 1, ...: each refers to the next in slot 0, the last to the first.
// A reference to each is the caller's.
inline std::vector<PyObject*> ring(int size, PyTypeObject* type = &ThingType, int first = 0) {
    std::vector<PyObject*> things;
    for (int i = 0; i < size; ++i) {
        things.push_back(new_thing(first + i, type));
    }
    for (size_t i = 0; i < things.size(); ++i) {
        refer(things[i], 0, things[(i + 1) % things.size()]);
    }
    return things;
}

inline void drop(const std::vector<PyObject*>& objects) {
    for (PyObject* op : objects) {
        Py_DECREF(op);
    }
}

inline void drop_ring(int size, PyTypeObject* type = &ThingType, int first = 0) {
    drop(ring(size, type, first));
}

// Counted things that refer to each other in a ring; a reference to the first (new).
inline PyObject* thing_ring(int size, Fate* fate, PyTypeObject* type = &ThingType) {
    PyObject* first = new_thing(fate, type);
    PyObject* last = first;
    for (int i = 1; i < size; ++i) {
        PyObject* next = new_thing(fate, type);
        refer(last, 0, next);
        Py_DECREF(next);
        last = next;
    }
    refer(last, 0, first);
    return first;
}

// A weak reference with a callback of that id that does `action` (new reference, which alone keeps
// the callback).
inline PyObject* watched(PyObject* op, int id, std::function<void(PyObject*)> action = {}) {
    PyObject* call = new_callback(id, std::move(action));
    PyObject* reference = PyWeakref_NewRef(op, call);
    Py_DECREF(call);
    return reference;
}

inline bool is_dead(PyObject* reference) {
    PyObject* op = Py_None;
    const int alive = PyWeakref_GetRef(reference, &op);
    EXPECT_EQ(alive == 1, op != nullptr);
    EXPECT_EQ(PyWeakref_IsDead(reference), alive == 0);
    Py_XDECREF(op);
    return alive == 0;
}

// What an exception says: its argument if that is one str, which needs no memory, else what str() says.
inline std::string message_of(PyObject* exception) {
    PyObject* args = PyException_GetArgs(exception);
    const Py_ssize_t size = PyTuple_Size(args);
    PyObject* text = size == 0 ? nullptr
                     : size == 1 && PyUnicode_Check(PyTuple_GetItem(args, 0))
                         ? Py_NewRef(PyTuple_GetItem(args, 0))
                         : PyObject_Str(exception);
    EXPECT_EQ(text == nullptr, size == 0);
    std::string message = text == nullptr ? "" : PyUnicode_AsUTF8(text);
    Py_XDECREF(text);
    Py_DECREF(args);
    return message;
}

// Takes the exception that is set: its class's name and its message ("" if it has none).
inline Unraisable take_error() {
    Unraisable error{"", "", nullptr};
    if (PyObject* exception = PyErr_GetRaisedException()) {
        error.type = Py_TYPE(exception)->tp_name;
        error.message = message_of(exception);
        Py_DECREF(exception);
    }
    return error;
}

inline void expect_raised(PyObject* type, testing::Matcher<std::string> message = testing::_) {
    ASSERT_NE(PyErr_Occurred(), nullptr) << "no exception is set";
    const Unraisable error = take_error();
    EXPECT_EQ(error.type, reinterpret_cast<PyTypeObject*>(type)->tp_name);
    EXPECT_THAT(error.message, message);
}

inline void note_unraisable(PyObject* type, PyObject* value, PyObject* op, void*) {
    EXPECT_EQ(PyExceptionInstance_Class(value), type);
    record.note_unraisable({Py_TYPE(value)->tp_name, message_of(value), op});
}

// The unraisable exceptions so far as "class: message"; forgets them.
inline std::vector<std::string> take_unraisable() {
    std::vector<std::string> all;
    for (const Unraisable& error : record.unraisable) {
        all.push_back(error.type + ": " + error.message);
    }
    record.unraisable.clear();
    return all;
}

inline void note_cycle(const OuroEvent* event, void*) {
    if (event->phase == OURO_PHASE_CYCLE) {
        record.note_cycle(*event);
    }
}

// Starts the runtime on the calling thread, with the record empty and the types ready. Collections
// that came before do not count towards the next automatic one.
inline void start_runtime(const std::string& settings) {
    const char* error = nullptr;
    ASSERT_EQ(Ouro_Configure(settings.c_str(), &error), 0) << error;
    Py_Initialize();
    record.clear();
    for (PyTypeObject* type : {&ThingType, &FinalThingType, &ObservedType, &CallbackType}) {
        ASSERT_EQ(PyType_Ready(type), 0);
    }
    ASSERT_NE(Ouro_Garbage(), nullptr);
    Ouro_SetUnraisableHook(note_unraisable, nullptr);
    PyGC_Collect();
    ASSERT_EQ(Ouro_AddListener(note_cycle, nullptr), 0);
}

// Nothing may be left: no thing, no exception, nothing that could not be raised.
inline void stop_runtime() {
    EXPECT_EQ(PyErr_Occurred(), nullptr) << "the test left an exception";
    PyErr_Clear();
    EXPECT_EQ(PyGC_Enable(), 1) << "the test left collection disabled";
    EXPECT_EQ(record.live, 0) << "the test left things";
    EXPECT_THAT(take_unraisable(), testing::IsEmpty());
    EXPECT_EQ(PyList_Size(Ouro_Garbage()), 0) << "the test left uncollectable objects";
    Ouro_RemoveListener(note_cycle, nullptr);
    Ouro_SetUnraisableHook(nullptr, nullptr);
    record.clear();
    Py_Finalize();
}

class Things : public testing::TestWithParam<const char*> {
protected:
    // Of runtimes whose own say nothing of them.
    virtual const char* settings() const { return "verify=on,generations=on"; }

    void SetUp() override {
        ASSERT_NO_FATAL_FAILURE(start_runtime(settings_for(GetParam(), settings())));
        tracked_before_ = tracked_objects();
    }

    void TearDown() override {
        EXPECT_EQ(tracked_objects(), tracked_before_) << "the test left tracked objects";
        stop_runtime();
    }

private:
    size_t tracked_before_ = 0;
};

}  // namespace ouro::test
