// A listener that writes what collections do as a trace for Chrome's viewer and Perfetto.
#pragma once

#include <cstdio>
#include <mutex>
#include <string>

#include "ouroboros.h"

namespace ouro::runner {

// From when it is made until it goes; the file is whole after close().
// Format: the JSON array of the Trace Event Format, an event each phase.
class TraceFile {
public:
    // Throws std::runtime_error if the file cannot be written.
    explicit TraceFile(const std::string& path);
    ~TraceFile();
    TraceFile(const TraceFile&) = delete;
    TraceFile& operator=(const TraceFile&) = delete;

    // Throws std::runtime_error if not all was written.
    void close();

private:
    static void listen(const OuroEvent* event, void* arg);

    const std::string path_;
    std::FILE* file_;
    std::mutex mutex_;  // phases end on several threads
    bool any_ = false;
};

}  // namespace ouro::runner
