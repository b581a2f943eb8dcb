// From the processes that do something with a module to the one that reports.
//
// Each step is a child process, which may make more. What one finds it writes, a record at a time, to a pipe that all
// have from the first; a step that crashes is itself a finding, by the process that waits for it. What the child says
// it is doing lies in memory that both have.
#pragma once

#include <functional>
#include <string>

#include "core/verify/rules/rule.hpp"

namespace ouro::contract {

using rules::Certainty;
using rules::Rule;

// What travels; less than PIPE_BUF bytes, so that records of several processes do not mix.
struct Record {
    enum Kind : unsigned { kFinding, kProblem, kCount };
    Kind kind;
    unsigned rule;
    unsigned certain;
    unsigned is_call;
    unsigned calls_are_plain;
    uint64_t offset;
    size_t types, instances;  // kCount
    char type[120];
    char symbol[160];
    char file[1024];
    char detail[512];
    char script[640], c[1280];  // lines that bring it about, or ""
};

// Code of the module: where a function begins, or where a call returns to.
struct Place {
    const void* address = nullptr;
    bool is_call = false;
};
// The call that returns there.
inline Place call_from(const void* return_address) {
    return {static_cast<const char*>(return_address) - 1, true};
}
// The call of the module that the function it stands in answers.
#define OURO_CALLER call_from(__builtin_return_address(0))
template <class Function>
Place function_at(Function* function) {
    return {reinterpret_cast<const void*>(function), false};
}

// Makes the pipe and the shared memory; false with errno.
bool open_channel();
// The process that opened it: reads records until all others have closed it.
bool read_record(Record& record);
// For that: closes its own end for writing.
void close_writing_end();
void close_channel();

void report(Rule rule, const char* type, Place place, const std::string& detail,
            Certainty certainty);
void report(Rule rule, const char* type, Place place, const std::string& detail);
// What ends the check: the module cannot be imported.
void report_problem(const std::string& problem);
void report_count(size_t types, size_t instances);

// What is reported goes here instead of to the reader, while this process, and those that it makes, run something to see
// whether it breaks a rule. In memory of map_shared, of zeroes.
struct Captured {
    static constexpr size_t kMost = 8;  // records; more are lost
    size_t count;
    int signal;  // that ended the process, or 0: the last record is of it
    Record records[kMost];
};
// nullptr: to the reader.
void capture(Captured* captured);
// What was captured, with the lines that bring it about. `are_plain`: they give nobody an instance, so that no cycle of
// instances is made.
void report_calls(Record record, const std::string& script, const std::string& c, bool are_plain);

// What this process is doing, and which rule is broken if that crashes it.
struct Announced {
    bool is_silent;
    unsigned rule;
    Place place;
    char type[120];
    char what[256];
};
void announce(Rule if_crashed, const char* type, Place place, const std::string& what);
// For as long as it lives: in the middle of something that was announced.
class Announcing {
public:
    Announcing(Rule if_crashed, const char* type, Place place, const std::string& what);
    ~Announcing();
    Announcing(const Announcing&) = delete;
    Announcing& operator=(const Announcing&) = delete;

private:
    Announced before_;
};
// A crash is nobody's fault from here on: what is tried goes behind the module's back.
void announce_nothing();

// Memory of zeroes that this process and its children have together; nullptr with errno. munmap gives it back.
void* map_shared(size_t bytes);

// Runs `work` in a child process, for `seconds` at most; what it prints is dropped, and it can read nothing. True if it
// returned true. If a signal ends it, that is a finding, by what it announced last.
bool in_child(unsigned seconds, const std::function<bool()>& work);
// How many there were, in this process and all that it came from and made.
size_t children();

}  // namespace ouro::contract
