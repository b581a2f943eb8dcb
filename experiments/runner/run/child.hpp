// One child process and what connects it with this one. For `process` and `server`.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "experiments/runner/run/catalogue.hpp"
#include "experiments/runner/run/cpus.hpp"

namespace ouro::runner {

// The most that a child may print for this process to read.
inline constexpr size_t kMostOutput = size_t{64} << 20;

class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int value) : value_(value) {}
    Descriptor(Descriptor&& other) noexcept : value_(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(value_, other.value_);
        return *this;
    }
    ~Descriptor() { close(); }
    int get() const { return value_; }
    int release() { return std::exchange(value_, -1); }
    void close();

private:
    int value_ = -1;
};

struct Ends {
    Descriptor read{};
    Descriptor write{};
};

// Closed if the system has none.
Ends make_pipe();

struct Child {
    pid_t id;
    Descriptor ended;  // can be read when it has ended
    int status = 0;
    bool running = true;
};

// Starts a program in a session of its own, without the environment variable OURO, and appends it to
// `children`; it ends when this process ends. It and what it starts run on the processors of `pin`
// alone, if that names any. 0, or the error with which that failed.
int start(const Words& command, int in, int out, int errors, std::vector<Child>& children,
          const Cpus& pin);

// Kills a child and what it left running, and waits for it: `status` is how it ended.
void reap(Child& child);

// Appends what can be read without waiting, up to a little more than kMostOutput. Closes `from` at its
// end. Pre: `from` does not block.
void read_what_is_there(Descriptor& from, std::string& output);

// The exit status, or the negated signal.
int exit_of(int status);

// "ended with status 3", "was killed by SIGKILL".
std::string ending(int status);

// Where standard error goes: to the end of a file, or of a temporary one if none is named. Null, and
// errno, if it cannot be opened.
struct ErrorFile {
    std::FILE* file;
    long begin;  // what was there before ends here
};
ErrorFile open_errors(const std::filesystem::path& path);

// The last characters of what was written from `begin` on.
std::string end_of(const ErrorFile& errors);

}  // namespace ouro::runner
