// Events as JSON lines.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>

#include "core/include/ouroboros.h"

namespace {

std::FILE* file = nullptr;

void write_event(const OuroEvent* event, void*) {
    fmt::memory_buffer line;
    fmt::format_to(std::back_inserter(line),
                   "{{\"phase\":\"{}\",\"cycle\":{},\"start_ns\":{},\"end_ns\":{},\"cpu_ns\":{}",
                   Ouro_PhaseName(event->phase), event->cycle, event->start_ns, event->end_ns,
                   event->cpu_ns);
    fmt::format_to(std::back_inserter(line), ",\"generation\":{}", event->generation);
    if (event->phase == OURO_PHASE_CYCLE) {
        fmt::format_to(std::back_inserter(line), ",\"trigger\":\"{}\"",
                       Ouro_TriggerName(event->trigger));
    }
    if (event->phase == OURO_PHASE_PAUSE) {
        fmt::format_to(std::back_inserter(line), ",\"time_to_safepoint_ns\":{}",
                       event->time_to_safepoint_ns);
    }
    if (event->phase == OURO_PHASE_SAFEPOINT) {
        fmt::format_to(std::back_inserter(line), ",\"thread\":{}", event->thread);
    }
    const auto number = [&](const char* name, size_t value) {
        if (value != 0) {
            fmt::format_to(std::back_inserter(line), ",\"{}\":{}", name, value);
        }
    };
    number("objects", event->objects);
    number("bytes", event->bytes);
    number("candidates", event->candidates);
    number("condemned", event->condemned);
    number("rejected", event->rejected);
    number("resurrected", event->resurrected);
    number("uncollectable", event->uncollectable);
    number("freed", event->freed);
    number("rss_bytes", event->rss_bytes);
    number("page_table_bytes", event->page_table_bytes);
    for (size_t i = 0; i < OURO_COUNTER_COUNT_; ++i) {
        number(Ouro_CounterName(static_cast<OuroCounter>(i)), event->counters[i]);
    }
    fmt::format_to(std::back_inserter(line), "}}\n");
    std::fwrite(line.data(), 1, line.size(), file);
}

}  // namespace

int Ouro_RecordEvents(const char* path) {
    if (file != nullptr) {
        errno = EBUSY;
        return -1;
    }
    file = std::fopen(path, "ae");
    if (file == nullptr) {
        return -1;
    }
    if (Ouro_AddListener(write_event, nullptr) != 0) {
        std::fclose(file);
        file = nullptr;
        errno = ENOSPC;
        return -1;
    }
    return 0;
}

int Ouro_StopRecordingEvents(void) {
    if (file == nullptr) {
        return 0;
    }
    Ouro_RemoveListener(write_event, nullptr);
    const int result = std::fclose(file);
    file = nullptr;
    return result == 0 ? 0 : -1;
}
