#include "tests/soak/objects.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>

#include "tests/soak/tally.hpp"

namespace ouro::soak {

test::RevivedList revived_list;
bool exit_from_finalizer = false;

namespace {

using std::chrono::milliseconds;

constexpr uint64_t kCookie = 0xC00C'1EC0'0C1E'C00C;

std::atomic<uint64_t> next_id{1};
thread_local std::mt19937_64 finalizer_random{std::random_device{}()};

int node_traverse(PyObject* op, visitproc visit, void* arg) {
    for (PyObject* slot : node(op)->slots) {
        Py_VISIT(slot);
    }
    return 0;
}

int node_clear(PyObject* op) {
    for (PyObject*& slot : node(op)->slots) {
        Py_CLEAR(slot);
    }
    return 0;
}

void node_dealloc(PyObject* op) {
    if (PyObject_CallFinalizerFromDealloc(op) < 0) {
        return;
    }
    PyObject_GC_UnTrack(op);
    PyObject_ClearWeakRefs(op);
    node_clear(op);
    tally.lost += node(op)->cookie != kCookie ? 1 : 0;
    node(op)->cookie = 0;
    ++tally.died;
    Py_TYPE(op)->tp_free(op);
}

void fork_in_finalizer() {
    if (!options.forks) {
        return;
    }
    ++tally.forks;
    const pid_t pid = fork();
    if (pid == 0) {
        Py_XDECREF(PyList_New(10));
        _exit(0);
    }
    wait_for_child(pid);
}

void node_finalize(PyObject* op) {
    PyObject* const saved = PyErr_GetRaisedException();
    tally.lost += node(op)->cookie != kCookie ? 1 : 0;
    ++tally.finalized;
    if (exit_from_finalizer) {
        std::exit(kExitStatus);
    }
    switch (finalizer_random() % 4096) {
        case 0:  // blocks, as one that waits for the disk
            std::this_thread::sleep_for(milliseconds(2));
            break;
        case 1: {  // the same, and lets others run
            PyThreadState* const state = PyEval_SaveThread();
            std::this_thread::sleep_for(milliseconds(2));
            PyEval_RestoreThread(state);
            break;
        }
        case 2:
            fork_in_finalizer();
            break;
        case 3:
            check_call(PyGC_Collect() < 0);
            break;
        default:
            break;
    }
    switch (finalizer_random() % 16) {
        case 0:
            PyErr_SetString(PyExc_ValueError, "from a finalizer");
            PyErr_WriteUnraisable(op);
            break;
        case 1:
            if (PyObject* list = revived_list.get()) {
                if (!check_call(PyList_Append(list, op) != 0)) {
                    ++tally.revived;
                }
                Py_DECREF(list);
            }
            break;
        case 2: {  // garbage of its own
            PyObject* list = PyList_New(0);
            if (!check_call(list == nullptr)) {
                check_call(PyList_Append(list, list) != 0);
                Py_DECREF(list);
            }
            break;
        }
        default:
            break;
    }
    PyErr_SetRaisedException(saved);
}

}  // namespace

PyTypeObject NodeType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "soak.Node",
    .tp_basicsize = sizeof(Node),
    .tp_dealloc = node_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
                OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_traverse = node_traverse,
    .tp_clear = node_clear,
    .tp_weaklistoffset = offsetof(Node, weak_references),
};

PyTypeObject PlainNodeType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "soak.PlainNode",
    .tp_basicsize = sizeof(Node),
    .tp_dealloc = node_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = node_traverse,
    .tp_clear = node_clear,
    .tp_weaklistoffset = offsetof(Node, weak_references),
};

PyTypeObject FinalNodeType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "soak.FinalNode",
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_base = &NodeType,
    .tp_finalize = node_finalize,
};

bool is_node(PyObject* op) {
    return Py_IS_TYPE(op, &NodeType) || Py_IS_TYPE(op, &PlainNodeType) ||
           Py_IS_TYPE(op, &FinalNodeType);
}

bool check_call(bool failed) {
    if (!failed) {
        return false;
    }
    PyObject* const exception = PyErr_Occurred();
    const bool memory =
        exception != nullptr && PyErr_GivenExceptionMatches(exception, PyExc_MemoryError) != 0;
    ++(memory ? tally.refused : tally.strange);
    PyErr_Clear();
    return true;
}

PyObject* make_node(PyTypeObject* type) {
    PyObject* op = PyType_GenericAlloc(type, 0);
    if (check_call(op == nullptr)) {
        return nullptr;
    }
    node(op)->cookie = kCookie;
    node(op)->id = next_id.fetch_add(1, std::memory_order_relaxed);
    ++tally.made;
    return op;
}

void link(PyObject* from, size_t slot, PyObject* to) {
    node(from)->ids[slot] = node(to)->id;
    Py_XSETREF(node(from)->slots[slot], Py_NewRef(to));
}

void check_whole(PyObject* op) {
    if (op == nullptr || !is_node(op)) {
        return;
    }
    tally.lost += node(op)->cookie != kCookie ? 1 : 0;
    for (size_t i = 0; i < 2; ++i) {
        const PyObject* const target = node(op)->slots[i];
        if (target != nullptr) {
            const Node* const other = reinterpret_cast<const Node*>(target);
            tally.lost += other->cookie != kCookie || other->id != node(op)->ids[i] ? 1 : 0;
        }
    }
}

bool ready_types() {
    for (PyTypeObject* type : {&NodeType, &PlainNodeType, &FinalNodeType}) {
        if (PyType_Ready(type) < 0) {
            return false;
        }
    }
    return true;
}

void wait_for_child(int pid, int other) {
    if (pid < 0) {
        ++tally.refused_forks;
        return;
    }
    int status = -1;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != other)) {
        ++tally.bad_children;
        std::fprintf(stderr, "soak: the child %d ended with status %#x\n", pid,
                     static_cast<unsigned>(status));
    }
}

}  // namespace ouro::soak
