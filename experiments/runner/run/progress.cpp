#include "experiments/runner/run/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ouro::runner {

std::string minutes(double seconds) {
    const auto whole = static_cast<long>(std::lround(std::max(0.0, seconds)));
    return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

Progress::Progress(std::vector<Step> steps, size_t total, std::FILE* stream, bool terminal,
                   std::function<double()> now)
    : steps_(std::move(steps)), earlier_(total - steps_.size()), total_(total), stream_(stream),
      terminal_(terminal), now_(std::move(now)), began_(now_()), step_began_(began_) {}

double Progress::left() const {
    double seconds = 0;
    for (size_t i = done_; i < steps_.size(); ++i) {
        const auto known = spent_.find(steps_[i].kind);
        const Spent spent = known == spent_.end() ? Spent{} : known->second;
        // One second of belief in the estimates: the first short run decides nothing.
        seconds += steps_[i].estimate * (spent.taken + 1) / (spent.estimated + 1);
    }
    return seconds;
}

void Progress::start() {
    step_began_ = now_();
    if (terminal_) {
        rewrite(fmt::format("{} about {} left   {}", place(done_ + 1), minutes(left()),
                            steps_[done_].title));
    }
}

void Progress::finish(const std::string& note) {
    const Step& step = steps_[done_];
    Spent& spent = spent_[step.kind];
    spent.taken += now_() - step_began_;
    spent.estimated += step.estimate;
    ++done_;
    if (!terminal_) {
        fmt::print(stream_, "{} {} gone, about {} left   {}: {}\n", place(done_),
                   minutes(now_() - began_), minutes(left()), step.title, note);
        std::fflush(stream_);
    }
}

void Progress::say(const std::string& message) {
    rewrite("");
    fmt::print(stream_, "{}\n", message);
    std::fflush(stream_);
}

void Progress::close() {
    rewrite("");
}

std::string Progress::place(size_t number) const {
    const std::string total = std::to_string(total_);
    return fmt::format("[{:{}}/{}]", earlier_ + number, total.size(), total);
}

void Progress::rewrite(const std::string& text) {
    if (terminal_) {
        fmt::print(stream_, "\r\x1b[K{}", text.substr(0, 100));
        std::fflush(stream_);
    }
}

}  // namespace ouro::runner
