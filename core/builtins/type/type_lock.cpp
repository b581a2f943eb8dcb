#include "core/builtins/type/type_lock.hpp"

#include "core/mutator/state.hpp"

namespace ouro::type {
namespace {

PyMutex mutex;
std::atomic<PyThreadState*> owner{nullptr};
int depth = 0;  // of the owner

}  // namespace

TypeLock::TypeLock() {
    PyThreadState* self = PyThreadState_Get();
    // relaxed: only this thread stores its own state there.
    if (owner.load(std::memory_order_relaxed) != self) {
        PyMutex_Lock(&mutex);
        owner.store(self, std::memory_order_relaxed);
    }
    ++depth;
}

TypeLock::~TypeLock() {
    if (--depth == 0) {
        owner.store(nullptr, std::memory_order_relaxed);
        PyMutex_Unlock(&mutex);
    }
}

}  // namespace ouro::type
