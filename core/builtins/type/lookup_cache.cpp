#include "core/builtins/type/lookup_cache.hpp"

#include <cstdlib>

#include "core/builtins/type/subclasses.hpp"
#include "core/builtins/type/type_watchers.hpp"
#include "core/heap/fault.hpp"

namespace ouro::type {
namespace {

std::atomic<uint32_t> last_version{0};

// Gives a type that has none a version; 0 if they are used up.
uint32_t give_version(PyTypeObject* type) {
    if (last_version.load(std::memory_order_relaxed) == UINT32_MAX) {
        return 0;
    }
    const uint32_t fresh = last_version.fetch_add(1, std::memory_order_relaxed) + 1;
    uint32_t none = 0;
    // release: pairs with version_of.
    if (__atomic_compare_exchange_n(&type->tp_version_tag, &none, fresh, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
        return fresh;
    }
    return none;
}

void forget_version(PyTypeObject* type) {
    const unsigned watchers = __atomic_load_n(&type->tp_watched, __ATOMIC_RELAXED);
    if (watchers != 0) [[unlikely]] {
        tell_watchers(type, watchers);
    }
    __atomic_store_n(&type->tp_version_tag, 0, __ATOMIC_RELEASE);
    for_each_subclass(type, [](PyTypeObject* derived) {
        forget_version(derived);
        return true;
    });
}

}  // namespace

LookupCache* make_lookup_cache() {
    void* memory = heap::allocation_fails() ? nullptr : std::calloc(1, sizeof(LookupCache));
    mutator::current->lookup_cache = memory;
    return static_cast<LookupCache*>(memory);
}

uint32_t version_to_remember(PyTypeObject* type, PyObject* name) {
    // Another str may come to lie where one that is not for ever lay.
    constexpr uint8_t kForEver = 2;
    if (!PyUnicode_CheckExact(name) ||
        __atomic_load_n(&text::unicode(name)->interned, __ATOMIC_RELAXED) != kForEver) {
        return 0;
    }
    const uint32_t version = version_of(type);
    return version != 0 ? version : give_version(type);
}

void remember(uint32_t version, PyObject* name, PyObject* value) {
    if (LookupCache* cache = version == 0 ? nullptr : lookup_cache()) {
        cache->entry_for(version, name) = {version, name, value};
    }
}

}  // namespace ouro::type

int PyUnstable_Type_AssignVersionTag(PyTypeObject* type) {
    return ouro::type::version_of(type) != 0 || ouro::type::give_version(type) != 0 ? 1 : 0;
}

void PyType_Modified(PyTypeObject* type) {
    ouro::type::forget_version(type);
}
