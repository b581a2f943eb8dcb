#include "core/collector/drivers/on_thread.hpp"

#include <utility>

#include "core/collector/observed.hpp"

namespace ouro::collector {

OnThread::OnThread(Schedule& schedule, Engine& engine)
    : schedule_(schedule), successor_(std::make_unique<InSlices>(schedule, engine)),
      thread_(std::make_unique<CollectorThread>(schedule, engine)) {}

OnThread::~OnThread() {
    if (!thread_->has_ended() || thread_->has_visitors()) {
        (void)thread_.release();
    }
}

void OnThread::begin_full() {
    if (!thread_->request(schedule_.begin(Scope::kFull, OURO_TRIGGER_ALLOCATION))) {
        schedule_.abandoned();
        tell_stop({Scope::kFull});
    }
}

// On the thread itself, a finalizer of whose may fork, too, there is nothing to do about that: it is the one that goes
// on in the child.
void OnThread::prepare_fork() {
    if (!is_here()) {
        thread_->before_fork();
    }
}

void OnThread::after_fork_in_parent() {
    if (!is_here()) {
        thread_->after_fork_in_parent();
    }
}

std::unique_ptr<Driver> OnThread::go_on_without_thread(std::unique_ptr<Collection> collection) {
    successor_->inherit(std::move(collection));
    return std::move(successor_);
}

std::unique_ptr<Driver> OnThread::take_over() {
    return go_on_without_thread(thread_->has_ended() ? nullptr : thread_->leave_behind());
}

std::unique_ptr<Driver> OnThread::after_fork_in_child() {
    return is_here() ? nullptr : go_on_without_thread(thread_->after_fork_in_child());
}

}  // namespace ouro::collector
