// Events as JSON lines, with the fields of core/include/ouroboros/event.h (experiments/schema/event.schema.json): what
// draws a run of this project's runtime draws one of a Python program.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace ouro::bridge {

struct Event {
    const char* phase;  // a name of OURO_PHASES
    uint64_t cycle = 0;
    int generation = 0;
    const char* trigger = nullptr;  // of a cycle
    int64_t start_ns = 0, end_ns = 0, cpu_ns = 0;
    bool is_pause = false;
    size_t objects = 0, candidates = 0, condemned = 0, rejected = 0, freed = 0, rss_bytes = 0;
};

class Recorder {
public:
    ~Recorder() { stop(); }

    // Appends to the file until stopped. False with errno.
    bool start(const std::string& path);
    // False with errno: something could not be written.
    bool stop();
    // In the child of a fork: what is buffered is the parent's.
    void forget();
    bool is_on() const { return file_ != nullptr; }

    void write(const Event& event);

private:
    std::FILE* file_ = nullptr;
};

}  // namespace ouro::bridge
