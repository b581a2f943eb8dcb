// The kind `types` of the adversaries: a type as extensions have it, with a number and a pointer that
// belong together and change one after the other, and without OURO_TPFLAGS_CONCURRENT_TRAVERSE.
#include <algorithm>
#include <memory>
#include <new>

#include "experiments/workloads/adversary.hpp"
#include "experiments/workloads/instance.hpp"

namespace ouro::workloads {
namespace {

struct Buffer {
    PyObject ob_base;
    Py_ssize_t count;
    PyObject** items;
};

Buffer* buffer_of(PyObject* op) {
    return reinterpret_cast<Buffer*>(op);
}

int buffer_traverse(PyObject* op, visitproc visit, void* arg) {
    const Buffer* self = buffer_of(op);
    for (Py_ssize_t i = 0; i < self->count; ++i) {
        Py_VISIT(self->items[i]);
    }
    return 0;
}

// Everything behind the first `count` goes, into a buffer that is no larger than what stays needs.
void truncate(Buffer* self, Py_ssize_t count) {
    PyObject** old = self->items;
    const Py_ssize_t old_count = self->count;
    PyObject** items = nullptr;
    if (count > 0) {
        items = static_cast<PyObject**>(PyMem_Malloc(static_cast<size_t>(count) * sizeof *items));
        if (items == nullptr) {
            return;
        }
        std::copy_n(old, count, items);
    }
    self->count = count;
    self->items = items;
    for (Py_ssize_t i = count; i < old_count; ++i) {
        Py_DECREF(old[i]);
    }
    PyMem_Free(old);
}

int buffer_clear(PyObject* op) {
    truncate(buffer_of(op), 0);
    return 0;
}

void buffer_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    buffer_clear(op);
    note_deallocation();
    PyObject_GC_Del(op);
}

PyTypeObject* buffer_type() {
    static PyTypeObject* const ready = [] {
        static PyTypeObject type{};
        type.ob_base = {{OURO_BIASED_IMMORTAL, 0, nullptr}, 0};
        type.tp_name = "workload.Buffer";
        type.tp_basicsize = sizeof(Buffer);
        type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC;
        type.tp_traverse = buffer_traverse;
        type.tp_clear = buffer_clear;
        type.tp_dealloc = buffer_dealloc;
        return PyType_Ready(&type) < 0 ? nullptr : &type;
    }();
    if (ready == nullptr) {
        throw std::bad_alloc();
    }
    return ready;
}

PyObject* new_buffer() {
    PyObject* op = PyObject_GC_New(PyObject, buffer_type());
    if (op == nullptr) {
        throw std::bad_alloc();
    }
    buffer_of(op)->count = 0;
    buffer_of(op)->items = nullptr;
    PyObject_GC_Track(op);
    return op;
}

// One more, in a buffer that is as large as it must be.
void append(Buffer* self, PyObject* item) {
    const auto count = static_cast<size_t>(self->count);
    auto* items =
        static_cast<PyObject**>(PyMem_Realloc(self->items, (count + 1) * sizeof(PyObject*)));
    if (items == nullptr) {
        throw std::bad_alloc();
    }
    items[count] = Py_NewRef(item);
    self->items = items;
    self->count = static_cast<Py_ssize_t>(count) + 1;
}

class Buffers final : public Adversary {
public:
    explicit Buffers(const AdversaryParameters& parameters)
        : Adversary(parameters), random_(parameters.garbage.seed),
          live_(std::max(parameters.live / 2, 1u)), root_(PyList_New(live_)) {
        if (root_ == nullptr) {
            throw std::bad_alloc();
        }
        for (uint32_t i = 0; i < live_; ++i) {
            PyList_SET_ITEM(root_, i, new_buffer());
        }
    }
    ~Buffers() override { Py_XDECREF(root_); }

    // Live ones grow and shrink; a new one that refers to itself and to a live one is garbage at once.
    void step() override {
        for (int i = 0; i < kRepeat; ++i) {
            Buffer* self = buffer_of(any());
            if (self->count >= kMost) {
                truncate(self, random_.below(kMost));
            } else {
                append(self, any());
            }
        }
        PyObject* brief = new_buffer();
        append(buffer_of(brief), brief);
        append(buffer_of(brief), any());
        Py_DECREF(brief);
        let_go(1);
        replace_ring();
    }
    void drop() override {
        Adversary::drop();
        Py_CLEAR(root_);
        let_go(live_);
    }
    size_t live() const override { return Adversary::live() + live_; }

private:
    static constexpr uint32_t kMost = 8;  // items of a buffer

    PyObject* any() { return PyList_GET_ITEM(root_, random_.below(live_)); }

    Random random_;
    uint32_t live_;
    PyObject* root_;
};

}  // namespace

std::unique_ptr<Load> new_buffer_adversary(const AdversaryParameters& parameters) {
    return std::make_unique<Buffers>(parameters);
}

}  // namespace ouro::workloads
