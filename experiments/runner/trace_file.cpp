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
void TraceFile::add(const std::string& fields, const OuroEvent& event, int64_t ns) {
    const std::string text = fmt::format(
        R"({}{{"name":"{}",{},"pid":{},"tid":{},"ts":{}.{:03},)"
        R"("args":{{"cycle":{},"generation":{},"trigger":"{}","objects":{},"freed":{}}}}})",
        any_ ? ",\n" : "\n", Ouro_PhaseName(event.phase), fields, getpid(), syscall(SYS_gettid),
        ns / 1000, ns % 1000, event.cycle, event.generation, Ouro_TriggerName(event.trigger),
        event.objects, event.freed);
    std::fwrite(text.data(), 1, text.size(), file_);
    any_ = true;
}

void TraceFile::listen(const OuroEvent* event, void* arg) {
    auto* self = static_cast<TraceFile*>(arg);
    const int64_t ns = event->end_ns - event->start_ns;
    const std::lock_guard lock(self->mutex_);
    if (event->phase == OURO_PHASE_PAUSE || event->phase == OURO_PHASE_WAIT) {
        self->add(fmt::format(R"("cat":"gc","ph":"X","dur":{}.{:03})", ns / 1000, ns % 1000),
                  *event, event->start_ns);
        return;
    }
    // Stops and children lie across the phases of a collection, and have tracks of their own.
    const bool is_stop = event->phase == OURO_PHASE_SAFEPOINT;
    const bool is_child = event->phase == OURO_PHASE_CHILD;
    const std::string track = fmt::format(R"("cat":"{}","id":{},"ph":)",
                                          is_stop    ? "stop"
                                          : is_child ? "child"
                                                     : "collection",
                                          is_stop || is_child ? event->thread : event->cycle);
    self->add(track + R"("b")", *event, event->start_ns);
    self->add(track + R"("e")", *event, event->end_ns);
}

}  // namespace ouro::runner
