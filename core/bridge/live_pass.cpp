#include "core/bridge/live_pass.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/bridge/marks.hpp"

namespace ouro::bridge {
namespace {

// Of work, for an object that is traversed, and for one that is reached: its neighbours in the list are written to.
constexpr uint32_t kObjectUnits = 4;
constexpr uint32_t kReachedUnits = 4;
// Frames that are looked at, of all threads, and of each at least; what only deeper ones hold is left to the passes that
// count. A frame takes some 0.1 us, from 3.12 on 1 us.
constexpr Py_ssize_t kMostFrames = PY_VERSION_HEX < 0x030C0000 ? 500 : 100;
constexpr Py_ssize_t kLeastFrames = 2;
// CPython 3.12 freezes some hundred when it starts.
constexpr size_t kMostFrozen = 1000;

#if PY_VERSION_HEX < 0x030C0000
// As 3.11 lays out a frame, which shows what it holds in no other way without a change to it. Believed only where it says
// what CPython's own functions say.
struct InterpreterFrame {
    PyObject* function;
    PyObject* globals;
    PyObject* builtins;
    PyObject* locals;
    PyCodeObject* code;
    PyFrameObject* frame_object;
    InterpreterFrame* previous;
    void* instruction;
    int stack_top;
    bool is_entry;
    char owner;
    PyObject* variables[1];  // code->co_nlocalsplus of them
};
struct Frame {
    PyObject base;
    PyFrameObject* back;
    InterpreterFrame* frame;
};

void visit_variables(PyFrameObject* op, PyCodeObject* code, visitproc visit, void* arg) {
    const InterpreterFrame* frame = reinterpret_cast<Frame*>(op)->frame;
    if (frame == nullptr || frame->frame_object != op || frame->code != code) {
        return;
    }
    for (int i = 0; i < code->co_nlocalsplus; ++i) {
        if (frame->variables[i] != nullptr) {
            visit(frame->variables[i], arg);
        }
    }
}
#else
void visit_variables(PyFrameObject* op, PyCodeObject* code, visitproc visit, void* arg) {
    for (PyObject* names :
         {PyCode_GetVarnames(code), PyCode_GetCellvars(code), PyCode_GetFreevars(code)}) {
        for (Py_ssize_t i = 0; names != nullptr && i < PyTuple_GET_SIZE(names); ++i) {
            if (PyObject* value = PyFrame_GetVar(op, PyTuple_GET_ITEM(names, i))) {
                visit(value, arg);
                Py_DECREF(value);  // the frame has it
            }
            PyErr_Clear();  // it has no value now
        }
        Py_XDECREF(names);
    }
}
#endif

// Calls visit for what the variables of a frame and of those that called it are, and for their globals: outermost first,
// since what those hold lives longest.
void visit_frames(PyFrameObject* frame, Py_ssize_t most, visitproc visit, void* arg) {
    std::array<PyFrameObject*, size_t{kMostFrames}> frames;
    size_t count = 0;
    Py_INCREF(frame);
    for (; frame != nullptr && count < static_cast<size_t>(most); frame = PyFrame_GetBack(frame)) {
        frames[count++] = frame;
    }
    Py_XDECREF(frame);
    while (count != 0) {
        PyFrameObject* outermost = frames[--count];
        PyObject* globals = PyFrame_GetGlobals(outermost);
        visit(globals, arg);
        Py_DECREF(globals);
        PyCodeObject* code = PyFrame_GetCode(outermost);
        visit_variables(outermost, code, visit, arg);
        Py_DECREF(code);
        Py_DECREF(outermost);
    }
    PyErr_Clear();
}

// Where the references of an object of the commonest types are: it is traversed soon.
inline void prefetch_contents(PyObject* op) {
    if (PyDict_CheckExact(op)) {
        const auto* dict = reinterpret_cast<const PyDictObject*>(op);
        const char* keys = reinterpret_cast<const char*>(dict->ma_keys);
        __builtin_prefetch(keys);
        __builtin_prefetch(keys + 64);
        __builtin_prefetch(keys + 128);
        __builtin_prefetch(dict->ma_values);
    } else if (PyList_CheckExact(op)) {
        __builtin_prefetch(reinterpret_cast<const PyListObject*>(op)->ob_item);
    }
}

}  // namespace

bool LivePass::make() {
    if (current_frames_ == nullptr) {
        current_frames_ = Py_XNewRef(PySys_GetObject("_current_frames"));
    }
    if (current_frames_ == nullptr || PyCFunction_Check(current_frames_) == 0) {
        PyErr_SetString(PyExc_RuntimeError, "sys._current_frames is not CPython's");
        return false;
    }
    return true;
}

void LivePass::ask_for_frames() {
    PyObject* frames = PyObject_CallNoArgs(current_frames_);
    PyErr_Clear();
    Py_XDECREF(std::exchange(frames_, frames));  // a hook has forked, and the child begins anew
}

bool LivePass::begin(const GcHead* frozen) {
    const bool begun = visit_roots(frozen);
    Py_CLEAR(frames_);
    return begun;
}

bool LivePass::visit_roots(const GcHead* frozen) {
    if (PyInterpreterState_Next(PyInterpreterState_Head()) != nullptr) {
        return false;
    }
    traversal_.reset();
    passed_ = 0;
    place_ = list_.end_of_trace();
    size_t count = 0;
    for (GcHead* head = next_of(frozen); head != frozen; head = next_of(head)) {
        if (++count > kMostFrozen) {
            return false;
        }
    }
    // A program may have got them from gc.get_objects().
    list_.for_each_place([this](PyObject* place) { *table_.at(place) = kReached; });
    for (GcHead* head = next_of(frozen); head != frozen; head = next_of(head)) {
        *table_.at(object_of(head)) = kReached;
    }
    for (GcHead* head = next_of(frozen); head != frozen; head = next_of(head)) {
        PyObject* op = object_of(head);
        Py_TYPE(op)->tp_traverse(op, visit, this);
    }
    visit(PyImport_GetModuleDict(), this);
    PyObject* thread;
    PyObject* frame;
    for (Py_ssize_t i = 0; frames_ != nullptr && PyDict_Next(frames_, &i, &thread, &frame) != 0;) {
        visit_frames(reinterpret_cast<PyFrameObject*>(frame),
                     std::max(kMostFrames / PyDict_GET_SIZE(frames_), kLeastFrames), visit, this);
    }
    flush();
    return true;
}

int LivePass::visit(PyObject* op, void* arg) {
    auto* self = static_cast<LivePass*>(arg);
    int8_t* mark = self->table_.at(op);
    __builtin_prefetch(mark, 1);
    __builtin_prefetch(head_of(op));
    __builtin_prefetch(op);
    self->reached_.push({mark, op}, [self](Reached oldest) { self->reach(oldest); });
    return 0;
}

inline void LivePass::reach(Reached reached) {
    if (*reached.mark != kNotReached) {
        return;
    }
    *reached.mark = kReached;
    if (is_tracked(reached.op)) {
        GcHead* head = head_of(reached.op);
        __builtin_prefetch(next_of(head), 1);
        __builtin_prefetch(prev_of(head), 1);
        to_move_.push(head, [this](GcHead* oldest) { move(oldest); });
    }
}

inline void LivePass::move(GcHead* head) {
    prefetch_contents(object_of(head));
    move_before(head, place_);
    ++moved_;
}

void LivePass::flush() {
    reached_.flush([this](Reached reached) { reach(reached); });
    to_move_.flush([this](GcHead* head) { move(head); });
}

bool LivePass::trace(collector::Deadline& deadline) {
    GcHead* const end = list_.end_of_trace();
    for (bool in_time = true; in_time && list_.next_to_trace() != end; flush()) {
        GcHead* head = list_.next_to_trace();
        while (in_time && head != end) {
            place_ = next_of(head);
            __builtin_prefetch(place_);
            if (!traversal_.traverse(object_of(head), visit, this, deadline)) {
                in_time = false;
                break;
            }
            head = next_of(head);  // something may have been moved behind it
            place_ = head;
            ++passed_;
            in_time = !deadline.has_passed(kObjectUnits + std::exchange(moved_, 0) * kReachedUnits);
        }
        list_.come_to_trace(head);
    }
    return list_.next_to_trace() == end;
}

}  // namespace ouro::bridge
