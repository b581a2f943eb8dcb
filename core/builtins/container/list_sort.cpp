// list.sort().
//
// While it runs, comparisons and the key function may do anything. So the list is empty meanwhile: its array
// is put aside and another, small one stands in for it, by which a change is noticed.
#include "core/builtins/container/list.hpp"

#include <algorithm>
#include <utility>

#include "core/builtins/container/merge_sort.hpp"
#include "core/builtins/number/long.hpp"
#include "core/builtins/text/unicode.hpp"
#include "core/mutator/critical_section.hpp"
#include "core/mutator/world.hpp"

using namespace ouro;
using container::as_list;
using container::store;

namespace {

struct Entry {
    PyObject* key;  // the item itself if there is no key function, else a reference of its own
    PyObject* item;
};

// Atoms of one kind need no call.
int less(const Entry& a, const Entry& b) {
    PyTypeObject* type = Py_TYPE(a.key);
    if (Py_IS_TYPE(b.key, type)) {
        if (type == &PyUnicode_Type) {
            return text::text_in(a.key) < text::text_in(b.key);
        }
        if (type == &PyLong_Type && number::is_small(a.key) && number::is_small(b.key)) {
            return number::small_value(a.key) < number::small_value(b.key);
        }
        if (type == &PyFloat_Type) {
            return PyFloat_AS_DOUBLE(a.key) < PyFloat_AS_DOUBLE(b.key);
        }
    }
    return PyObject_RichCompareBool(a.key, b.key, Py_LT);
}

// Frees an array that a list had, which other threads may be reading.
void free_array(PyObject** items) {
    if (mutator::prepare_to_free_late()) {
        mutator::free_late(items);
        return;
    }
    const mutator::Stopped stopped;  // nobody is reading now
    PyMem_Free(items);
}

// The items of a list that is empty to all others.
class Aside {
public:
    explicit Aside(PyObject* op) : op_(op) {}
    Aside(const Aside&) = delete;
    Aside& operator=(const Aside&) = delete;

    // False with MemoryError.
    bool take() {
        stand_in_ = static_cast<PyObject**>(PyMem_Calloc(1, sizeof(PyObject*)));
        if (stand_in_ == nullptr) {
            PyErr_NoMemory();
            return false;
        }
        stand_in_[0] = Py_None;  // whoever adds an item replaces it
        const mutator::Guard guard(op_);
        PyListObject* self = as_list(op_);
        items_ = self->ob_item;
        size_ = Py_SIZE(op_);
        if (size_ == 0) {  // perhaps because it is being sorted: then what stands in stays
            PyMem_Free(std::exchange(stand_in_, nullptr));
            return true;
        }
        // First the size: whoever finds the small array finds no items in it.
        __atomic_store_n(&self->ob_base.ob_size, 0, __ATOMIC_RELEASE);
        __atomic_store_n(&self->ob_item, stand_in_, __ATOMIC_RELEASE);
        return true;
    }

    // What others put into the list meanwhile goes; returns whether they changed it.
    bool put_back() {
        if (stand_in_ == nullptr) {
            return false;
        }
        PyObject** others;
        Py_ssize_t others_size;
        {
            const mutator::Guard guard(op_);
            PyListObject* self = as_list(op_);
            others = self->ob_item;
            others_size = Py_SIZE(op_);
            __atomic_store_n(&self->ob_base.ob_size, 0, __ATOMIC_RELEASE);
            // release: a traversal that sees the array, or the size, sees the items.
            __atomic_store_n(&self->ob_item, items_, __ATOMIC_RELEASE);
            __atomic_store_n(&self->ob_base.ob_size, size_, __ATOMIC_RELEASE);
        }
        const bool changed = others != stand_in_ || others_size != 0 || others[0] != Py_None;
        for (Py_ssize_t i = others_size; --i >= 0;) {
            Py_XDECREF(others[i]);
        }
        if (others != nullptr) {
            free_array(others);
        }
        return changed;
    }

    PyObject** items() const { return items_; }
    size_t size() const { return static_cast<size_t>(size_); }

private:
    PyObject* const op_;
    PyObject** stand_in_ = nullptr;
    PyObject** items_ = nullptr;
    Py_ssize_t size_ = 0;
};

// The entries of all items, and as much room again.
class Entries {
public:
    explicit Entries(PyObject* key_function) : key_function_(key_function) {}
    ~Entries() {
        if (key_function_ != nullptr) {
            for (size_t i = 0; i < count_; ++i) {
                Py_DECREF(entries_[i].key);
            }
        }
        PyMem_Free(entries_);
    }
    Entries(const Entries&) = delete;
    Entries& operator=(const Entries&) = delete;

    // False with an exception.
    bool fill(const Aside& aside) {
        const size_t size = aside.size();
        entries_ = PyMem_New(Entry, 2 * size);
        if (entries_ == nullptr) {
            PyErr_NoMemory();
            return false;
        }
        for (; count_ < size; ++count_) {
            PyObject* item = aside.items()[count_];
            PyObject* key =
                key_function_ == nullptr ? item : PyObject_CallOneArg(key_function_, item);
            if (key == nullptr) {
                return false;
            }
            entries_[count_] = {key, item};
        }
        return true;
    }

    // False with an exception; the items are in some order then. A reversed list is sorted back to front, so
    // that equal items stay in order.
    bool sort(bool reverse) {
        if (reverse) {
            std::reverse(entries_, entries_ + count_);
        }
        const bool good =
            container::MergeSort<Entry, decltype(&less)>(entries_, count_, entries_ + count_, less)
                .run();
        if (reverse) {
            std::reverse(entries_, entries_ + count_);
        }
        return good;
    }

    // In their new order.
    void store_items(PyObject** places) const {
        for (size_t i = 0; i < count_; ++i) {
            store(&places[i], entries_[i].item);
        }
    }

private:
    PyObject* const key_function_;
    Entry* entries_ = nullptr;
    size_t count_ = 0;
};

// 0, or -1 with an exception.
int sort(PyObject* op, PyObject* key_function, bool reverse) {
    Aside aside(op);
    if (!aside.take()) {
        return -1;
    }
    bool good;
    {
        Entries entries(key_function);
        good = entries.fill(aside);
        if (good) {
            good = entries.sort(reverse);
            entries.store_items(aside.items());
        }
    }
    if (aside.put_back() && good) {
        PyErr_SetString(PyExc_ValueError, "list modified during sort");
        good = false;
    }
    return good ? 0 : -1;
}

}  // namespace

PyObject* container::list_sort(PyObject* op, PyObject* args, PyObject* kwargs) {
    static const char* const names[] = {"key", "reverse", nullptr};
    PyObject* key = Py_None;
    int reverse = 0;
    if (PyArg_ParseTupleAndKeywords(args, kwargs, "|$Op:sort", names, &key, &reverse) == 0) {
        return nullptr;
    }
    return sort(op, key == Py_None ? nullptr : key, reverse != 0) < 0 ? nullptr
                                                                      : Py_NewRef(Py_None);
}

int PyList_Sort(PyObject* op) {
    return container::check_list(op) ? sort(op, nullptr, false) : -1;
}
