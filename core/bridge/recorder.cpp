#include "core/bridge/recorder.hpp"

#include <cinttypes>
#include <stdio_ext.h>

namespace ouro::bridge {
namespace {

constexpr size_t kBuffer = size_t{1} << 16;

}  // namespace

bool Recorder::start(const std::string& path) {
    file_ = std::fopen(path.c_str(), "ae");
    if (file_ != nullptr) {
        (void)std::setvbuf(file_, nullptr, _IOFBF, kBuffer);
    }
    return file_ != nullptr;
}

bool Recorder::stop() {
    if (file_ == nullptr) {
        return true;
    }
    std::FILE* file = file_;
    file_ = nullptr;
    const bool failed = std::ferror(file) != 0;
    return std::fclose(file) == 0 && !failed;
}

// What its buffer holds is the parent's, who writes it.
void Recorder::forget() {
    if (file_ != nullptr) {
        __fpurge(file_);
        (void)std::fclose(file_);
        file_ = nullptr;
    }
}

void Recorder::write(const Event& event) {
    if (file_ == nullptr) {
        return;
    }
    std::fprintf(file_,
                 "{\"phase\":\"%s\",\"cycle\":%" PRIu64 ",\"start_ns\":%" PRId64
                 ",\"end_ns\":%" PRId64 ",\"cpu_ns\":%" PRId64 ",\"generation\":%d",
                 event.phase, event.cycle, event.start_ns, event.end_ns, event.cpu_ns,
                 event.generation);
    if (event.trigger != nullptr) {
        std::fprintf(file_, ",\"trigger\":\"%s\"", event.trigger);
    }
    if (event.is_pause) {
        std::fprintf(file_, ",\"time_to_safepoint_ns\":0");
    }
    const auto number = [this](const char* name, size_t value) {
        if (value != 0) {
            std::fprintf(file_, ",\"%s\":%zu", name, value);
        }
    };
    number("objects", event.objects);
    number("candidates", event.candidates);
    number("condemned", event.condemned);
    number("rejected", event.rejected);
    number("freed", event.freed);
    number("rss_bytes", event.rss_bytes);
    std::fputs("}\n", file_);
}

}  // namespace ouro::bridge
