// One run: a process, or a pipe of some, to its end.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "experiments/runner/run/catalogue.hpp"
#include "experiments/runner/run/cpus.hpp"

namespace ouro::runner {

// How it went. Whatever the processes did is an outcome like any other.
struct Outcome {
    enum class Status { kOk, kFailed, kTimeout, kInterrupted };
    Status status = Status::kOk;
    std::string reason;       // empty when kOk
    std::optional<int> exit;  // of the last process; negative: the signal that killed it
    double seconds = 0;
    std::string output;  // standard output of the last process
    std::string errors;  // the end of what all of them wrote on standard error
};

// As rows have it: ok, failed, timeout or interrupted.
const char* name_of(Outcome::Status status);

// What a process is given besides its command.
struct Surroundings {
    Cpus pin{};                   // the processors that it may use; empty: all
    std::filesystem::path log{};  // a file that its standard error is added to; empty: none
};

// Runs the processes of a pipe, each in a session of its own, with standard input from nothing and
// without the environment variable OURO. They end with this process, however that ends. After
// `timeout` seconds, or when `interrupt` (a descriptor; -1: none) can be read, they and what they
// started are killed.
Outcome run_pipe(const Pipe& pipe, double timeout, int interrupt = -1,
                 const Surroundings& surroundings = {});

// Runs one pipe after the other, each with this time-out, until one does not end well: the outcome of the last
// that ran, with the seconds of all.
Outcome run_steps(const Steps& steps, double timeout, int interrupt = -1,
                  const Surroundings& surroundings = {});

// Standard output of a program, less the white space at its end; nothing if it cannot be run or
// fails or takes more than 30 s.
std::optional<std::string> output_of(const Words& command);

// What a person would type to repeat it.
std::string as_text(const Steps& steps);

// SIGINT, SIGTERM and SIGHUP as a descriptor that can be read once one of them came. While it lives
// they do nothing else.
class Interrupts {
public:
    Interrupts();
    ~Interrupts();
    Interrupts(const Interrupts&) = delete;
    Interrupts& operator=(const Interrupts&) = delete;

    int descriptor() const { return descriptor_; }
    bool came() const;

private:
    int descriptor_;
};

}  // namespace ouro::runner
