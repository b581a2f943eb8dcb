#include "core/verify/contract/visits.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "core/heap/view.hpp"

namespace ouro::contract {
namespace {

// Copies memory that may not be there; false if it is not.
bool read_memory(const void* address, void* to, size_t bytes) {
    static const std::array<int, 2> ends = [] {
        std::array<int, 2> made = {-1, -1};
        return pipe2(made.data(), O_CLOEXEC) == 0 ? made : std::array<int, 2>{-1, -1};
    }();
    ssize_t written;
    do {
        written = write(ends[1], address, bytes);
    } while (written < 0 && errno == EINTR);
    if (written <= 0) {
        return false;
    }
    return read(ends[0], to, static_cast<size_t>(written)) == static_cast<ssize_t>(bytes);
}

bool is_type(const PyTypeObject* address) {
    PyTypeObject type, metatype;
    return read_memory(address, &type, sizeof type) &&
           read_memory(Py_TYPE(&type), &metatype, sizeof metatype) &&
           (metatype.tp_flags & Py_TPFLAGS_TYPE_SUBCLASS) != 0;
}

// Of memory of the heap: whether an object can begin there.
bool is_live_slot(const void* address) {
    const heap::Block* block = heap::block_of(address);
    const bool has_objects =
        heap::is_container_kind(block->kind) || block->kind == heap::BlockKind::kAtom;
    if (!has_objects) {
        return block->kind == heap::BlockKind::kBuffer;  // PyObject_Init makes objects there
    }
    const uintptr_t offset =
        reinterpret_cast<uintptr_t>(address) - heap::start_of(block) - block->object_offset;
    if (block->is_large ? offset != 0 : offset % block->slot_bytes != 0) {
        return false;
    }
    if (heap::is_container_kind(block->kind)) {
        const heap::HeapView<heap::Holding> view;
        return (*view.state(view.slot_in_heap(address)) & heap::kAllocated) != 0;
    }
    auto* op = static_cast<PyObject*>(const_cast<void*>(address));
    return PyUnstable_IsImmortal(op) != 0 || Py_REFCNT(op) > 0;
}

struct Call {
    Visits* visits;
    size_t stop_at;
    int answer;
    size_t calls = 0;
};

int note_visit(PyObject* op, void* arg) {
    auto& call = *static_cast<Call*>(arg);
    Visits& visits = *call.visits;
    ++call.calls;
    if (call.stop_at != 0 && call.calls > call.stop_at) {
        ++visits.after_stop;
    }
    if (op == nullptr) {
        ++visits.nulls;
    } else if (is_object(op)) {
        visits.objects.push_back(op);
    } else {
        visits.no_objects.push_back(op);
    }
    return call.calls == call.stop_at ? call.answer : 0;
}

struct WantedVisits {
    const void* address;
    Py_ssize_t visits = 0;
};

int count_visit(PyObject* op, void* arg) {
    auto& wanted = *static_cast<WantedVisits*>(arg);
    wanted.visits += op == wanted.address ? 1 : 0;
    return 0;
}

}  // namespace

bool is_object(const void* address) {
    if (reinterpret_cast<uintptr_t>(address) % alignof(PyObject) != 0) {
        return false;
    }
    if (heap::in_heap(address) && !is_live_slot(address)) {
        return false;
    }
    PyObject object;
    if (!read_memory(address, &object, sizeof object) || !is_type(Py_TYPE(&object))) {
        return false;
    }
    // What looks like an object, but has a count like memory that was never one.
    return heap::has_metadata(address) || PyUnstable_IsImmortal(&object) != 0 ||
           Py_REFCNT(&object) > 0;
}

size_t Visits::count(const PyObject* op) const {
    return static_cast<size_t>(std::ranges::count(objects, op));
}

Visits visits_of(PyObject* op, traverseproc traverse, size_t stop_at, int answer) {
    Visits visits;
    Call call{&visits, stop_at, answer};
    visits.result = traverse(op, note_visit, &call);
    return visits;
}

void keep_alive(PyObject* op) {
    constexpr int kReferences = 32;
    const PyTypeObject* type = Py_TYPE(op);
    if ((type->tp_flags & Py_TPFLAGS_HAVE_GC) == 0 || type->tp_traverse == nullptr) {
        return;
    }
    for (PyObject* each : visits_of(op, type->tp_traverse).objects) {
        for (int i = 0; i < kReferences; ++i) {
            Py_INCREF(each);
        }
    }
}

Py_ssize_t visits_by_all(PyObject* op) {
    WantedVisits wanted{op};
    PyUnstable_GC_VisitObjects(
        [](PyObject* each, void* arg) {
            if (Py_TYPE(each)->tp_traverse != nullptr) {
                Py_TYPE(each)->tp_traverse(each, count_visit, arg);
            }
            return 1;
        },
        &wanted);
    return wanted.visits;
}

bool visits_address(PyObject* op, const void* address) {
    WantedVisits wanted{address};
    Py_TYPE(op)->tp_traverse(op, count_visit, &wanted);
    return wanted.visits != 0;
}

}  // namespace ouro::contract
