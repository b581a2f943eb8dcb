#include "core/event/events.hpp"

#include <array>
#include <mutex>

namespace ouro::event {
namespace {

struct Registration {
    OuroListener listener;
    void* arg;
};

constexpr size_t kMostListeners = 16;
std::array<Registration, kMostListeners> registrations;
size_t registered = 0;
std::mutex mutex;  // of both
// Whether the calling thread has it, and runs a listener, which may fork.
constinit thread_local bool emits = false;

}  // namespace

void emit(const OuroEvent& event) {
    const std::lock_guard guard(mutex);
    emits = true;
    for (size_t i = 0; i < registered; ++i) {
        registrations[i].listener(&event, registrations[i].arg);
    }
    emits = false;
}

void before_fork() {
    if (!emits) {
        mutex.lock();
    }
}

void after_fork() {
    if (!emits) {
        mutex.unlock();
    }
}

}  // namespace ouro::event

using ouro::event::mutex;
using ouro::event::registered;
using ouro::event::registrations;

int Ouro_AddListener(OuroListener listener, void* arg) {
    const std::lock_guard guard(mutex);
    if (registered == registrations.size()) {
        return -1;
    }
    registrations[registered++] = {listener, arg};
    return 0;
}

int Ouro_RemoveListener(OuroListener listener, void* arg) {
    const std::lock_guard guard(mutex);
    for (size_t i = 0; i < registered; ++i) {
        if (registrations[i].listener == listener && registrations[i].arg == arg) {
            for (size_t j = i + 1; j < registered; ++j) {
                registrations[j - 1] = registrations[j];  // the others keep their order
            }
            --registered;
            return 0;
        }
    }
    return -1;
}

const char* Ouro_PhaseName(OuroPhase phase) {
    switch (phase) {
#define X(name, text, meaning) \
    case OURO_PHASE_##name:    \
        return text;
        OURO_PHASES(X)
#undef X
        case OURO_PHASE_COUNT_:
            break;
    }
    return "unknown";
}

const char* Ouro_TriggerName(OuroTrigger trigger) {
    switch (trigger) {
#define X(name, text, meaning) \
    case OURO_TRIGGER_##name:  \
        return text;
        OURO_TRIGGERS(X)
#undef X
        case OURO_TRIGGER_COUNT_:
            break;
    }
    return "unknown";
}
