#include "core/bridge/cycle.hpp"

#include <new>
#include <utility>

namespace ouro::bridge {

const char* name_of(Stage stage) {
    switch (stage) {
#define X(name, text) \
    case Stage::name: \
        return text;
        OURO_BRIDGE_STAGES(X)
#undef X
    }
    return "";
}

bool Cycle::make(GcState* state) {
    state_ = state;
    return list_.make() && live_.make();
}

void Cycle::go_to(Stage stage) {
    stage_ = stage;
    if (stage == Stage::kClean) {
        list_.end();
        cleaned_ = 0;
    }
}

void Cycle::begin() {
    report_ = {};
    const int collecting = std::exchange(state_->collecting, 1);
    live_.ask_for_frames();
    list_.begin(state_->list(GcState::kOld));
    pass_.begin(0);  // forgets, too, that memory was refused
    const bool traces = live_.begin(&state_->permanent.head);
    state_->collecting = collecting;
    go_to(traces ? Stage::kTrace : Stage::kCount);
}

void Cycle::give_up() {
    if (is_idle() || stage_ == Stage::kClean) {
        return;
    }
    report_.given_up = true;
    go_to(Stage::kClean);
    collector::Deadline none = collector::Deadline::none();
    (void)leftover_.unpin(none);
}

void Cycle::begin_leftover() {
    report_.refused = closures_.refused();
    if (report_.refused == 0) {
        go_to(Stage::kClean);
    } else {
        leftover_.begin(report_.refused);
        go_to(Stage::kNumber);
    }
}

bool Cycle::clean(collector::Deadline& deadline) {
    return leftover_.unpin(deadline) && table_.clear(deadline, cleaned_);
}

// One stage until its end (true) or the deadline.
bool Cycle::step(collector::Deadline& deadline) {
    switch (stage_) {
        case Stage::kTrace:
            if (!live_.trace(deadline)) {
                return false;
            }
            report_.alive = live_.passed();
            closures_.begin(Closures::Of::kUntraced);
            go_to(Stage::kTestUntraced);
            return true;
        case Stage::kCount:
            if (!pass_.count(deadline)) {
                return false;
            }
            report_.objects = report_.alive + report_.untraced_garbage + pass_.objects();
            go_to(Stage::kSettle);
            return true;
        case Stage::kSettle:
            if (!pass_.settle(deadline)) {
                return false;
            }
            go_to(Stage::kMark);
            return true;
        case Stage::kMark:
            if (!pass_.mark(deadline)) {
                return false;
            }
            report_.candidates = pass_.candidates();
            closures_.begin(Closures::Of::kCandidates);
            go_to(Stage::kTest);
            return true;
        case Stage::kNumber:
            if (!leftover_.number(deadline)) {
                return false;
            }
            go_to(Stage::kRead);
            return true;
        case Stage::kRead:
            if (!leftover_.read(deadline)) {
                return false;
            }
            go_to(Stage::kOrder);
            return true;
        case Stage::kOrder:
            if (!leftover_.order(deadline)) {
                return false;
            }
            go_to(Stage::kRelease);
            return true;
        case Stage::kClean:
            if (!clean(deadline)) {
                return false;
            }
            ++ended_;
            go_to(Stage::kIdle);
            return true;
        case Stage::kIdle:
        case Stage::kTestUntraced:
        case Stage::kTest:
        case Stage::kRelease:
            break;
    }
    return false;
}

void Cycle::slice(collector::Deadline& deadline) {
    try {
        while (needs_slice() && step(deadline) && !deadline.has_passed_now()) {
        }
        if (pass_.is_out_of_memory() && stage_ != Stage::kClean) {
            give_up();
        }
    } catch (const std::bad_alloc&) {
        give_up();
    }
}

size_t Cycle::hand_over(size_t objects, collector::Deadline& deadline, GcHead* garbage) {
    size_t found = 0;
    try {
        if (stage_ == Stage::kTestUntraced) {
            found = closures_.test(objects, deadline, garbage);
            report_.untraced_garbage += found;
            report_.untraced = report_.untraced_garbage + closures_.refused();
            if (closures_.is_done()) {
                pass_.begin(closures_.refused());
                go_to(Stage::kCount);
            }
        } else if (stage_ == Stage::kTest) {
            found = closures_.test(objects, deadline, garbage);
            if (closures_.is_done()) {
                begin_leftover();
            }
        } else if (stage_ == Stage::kRelease) {
            const bool done = leftover_.release(objects, deadline, garbage, &found);
            report_.largest = leftover_.largest();
            if (done) {
                go_to(Stage::kClean);
            }
        }
    } catch (const std::bad_alloc&) {
        give_up();
    }
    report_.garbage += found;
    return found;
}

size_t Cycle::bytes() const {
    return table_.bytes() + pass_.bytes() + closures_.bytes() + leftover_.bytes();
}

void Cycle::forget() {
    give_up();
    collector::Deadline none = collector::Deadline::none();
    (void)leftover_.unpin(
        none);  // if a fork came between: what the thread that did it is not here to end
    if (stage_ == Stage::kClean) {
        ++ended_;
        go_to(Stage::kIdle);
    }
    table_.release();
}

}  // namespace ouro::bridge
