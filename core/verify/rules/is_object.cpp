#include "core/verify/rules/is_object.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "core/heap/view.hpp"
#include "core/include/Python.h"

namespace ouro::rules {
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

}  // namespace ouro::rules
