// What a program did, in words, kept so that a failure of any sort prints it: a mismatch with the
// model, a fatal error of the library's, a crash, a sanitizer's report.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

namespace ouro::program {

class Report {
public:
    // Forgets the last program. From the first call on, signals and sanitizers print the report.
    void begin(std::string heading);
    // The program is over: it is printed only if OURO_PRINT_PROGRAMS is set.
    void end();

    template <class... Arguments>
    void say(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        text_.append(2 + 4 * depth_, ' ');
        fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
        text_ += '\n';
    }
    void enter() { ++depth_; }
    void leave() { --depth_; }

    // Prints the program and what is wrong, and aborts.
    [[noreturn]] void fail(const std::string& what);
    void print(const char* heading = "The program, as far as it came");

private:
    std::string text_;
    size_t depth_ = 0;
    bool running_ = false;
};

inline Report report;

template <class... Arguments>
[[noreturn]] void fail(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    report.fail(fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace ouro::program
