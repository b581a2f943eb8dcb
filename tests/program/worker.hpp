// Runs programs in a process of its own, which may die of one: then its report says of what, and the
// next program has a new process. So that a property can fail, and be shrunk, as often as it likes.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "tests/program/oracle.hpp"
#include "tests/program/step.hpp"

namespace ouro::program {

class Worker {
public:
    Worker() = default;
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    // What the program did; nothing if it killed its process, and then the report.
    std::optional<Counts> run(const Program& program);
    const std::string& report() const { return report_; }

private:
    void start();
    // Ends the process and keeps what it has written.
    void stop();

    pid_t process_ = 0;
    int channel_ = -1;  // a socket to the process
    int output_ = -1;   // what it writes to stderr
    std::string report_;
};

}  // namespace ouro::program
