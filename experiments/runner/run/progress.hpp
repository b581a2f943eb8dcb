// The progress of an experiment, with the time left.
#pragma once

#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ouro::runner {

// One line that is rewritten on a terminal; a line a run elsewhere.
//
// The time left is the sum of the estimates of what is still to run, each corrected by how wrong the
// estimates of its kind were so far.
class Progress {
public:
    struct Step {
        std::string title;
        std::string kind;  // those of a kind take as much longer than estimated as each other
        double estimate;   // seconds
    };

    // `total` steps are planned in all, those before `steps` were finished earlier. `now` is a clock
    // in seconds.
    Progress(std::vector<Step> steps, size_t total, std::FILE* stream, bool terminal,
             std::function<double()> now);

    void start();
    void finish(const std::string& note);
    // A line that stays, such as a run that failed.
    void say(const std::string& message);
    void close();
    // Seconds that the steps not yet finished will take.
    double left() const;

private:
    struct Spent {
        double taken = 0, estimated = 0;
    };
    std::string place(size_t number) const;
    void rewrite(const std::string& text);

    std::vector<Step> steps_;
    size_t earlier_;
    size_t total_;
    std::FILE* stream_;
    bool terminal_;
    std::function<double()> now_;
    double began_;
    double step_began_;
    size_t done_ = 0;
    std::map<std::string, Spent> spent_;
};

// "12:34"
std::string minutes(double seconds);

}  // namespace ouro::runner
