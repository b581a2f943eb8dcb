#include "core/builtins/container/dict_watch.hpp"

#include <mutex>
#include <new>
#include <unordered_map>

#include "core/builtins/container/dict.hpp"
#include "core/object/object.hpp"
#include "core/object/saved_error.hpp"
#include "core/object/watchers.hpp"

using namespace ouro;

constinit std::atomic<size_t> container::watched_dicts{0};

namespace {

constinit object::Watchers<PyDict_WatchCallback> dict_watchers("dict");

// By whom dicts are watched: a bit for each watcher.
struct Watched {
    std::mutex mutex;
    std::unordered_map<PyObject*, unsigned> bits;  // none of them zero

    void count() { container::watched_dicts.store(bits.size(), std::memory_order_relaxed); }
};

Watched& watched() {
    static Watched& it = *new Watched;  // dicts may end after everything else
    return it;
}

unsigned watchers_of(PyObject* dict) {
    Watched& all = watched();
    const std::lock_guard guard(all.mutex);
    const auto found = all.bits.find(dict);
    return found == all.bits.end() ? 0 : found->second;
}

constexpr const char* name_of(PyDict_WatchEvent event) {
    switch (event) {
#define OURO_NAME(name) \
    case name:          \
        return #name;
        OURO_NAME(PyDict_EVENT_ADDED)
        OURO_NAME(PyDict_EVENT_MODIFIED)
        OURO_NAME(PyDict_EVENT_DELETED)
        OURO_NAME(PyDict_EVENT_CLONED)
        OURO_NAME(PyDict_EVENT_CLEARED)
        OURO_NAME(PyDict_EVENT_DEALLOCATED)
#undef OURO_NAME
    }
    return "";
}

void tell(unsigned watchers, PyDict_WatchEvent event, PyObject* dict, PyObject* key,
          PyObject* value) {
    const object::SavedError saved;
    dict_watchers.tell(watchers, [=](PyDict_WatchCallback callback) {
        if (callback(event, dict, key, value) < 0) {
            PyErr_FormatUnraisable("Exception ignored in %s watcher callback for <dict at %p>",
                                   name_of(event), dict);
        }
    });
}

// What the dict has for a key, a new reference; nullptr if it has none, or the comparison raised: then the change will, too.
PyObject* value_of(PyObject* dict, PyObject* key, Py_hash_t hash) {
    const object::SavedError saved;
    PyObject* value = nullptr;
    if (container::get_item(dict, key, hash, &value) < 0) {
        PyErr_Clear();
    }
    return value;
}

// The bit of a watcher; 0 with ValueError, also if that is no dict.
unsigned bit_of(int watcher_id, PyObject* dict) {
    if (!PyDict_Check(dict)) {
        PyErr_SetString(PyExc_ValueError, "Cannot watch non-dictionary");
        return 0;
    }
    return dict_watchers.bit_of(watcher_id);
}

}  // namespace

void container::tell_of_store(PyObject* dict, PyObject* key, Py_hash_t hash, PyObject* value,
                              bool replace) {
    const unsigned watchers = watchers_of(dict);
    if (watchers == 0) {
        return;
    }
    PyObject* there = value_of(dict, key, hash);
    if (there == nullptr) {
        tell(watchers, PyDict_EVENT_ADDED, dict, key, value);
    } else if (replace && there != value) {
        tell(watchers, PyDict_EVENT_MODIFIED, dict, key, value);
    }
    Py_XDECREF(there);
}

void container::tell_of_removal(PyObject* dict, PyObject* key, Py_hash_t hash) {
    const unsigned watchers = watchers_of(dict);
    PyObject* there = watchers == 0 ? nullptr : value_of(dict, key, hash);
    if (there != nullptr) {
        tell(watchers, PyDict_EVENT_DELETED, dict, key, nullptr);
        Py_DECREF(there);
    }
}

void container::tell_of_pop(PyObject* dict, End end) {
    const unsigned watchers = watchers_of(dict);
    DictEntry item;
    if (watchers != 0 && item_at(dict, end, &item)) {
        tell(watchers, PyDict_EVENT_DELETED, dict, item.key, nullptr);
        item.drop();
    }
}

void container::tell_of_clear(PyObject* dict) {
    const unsigned watchers = watchers_of(dict);
    if (watchers != 0 && PyDict_Size(dict) > 0) {
        tell(watchers, PyDict_EVENT_CLEARED, dict, nullptr, nullptr);
    }
}

bool container::tell_of_clone(PyObject* dict, PyObject* other) {
    const unsigned watchers = watchers_of(dict);
    if (watchers == 0 || PyDict_Size(dict) > 0 || PyDict_Size(other) == 0) {
        return false;
    }
    tell(watchers, PyDict_EVENT_CLONED, dict, other, nullptr);
    return true;
}

bool container::tell_of_end(PyObject* dict) {
    const unsigned watchers = watchers_of(dict);
    if (watchers == 0) {
        return true;
    }
    Py_INCREF(dict);  // alive for them
    tell(watchers, PyDict_EVENT_DEALLOCATED, dict, nullptr, nullptr);
    if (!object::drop_last_reference(dict)) {
        return false;
    }
    Watched& all = watched();
    const std::lock_guard guard(all.mutex);
    all.bits.erase(dict);
    all.count();
    return true;
}

void container::forget_dict_watchers() {
    dict_watchers.forget();
    Watched& all = watched();
    const std::lock_guard guard(all.mutex);
    all.bits.clear();
    all.count();
}

int PyDict_AddWatcher(PyDict_WatchCallback callback) {
    return dict_watchers.add(callback);
}

int PyDict_ClearWatcher(int watcher_id) {
    return dict_watchers.clear(watcher_id);
}

int PyDict_Watch(int watcher_id, PyObject* dict) {
    const unsigned bit = bit_of(watcher_id, dict);
    if (bit == 0) {
        return -1;
    }
    Watched& all = watched();
    const std::lock_guard guard(all.mutex);
    try {
        all.bits[dict] |= bit;
    } catch (const std::bad_alloc&) {
        PyErr_NoMemory();
        return -1;
    }
    all.count();
    return 0;
}

int PyDict_Unwatch(int watcher_id, PyObject* dict) {
    const unsigned bit = bit_of(watcher_id, dict);
    if (bit == 0) {
        return -1;
    }
    Watched& all = watched();
    const std::lock_guard guard(all.mutex);
    const auto found = all.bits.find(dict);
    if (found == all.bits.end()) {
        return 0;
    }
    found->second &= ~bit;
    if (found->second == 0) {
        all.bits.erase(found);
        all.count();
    }
    return 0;
}
