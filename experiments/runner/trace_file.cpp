#include "experiments/runner/trace_file.hpp"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace ouro::runner {

TraceFile::TraceFile(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "we")) {
    if (file_ == nullptr) {
        throw std::runtime_error(fmt::format("--trace {}: {}", path, std::strerror(errno)));
    }
    std::fputs("[", file_);
    Ouro_AddListener(listen, this);
}

TraceFile::~TraceFile() {
    if (file_ != nullptr) {
        Ouro_RemoveListener(listen, this);
        std::fclose(file_);
    }
}

void TraceFile::close() {
    Ouro_RemoveListener(listen, this);
    std::fputs("\n]\n", file_);
    const bool failed = std::ferror(file_) != 0;
    const bool closed = std::fclose(file_) == 0;
    file_ = nullptr;
    if (failed || !closed) {
        throw std::runtime_error(fmt::format("--trace {}: {}", path_, std::strerror(errno)));
    }
}

// Times of that format are microseconds.
void TraceFile::listen(const OuroEvent* event, void* arg) {
    auto* self = static_cast<TraceFile*>(arg);
    const std::lock_guard lock(self->mutex_);
    const std::string text = fmt::format(
        R"({}{{"name":"{}","cat":"gc","ph":"X","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},)"
        R"("args":{{"cycle":{},"generation":{},"trigger":"{}","objects":{},"freed":{}}}}})",
        self->any_ ? ",\n" : "\n", Ouro_PhaseName(event->phase), getpid(),
        // A child lies across phases of the thread that waits for it.
        event->phase == OURO_PHASE_CHILD ? static_cast<long>(event->thread) : syscall(SYS_gettid),
        static_cast<double>(event->start_ns) / 1e3,
        static_cast<double>(event->end_ns - event->start_ns) / 1e3, event->cycle, event->generation,
        Ouro_TriggerName(event->trigger), event->objects, event->freed);
    std::fwrite(text.data(), 1, text.size(), self->file_);
    self->any_ = true;
}

}  // namespace ouro::runner
