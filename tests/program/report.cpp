#include "tests/program/report.hpp"

#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <string_view>

namespace ouro::program {
namespace {

// Signals by which a program ends, and who handled them before (libFuzzer does).
constexpr std::array<int, 5> kSignals = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
std::array<struct sigaction, kSignals.size()> before;

void write_all(std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
        if (written <= 0) {
            return;
        }
        text.remove_prefix(static_cast<size_t>(written));
    }
}

// Prints, and lets the signal go its way.
void print_at_end(int number, siginfo_t*, void*) {
    report.print();
    for (size_t i = 0; i < kSignals.size(); ++i) {
        if (kSignals[i] == number) {
            ::sigaction(number, &before[i], nullptr);
        }
    }
    if (number == SIGABRT) {
        ::raise(number);
    }  // another one happens again when this returns
}

void install_handlers() {
    static bool installed = false;
    if (installed) {
        return;
    }
    installed = true;
    struct sigaction action {};
    action.sa_sigaction = print_at_end;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (size_t i = 0; i < kSignals.size(); ++i) {
        ::sigaction(kSignals[i], &action, &before[i]);
    }
}

}  // namespace

void Report::begin(std::string heading) {
    install_handlers();
    text_ = std::move(heading);
    text_ += '\n';
    depth_ = 0;
    running_ = true;
}

void Report::end() {
    static const bool wanted = std::getenv("OURO_PRINT_PROGRAMS") != nullptr;
    if (wanted) {
        print("A program");
    }
    running_ = false;
}

void Report::print(const char* heading) {
    if (running_) {
        running_ = false;  // once
        write_all(std::string("\n") + heading + ":\n");
        write_all(text_);
    }
}

void Report::fail(const std::string& what) {
    print();
    write_all("MISMATCH: " + what + "\n");
    std::abort();
}

}  // namespace ouro::program

// What the sanitizers call, if a program defines them, when they have something to report.
extern "C" {
void __asan_on_error();
void __ubsan_on_report();

__attribute__((visibility("default"))) void __asan_on_error() {
    ouro::program::report.print();
}
__attribute__((visibility("default"))) void __ubsan_on_report() {
    ouro::program::report.print();
}
}
