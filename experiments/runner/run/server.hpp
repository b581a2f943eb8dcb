// A process that lives through several runs and answers requests, a line each: an interpreter that
// keeps the heap of a program (experiments/capture/SERVE.md).
//
//     Server server(command);
//     Outcome ready = server.answer(60, interrupt);            // its first line, unasked
//     Outcome answer = server.ask("collect 5", 60, interrupt);
//
// After an outcome that is not kOk the server is of no more use. It is killed with this object.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "experiments/runner/run/child.hpp"
#include "experiments/runner/run/process.hpp"

namespace ouro::runner {

class Server {
public:
    explicit Server(const Words& command, const Surroundings& surroundings = {});
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // The next line that it prints: `output`, without the newline; or kFailed with the reason, if it
    // ends, kTimeout, or kInterrupted when `interrupt` can be read.
    Outcome answer(double timeout, int interrupt);
    Outcome ask(const std::string& request, double timeout, int interrupt);
    // A failure that has no reason yet, with what it has printed on standard error.
    Outcome failed() const;

private:
    Outcome wait_for_line(double timeout, int interrupt);

    std::string program_;
    std::string failure_;  // why it could not be started
    std::vector<Child> children_;
    Descriptor requests_;
    Descriptor answers_;
    ErrorFile errors_;
    std::string received_;
};

}  // namespace ouro::runner
