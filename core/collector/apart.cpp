#include "core/collector/apart.hpp"

#include <new>

#include "core/collector/observed.hpp"

namespace ouro::collector {
namespace {

// What is larger is in no cache any more when its turn comes, and its list's memory would be made in the pause.
constexpr size_t kMost = 64 << 10;

}  // namespace

void Apart::begin(size_t candidates) {
    try {
        list_.reserve(candidates);
    } catch (const std::bad_alloc&) {
    }
}

void Apart::add(std::span<PyObject* const> objects, bool runs_code) {
    // Who debugs is told of all garbage before any of it is cleared.
    if (group_waits_ || debug_flags() != 0 || runs_code || objects.size() > kMost ||
        list_.capacity() - list_.size() < objects.size()) {
        return let_group_wait();
    }
    list_.insert(list_.end(), objects.begin(), objects.end());
}

void Apart::let_group_wait() {
    group_waits_ = true;
    list_.resize(ready_);
}

void Apart::end_group() {
    group_waits_ = false;
    ready_ = list_.size();
}

void Apart::note_reclaimed() {
    reclaimed_ += ready_;
    list_.erase(list_.begin(), list_.begin() + static_cast<ptrdiff_t>(ready_));
    ready_ = 0;
}

}  // namespace ouro::collector
