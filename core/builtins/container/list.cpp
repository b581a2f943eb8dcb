// list: 32 bytes and about 4 of metadata; the items are an array of their own, whose capacity is the
// size of its slot, so that there is no second word that could disagree with it.
#include "core/builtins/container/list.hpp"

#include <algorithm>

#include "concurrency/point/point.hpp"
#include "core/builtins/container/repr.hpp"
#include "core/builtins/container/sequence.hpp"
#include "core/heap/block.hpp"
#include "core/mutator/critical_section.hpp"
#include "core/object/allocate.hpp"
#include "core/object/take.hpp"

using namespace ouro;

namespace {

PyListObject* list(PyObject* op) {
    return container::as_list(op);
}

// From so many items on a list grows by twelve at least, which makes six arrays of the first seventy items; what is
// smaller by four.
constexpr size_t kSmall = 8;

size_t capacity_of(const PyListObject* self) {
    if (self->ob_item == nullptr) {
        return 0;
    }
    // Without a call for what is not large: PyList_Append asks each time.
    const heap::Block* block = heap::block_of(self->ob_item);
    const size_t bytes = block->is_large ? heap::usable_size(self->ob_item)
                                         : block->slot_bytes - block->object_offset;
    return bytes / sizeof(PyObject*);
}

// Lists are read without a lock: the array, once found, is freed late, and has room for as many items
// as its slot. The writers below lock the list and publish with ordered stores.
Py_ssize_t size_of(const PyListObject* self) {
    return __atomic_load_n(&self->ob_base.ob_size, __ATOMIC_ACQUIRE);
}

// The place of an item at this moment; nullptr if there is none.
PyObject** find(PyListObject* self, Py_ssize_t index) {
    if (index >= 0 && index < size_of(self)) {
        OURO_POINT("list.find.size");
        PyObject** items = __atomic_load_n(&self->ob_item, __ATOMIC_ACQUIRE);
        // Another thread may have cleared the list since its size was read.
        if (items != nullptr &&
            static_cast<size_t>(index) < heap::usable_size(items) / sizeof(PyObject*)) {
            return &items[index];
        }
    }
    return nullptr;
}

int list_traverse(PyObject* op, visitproc visit, void* arg) {
    const container::Items stored = container::items_of(list(op));
    for (size_t i = 0; i < stored.count; ++i) {
        Py_VISIT(stored.first[i]);
    }
    return 0;
}

// The list is empty before the first item is dropped: dropping runs arbitrary code.
int list_clear(PyObject* op) {
    PyListObject* self = list(op);
    PyObject** items = self->ob_item;
    const Py_ssize_t size = Py_SIZE(self);
    // Single words, because a traversal may be reading them: it finds the items, or none.
    __atomic_store_n(&self->ob_item, nullptr, __ATOMIC_RELAXED);
    Py_SET_SIZE(self, 0);
    for (Py_ssize_t i = size; --i >= 0;) {
        Py_XDECREF(items[i]);
    }
    PyMem_Free(items);
    return 0;
}

void list_dealloc(PyObject* op) {
    const object::Deallocation deallocation(op);
    if (list(op)->ob_item != nullptr) {
        list_clear(op);
    }
    deallocation.free(&PyList_Type);
}

}  // namespace

bool container::reserve(PyListObject* self, size_t wanted) {
    if (wanted <= capacity_of(self)) {
        return true;
    }
    if (!mutator::prepare_to_free_late()) {
        PyErr_NoMemory();
        return false;
    }
    const auto size = static_cast<size_t>(Py_SIZE(self));
    wanted = std::max(wanted, size + size / 8 + (size < kSmall ? 4 : 12));
    auto* items = PyMem_New(PyObject*, wanted);
    if (items == nullptr) {
        PyErr_NoMemory();
        return false;
    }
    PyObject** old = self->ob_item;
    std::copy_n(old, size, items);
    // Nothing in the places beyond the size: a reader without a lock may know an older, greater one.
    std::fill(items + size, items + heap::usable_size(items) / sizeof(PyObject*), nullptr);
    // release: a traversal that sees the array sees its items.
    __atomic_store_n(&self->ob_item, items, __ATOMIC_RELEASE);
    OURO_POINT("list.grow.published");
    mutator::free_late(old);
    return true;
}

PyObject* container::list_item_at(PyObject* op, Py_ssize_t index) {
    if (!mutator::is_free_threaded()) {
        return index >= 0 && index < Py_SIZE(op) ? Py_XNewRef(PyList_GET_ITEM(op, index)) : nullptr;
    }
    return object::take([&] { return find(list(op), index); }, op);
}

bool container::check_list(PyObject* op) {
    if (op == nullptr || !PyList_Check(op)) {
        PyErr_BadInternalCall();
        return false;
    }
    return true;
}

namespace {

// Pre: the list is locked.
inline int append(PyListObject* self, PyObject* item) {
    const Py_ssize_t size = Py_SIZE(self);
    // After an odd number of items there is always room for one more.
    static_assert(heap::kGranule % (2 * sizeof(PyObject*)) == 0);
    const auto wanted = static_cast<size_t>(size) + 1;
    if (size % 2 == 0 && wanted > capacity_of(self) && !container::reserve(self, wanted))
        [[unlikely]] {
        return -1;
    }
    PyList_SET_ITEM(self, size, Py_NewRef(item));
    OURO_POINT("list.append.item");
    // release: a traversal that sees the size sees the item.
    __atomic_store_n(&self->ob_base.ob_size, size + 1, __ATOMIC_RELEASE);
    return 0;
}

[[gnu::noinline]] int append_locked(PyListObject* self, PyObject* item) {
    const mutator::Guard guard(self);
    return append(self, item);
}

}  // namespace

PyTypeObject PyList_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "list",
    .tp_basicsize = sizeof(PyListObject),
    .tp_dealloc = list_dealloc,
    .tp_repr = container::list_repr,
    .tp_as_sequence = &container::list_as_sequence,
    .tp_as_mapping = &container::list_as_mapping,
    .tp_hash = PyObject_HashNotImplemented,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
                Py_TPFLAGS_SEQUENCE | OURO_TPFLAGS_CONCURRENT_TRAVERSE | Py_TPFLAGS_LIST_SUBCLASS,
    .tp_traverse = list_traverse,
    .tp_clear = list_clear,
    .tp_richcompare = container::compare_sequences,
    .tp_iter = container::list_iterate,
    .tp_methods = container::list_methods,
    .tp_init = container::list_init,
    .tp_new = PyType_GenericNew,
};

PyObject* PyList_New(Py_ssize_t size) {
    if (size < 0) {
        PyErr_BadInternalCall();
        return nullptr;
    }
    PyObject** items = nullptr;
    if (size > 0) {
        items = static_cast<PyObject**>(PyMem_Calloc(static_cast<size_t>(size), sizeof(PyObject*)));
        if (items == nullptr) {
            return PyErr_NoMemory();
        }
    }
    const object::NewContainer made = object::new_container(&PyList_Type, sizeof(PyListObject));
    PyObject* op = made.op;
    if (op == nullptr) {
        PyMem_Free(items);
        return nullptr;
    }
    Py_SET_SIZE(op, size);
    list(op)->ob_item = items;
    made.track();
    return op;
}

Py_ssize_t PyList_Size(PyObject* op) {
    return container::check_list(op) ? size_of(list(op)) : -1;
}

PyObject* PyList_GetItem(PyObject* op, Py_ssize_t index) {
    if (!container::check_list(op)) {
        return nullptr;
    }
    PyObject** place = find(list(op), index);
    if (place == nullptr) {
        PyErr_SetString(PyExc_IndexError, "list index out of range");
        return nullptr;
    }
    return __atomic_load_n(place, __ATOMIC_ACQUIRE);
}

PyObject* PyList_GetItemRef(PyObject* op, Py_ssize_t index) {
    if (op == nullptr || !PyList_Check(op)) {
        PyErr_SetString(PyExc_TypeError, "expected a list");
        return nullptr;
    }
    PyObject* item = container::list_item_at(op, index);
    if (item == nullptr) {
        PyErr_SetString(PyExc_IndexError, "list index out of range");
    }
    return item;
}

int PyList_SetItem(PyObject* op, Py_ssize_t index, PyObject* item) {
    if (!container::check_list(op)) {
        Py_XDECREF(item);
        return -1;
    }
    PyObject* old = item;
    bool found = false;
    {
        const mutator::Guard guard(op);
        if (index >= 0 && index < Py_SIZE(op)) {
            PyObject** place = &list(op)->ob_item[index];
            old = *place;
            OURO_POINT("list.set-item.old");
            OURO_STORE_FIELD(place, item);
            found = true;
        }
    }
    Py_XDECREF(old);  // arbitrary code, without the lock
    if (!found) {
        PyErr_SetString(PyExc_IndexError, "list assignment index out of range");
        return -1;
    }
    return 0;
}

int PyList_Append(PyObject* op, PyObject* item) {
    if (!container::check_list(op)) {
        return -1;
    }
    if (item == nullptr) {
        PyErr_BadInternalCall();
        return -1;
    }
    return mutator::is_free_threaded() ? append_locked(list(op), item) : append(list(op), item);
}
