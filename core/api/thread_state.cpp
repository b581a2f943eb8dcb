// Thread states: the documented functions, and what they refuse.
#include <array>
#include <mutex>
#include <utility>

#include "core/api/interpreter_dict.hpp"
#include "core/api/pending_calls.hpp"
#include "core/include/Python.h"
#include "core/mutator/allocation_trigger.hpp"
#include "core/mutator/misuse.hpp"
#include "core/mutator/world.hpp"

using namespace ouro;
using mutator::current;
using mutator::name_of;
using mutator::refuse;
using mutator::require_attached;

struct _is {};

namespace {

_is interpreter;
PyObject* interpreter_dict;  // or none yet

// The state that PyGILState_Ensure uses for the calling thread. Another thread may have freed it, and
// its memory may be another state's by now: the number tells.
struct Remembered {
    PyThreadState* state;
    uint64_t id;
};
constinit thread_local Remembered remembered{};

void require_initialised(const char* function) {
    if (mutator::runtime_number() == 0) [[unlikely]] {
        refuse(function, "the runtime must be initialised: call Py_Initialize first");
    }
}

void require_state(const char* function, const PyThreadState* state) {
    if (state == nullptr) [[unlikely]] {
        refuse(function, "the thread state must not be NULL");
    }
}

void remember(PyThreadState* state) {
    remembered = {state, state->id};
}

// What the calling thread remembers, if another has not deleted it, nor its runtime has been finalized.
PyThreadState* own_state() {
    if (remembered.state != nullptr && remembered.state != current &&
        (!mutator::exists(remembered.state, remembered.id) ||
         remembered.state->runtime != mutator::runtime_number())) {
        remembered = {};
    }
    return remembered.state;
}

void attach(const char* function, PyThreadState* state) {
    if (mutator::attach(state) != mutator::Error::kNone) {
        refuse(function,
               name_of(state) + " is attached to another thread; it may be attached to one");
    }
    if (remembered.id != state->id && own_state() == nullptr) {
        remember(state);
    }
}

void forget(const PyThreadState* state) {
    if (remembered.id == state->id) {
        remembered = {};
    }
}

}  // namespace

PyInterpreterState* PyInterpreterState_Main(void) {
    return &interpreter;
}

PyInterpreterState* PyInterpreterState_Get(void) {
    require_attached("PyInterpreterState_Get");
    return &interpreter;
}

PyInterpreterState* PyThreadState_GetInterpreter(PyThreadState* state) {
    require_state("PyThreadState_GetInterpreter", state);
    return &interpreter;
}

uint64_t PyThreadState_GetID(PyThreadState* state) {
    require_state("PyThreadState_GetID", state);
    return state->id;
}

PyThreadState* PyThreadState_New(PyInterpreterState*) {
    require_initialised("PyThreadState_New");
    return mutator::make();
}

void PyThreadState_Clear(PyThreadState* state) {
    require_state("PyThreadState_Clear", state);
    require_attached("PyThreadState_Clear");
    if (state != current && state->thread->state() == thread::State::kAttached) {
        refuse("PyThreadState_Clear", name_of(state) + " is attached to another thread");
    }
    mutator::drop_held(state);
    state->was_used = false;
}

PyObject* PyThreadState_GetDict(void) {
    PyThreadState* state = current;
    if (state == nullptr) {
        return nullptr;
    }
    if (state->dict == nullptr) {
        state->dict = PyDict_New();
        if (state->dict == nullptr) {
            PyErr_Clear();
        }
    }
    return state->dict;
}

PyObject* PyInterpreterState_GetDict(PyInterpreterState*) {
    // Of all threads: whoever is first.
    PyObject* known = __atomic_load_n(&interpreter_dict, __ATOMIC_ACQUIRE);
    if (known != nullptr) {
        return known;
    }
    PyObject* made = PyDict_New();
    if (made == nullptr) {
        PyErr_Clear();
        return nullptr;
    }
    // acq_rel: who finds it sees it whole.
    if (!__atomic_compare_exchange_n(&interpreter_dict, &known, made, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        Py_DECREF(made);
        return known;
    }
    return made;
}

void api::drop_interpreter_dict() {
    Py_CLEAR(interpreter_dict);
}

namespace {

void require_deletable(const char* function, const PyThreadState* state) {
    if (state->section != nullptr) {
        refuse(function, name_of(state) + " is inside a critical section");
    }
    if (state->was_used) {
        refuse(function, name_of(state) + " must be cleared first: PyThreadState_Clear");
    }
}

}  // namespace

void PyThreadState_Delete(PyThreadState* state) {
    require_state("PyThreadState_Delete", state);
    if (state == current || state->thread->state() == thread::State::kAttached) {
        refuse("PyThreadState_Delete", name_of(state) + " is attached; only a detached one can be "
                                                        "deleted");
    }
    require_deletable("PyThreadState_Delete", state);
    forget(state);
    mutator::destroy(state);
}

void PyThreadState_DeleteCurrent(void) {
    require_attached("PyThreadState_DeleteCurrent");
    PyThreadState* state = current;
    require_deletable("PyThreadState_DeleteCurrent", state);
    forget(state);
    mutator::detach();
    mutator::destroy(state);
}

PyThreadState* PyThreadState_Get(void) {
    require_attached("PyThreadState_Get");
    return current;
}

PyThreadState* PyThreadState_GetUnchecked(void) {
    return current;
}

PyThreadState* PyThreadState_Swap(PyThreadState* state) {
    PyThreadState* before = current;
    if (before == state) {
        return before;
    }
    if (before != nullptr) {
        mutator::detach();
    }
    if (state != nullptr) {
        attach("PyThreadState_Swap", state);
    }
    return before;
}

PyThreadState* PyEval_SaveThread(void) {
    require_attached("PyEval_SaveThread");
    PyThreadState* state = current;
    mutator::detach();
    return state;
}

void PyEval_RestoreThread(PyThreadState* state) {
    require_state("PyEval_RestoreThread", state);
    if (current != nullptr) {
        refuse("PyEval_RestoreThread",
               name_of(current) + " is attached to the calling thread already");
    }
    attach("PyEval_RestoreThread", state);
}

void PyEval_AcquireThread(PyThreadState* state) {
    require_state("PyEval_AcquireThread", state);
    if (current != nullptr) {
        refuse("PyEval_AcquireThread",
               name_of(current) + " is attached to the calling thread already");
    }
    attach("PyEval_AcquireThread", state);
}

void PyEval_ReleaseThread(PyThreadState* state) {
    require_state("PyEval_ReleaseThread", state);
    if (state != current) {
        refuse("PyEval_ReleaseThread",
               name_of(state) + " is not the calling thread's, which has " + name_of(current));
    }
    mutator::detach();
}

PyGILState_STATE PyGILState_Ensure(void) {
    require_initialised("PyGILState_Ensure");
    if (current != nullptr) {
        ++current->ensured;
        return PyGILState_LOCKED;
    }
    PyThreadState* state = own_state();
    if (state == nullptr) {
        state = mutator::make();
        if (state == nullptr) {
            refuse("PyGILState_Ensure",
                   "no thread state can be made: out of memory or of owner indexes");
        }
        state->made_by_ensure = true;
        remember(state);
    }
    ++state->ensured;
    attach("PyGILState_Ensure", state);
    return PyGILState_UNLOCKED;
}

void PyGILState_Release(PyGILState_STATE before) {
    PyThreadState* state = current;
    if (state == nullptr) {
        refuse("PyGILState_Release",
               "nothing is held: no thread state is attached to the calling thread");
    }
    if (state->ensured == 0) {
        refuse("PyGILState_Release", name_of(state) + " was released more often than ensured");
    }
    --state->ensured;
    if (state->ensured == 0 && state->made_by_ensure) {
        PyThreadState_Clear(state);
        PyThreadState_DeleteCurrent();
    } else if (before == PyGILState_UNLOCKED) {
        mutator::detach();
    }
}

PyThreadState* PyGILState_GetThisThreadState(void) {
    return own_state();
}

int PyGILState_Check(void) {
    return current != nullptr;
}

// Pending calls, a queue of the process's.

namespace {

struct PendingCall {
    int (*function)(void*);
    void* arg;
};
std::mutex pending_mutex;
std::array<PendingCall, 32> pending;  // a ring
size_t pending_first = 0;
size_t pending_count = 0;

bool take_pending(PendingCall* call) {
    const std::lock_guard guard(pending_mutex);
    if (pending_count == 0) {
        return false;
    }
    *call = pending[pending_first];
    pending_first = (pending_first + 1) % pending.size();
    --pending_count;
    return true;
}

}  // namespace

void ouro::api::finish_pending_calls() {
    size_t left = pending.size();
    for (PendingCall call; left > 0 && take_pending(&call); --left) {
        if (call.function(call.arg) < 0) {
            PyErr_WriteUnraisable(nullptr);
        }
    }
    const std::lock_guard guard(pending_mutex);
    pending_count = 0;
}

void ouro::api::lock_pending_calls() {
    pending_mutex.lock();
}

void ouro::api::unlock_pending_calls() {
    pending_mutex.unlock();
}

int Py_AddPendingCall(int (*function)(void*), void* arg) {
    const std::lock_guard guard(pending_mutex);
    if (pending_count == pending.size()) {
        return -1;
    }
    pending[(pending_first + pending_count) % pending.size()] = {function, arg};
    ++pending_count;
    return 0;
}

int Py_MakePendingCalls(void) {
    require_attached("Py_MakePendingCalls");
    mutator::safepoint();
    mutator::call_if_due();
    if (!mutator::is_main_thread()) {
        return 0;
    }
    // Those that are there now: what they add waits for the next time.
    size_t left;
    {
        const std::lock_guard guard(pending_mutex);
        left = pending_count;
    }
    for (PendingCall call; left > 0 && take_pending(&call); --left) {
        if (call.function(call.arg) < 0) {
            return -1;
        }
    }
    return 0;
}
