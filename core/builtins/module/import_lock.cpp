#include "core/builtins/module/import_lock.hpp"

#include <atomic>

#include "core/include/Python.h"

namespace ouro::module {
namespace {

PyMutex mutex{};
std::atomic<PyThreadState*> owner{nullptr};
int depth = 0;  // the owner's

}  // namespace

ImportLock::ImportLock() {
    PyThreadState* me = PyThreadState_Get();
    // relaxed: only the owner itself ever finds itself there.
    if (owner.load(std::memory_order_relaxed) != me) {
        PyMutex_Lock(&mutex);
        owner.store(me, std::memory_order_relaxed);
    }
    ++depth;
}

ImportLock::~ImportLock() {
    if (--depth == 0) {
        owner.store(nullptr, std::memory_order_relaxed);
        PyMutex_Unlock(&mutex);
    }
}

void forget_importers() {
    const PyThreadState* importer = owner.load(std::memory_order_relaxed);
    if (importer != nullptr && importer != PyThreadState_GetUnchecked()) {
        depth = 0;
        owner.store(nullptr, std::memory_order_relaxed);
        PyMutex_Unlock(&mutex);
    }
}

}  // namespace ouro::module
