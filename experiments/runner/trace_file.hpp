// A listener that writes what collections do as a trace for Chrome's viewer and Perfetto.
#pragma once

#include <cstdio>
#include <mutex>
#include <string>

#include "ouroboros.h"

namespace ouro::runner {

// From when it is made until it goes; the file is whole after close().
// Format: the JSON array of the Trace Event Format. Times that a mutator cannot run its own code are complete
// events of their threads. Phases of a collection go on while it lets mutators run, and pauses of other collections
// lie across their ends, so they are pairs of asynchronous events, a track each collection; the threads' ways to a
// stop as well, a track each thread state. On a track any two events nest or are apart.
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
    // A line of the file, which has these fields first. Call under the mutex.
    void add(const std::string& fields, const OuroEvent& event, int64_t ns);

    const std::string path_;
    std::FILE* file_;
    std::mutex mutex_;  // phases end on several threads
    bool any_ = false;
};

}  // namespace ouro::runner
