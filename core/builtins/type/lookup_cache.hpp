// What was found under a name in a type and its bases, for the next who looks.
//
// Each thread has a cache of its own, so nobody waits. An entry owns nothing: it holds for a version of the type,
// and a type has a new one after every change of itself or a base (PyType_Modified), which is announced before the
// old value is dropped, and again after.
#pragma once

#include "core/builtins/text/unicode.hpp"
#include "core/mutator/state.hpp"
#include "core/object/take.hpp"

namespace ouro::type {

struct LookupEntry {
    uint32_t version;  // of the type; 0: the entry is empty
    PyObject* name;    // a str that is interned for ever
    PyObject* value;   // nullptr: there is no such attribute
};

struct LookupCache {
    static constexpr size_t kEntries = 512;
    LookupEntry entries[kEntries];

    LookupEntry& entry_for(uint32_t version, const PyObject* name) {
        return entries[(reinterpret_cast<uintptr_t>(name) / 16 ^ version * 0x9e37U) % kEntries];
    }
};

// The version of a type as it is; 0 if it has none yet. acquire: who finds the version finds what was there when it
// was given.
inline uint32_t version_of(const PyTypeObject* type) {
    return __atomic_load_n(&type->tp_version_tag, __ATOMIC_ACQUIRE);
}

// The calling thread's; nullptr if there is no memory for one.
LookupCache* make_lookup_cache();
inline LookupCache* lookup_cache() {
    auto* cache = static_cast<LookupCache*>(mutator::current->lookup_cache);
    return cache != nullptr ? cache : make_lookup_cache();
}

// True if the cache knows: *result is a new reference, or nullptr if there is no such attribute.
inline bool find_cached(PyTypeObject* type, PyObject* name, PyObject** result) {
    const uint32_t version = version_of(type);
    auto* cache = static_cast<LookupCache*>(mutator::current->lookup_cache);
    if (version == 0 || cache == nullptr) {
        return false;
    }
    const LookupEntry& entry = cache->entry_for(version, name);
    if (entry.version != version || entry.name != name) {
        return false;
    }
    PyObject* value = entry.value;
    if (!mutator::is_free_threaded() || value == nullptr) {
        *result = Py_XNewRef(value);
        return true;
    }
    // The value lived when the version was read, and its slot is no other's within this call.
    if (!object::try_incref(value)) {
        return false;
    }
    if (version_of(type) != version) {
        Py_DECREF(value);
        return false;
    }
    *result = value;
    return true;
}

// The version under which what is found from now on may be remembered; 0: it may not.
uint32_t version_to_remember(PyTypeObject* type, PyObject* name);
// `value` was found since that version was asked for; nullptr: nothing was. Borrowed.
void remember(uint32_t version, PyObject* name, PyObject* value);

}  // namespace ouro::type
