#include "core/verify/contract/channel.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <new>
#include <string_view>

namespace ouro::contract {
namespace {

static_assert(sizeof(Record) < PIPE_BUF);

// In memory that all the processes have: the innermost that runs writes it, and the others wait.
struct Shared {
    std::atomic<size_t> children;
    Announced announced;
};

int ends[2] = {-1, -1};
Shared* shared = nullptr;
Captured* captured = nullptr;

template <size_t size>
void copy(char (&to)[size], std::string_view text) {
    const size_t length = std::min(text.size(), size - 1);
    std::memcpy(to, text.data(), length);
    to[length] = '\0';
}

void write_record(const Record& record) {
    if (captured != nullptr) {
        if (captured->count < Captured::kMost) {
            captured->records[captured->count++] = record;
        }
        return;
    }
    while (write(ends[1], &record, sizeof record) < 0 && errno == EINTR) {
    }
}

// The last line that a process printed, without its newline.
std::string last_line(int file) {
    const off_t size = lseek(file, 0, SEEK_END);
    char text[400];
    const auto wanted = static_cast<off_t>(sizeof text);
    const ssize_t bytes = pread(file, text, sizeof text, size > wanted ? size - wanted : 0);
    std::string_view rest(text, bytes > 0 ? static_cast<size_t>(bytes) : 0);
    while (rest.ends_with('\n')) {
        rest.remove_suffix(1);
    }
    return std::string(rest.substr(rest.rfind('\n') + 1));
}

// noexcept: an exception has its reason in memory that something wrote over, and is as bad as a crash.
[[noreturn]] void be_child(unsigned seconds, int output,
                           const std::function<bool()>& work) noexcept {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    for (const int each : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM}) {
        std::signal(each, SIG_DFL);
    }
    alarm(seconds);
    if (const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC); nothing >= 0) {
        dup2(nothing, STDIN_FILENO);
    }
    if (output >= 0) {
        dup2(output, STDOUT_FILENO);
        dup2(output, STDERR_FILENO);
    }
    _exit(work() ? 0 : 1);
}

// What the runtime said when it ended a process in which a thread used it that was not attached (mutator/misuse.cpp and
// the counts).
bool tells_of_a_detached_thread(std::string_view said) {
    return said.find("thread that is not attached") != said.npos ||
           said.find("no thread state is attached") != said.npos;
}

void report_crash(int signal, int output) {
    if (shared->announced.is_silent) {
        return;
    }
    if (captured != nullptr) {
        captured->signal = signal;
    }
    std::string detail = fmt::format("{} ended the process: signal {} ({})", shared->announced.what,
                                     signal, strsignal(signal));
    const std::string said = output < 0 ? "" : last_line(output);
    if (!said.empty()) {
        detail += "; it printed: " + said;
    }
    const auto rule = signal == SIGABRT && tells_of_a_detached_thread(said)
                          ? Rule::kThreadsDetached
                          : static_cast<Rule>(shared->announced.rule);
    // What takes long is not wrong by that.
    report(rule, shared->announced.type, shared->announced.place, detail,
           signal == SIGALRM || signal == SIGKILL ? Certainty::kProbable
                                                  : rules::certainty_of(rule));
}

}  // namespace

void* map_shared(size_t bytes) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? nullptr : memory;
}

bool open_channel() {
    void* memory = map_shared(sizeof(Shared));
    if (memory == nullptr || pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    shared = new (memory) Shared();
    return true;
}

void close_writing_end() {
    close(ends[1]);
}

void close_channel() {
    close(ends[0]);
    munmap(shared, sizeof *shared);
    shared = nullptr;
    ends[0] = ends[1] = -1;
}

bool read_record(Record& record) {
    ssize_t bytes;
    do {
        bytes = read(ends[0], &record, sizeof record);
    } while (bytes < 0 && errno == EINTR);
    return bytes == static_cast<ssize_t>(sizeof record);
}

void report(Rule rule, const char* type, Place place, const std::string& detail,
            Certainty certainty) {
    Record record = {};
    record.kind = Record::kFinding;
    record.rule = static_cast<unsigned>(rule);
    record.certain = certainty == Certainty::kCertain;
    record.is_call = place.is_call;
    copy(record.type, type == nullptr ? "" : type);
    copy(record.detail, detail);
    if (Dl_info info; place.address != nullptr && dladdr(place.address, &info) != 0) {
        copy(record.file, info.dli_fname);
        copy(record.symbol, info.dli_sname == nullptr ? "" : info.dli_sname);
        record.offset = static_cast<uint64_t>(static_cast<const char*>(place.address) -
                                              static_cast<const char*>(info.dli_fbase));
    }
    write_record(record);
}

void report(Rule rule, const char* type, Place place, const std::string& detail) {
    report(rule, type, place, detail, rules::certainty_of(rule));
}

void report_problem(const std::string& problem) {
    Record record = {};
    record.kind = Record::kProblem;
    copy(record.detail, problem);
    write_record(record);
}

void report_count(size_t types, size_t instances) {
    Record record = {};
    record.kind = Record::kCount;
    record.types = types;
    record.instances = instances;
    write_record(record);
}

void capture(Captured* to) {
    captured = to;
}

void report_calls(Record record, const std::string& script, const std::string& c, bool are_plain) {
    record.calls_are_plain = are_plain ? 1 : 0;
    copy(record.script, script);
    copy(record.c, c);
    write_record(record);
}

void announce(Rule if_crashed, const char* type, Place place, const std::string& what) {
    Announced& announced = shared->announced;
    announced.is_silent = false;
    announced.rule = static_cast<unsigned>(if_crashed);
    announced.place = place;
    copy(announced.type, type == nullptr ? "" : type);
    copy(announced.what, what);
}

Announcing::Announcing(Rule if_crashed, const char* type, Place place, const std::string& what)
    : before_(shared->announced) {
    announce(if_crashed, type, place, what);
}

Announcing::~Announcing() {
    shared->announced = before_;
}

void announce_nothing() {
    shared->announced.is_silent = true;
}

bool in_child(unsigned seconds, const std::function<bool()>& work) {
    shared->children.fetch_add(1, std::memory_order_relaxed);
    const int output = memfd_create("output", MFD_CLOEXEC);
    const pid_t child = fork();
    if (child == 0) {
        be_child(seconds, output, work);
    }
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (child > 0 && WIFSIGNALED(status)) {
        report_crash(WTERMSIG(status), output);
    }
    if (output >= 0) {
        close(output);
    }
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

size_t children() {
    return shared->children.load(std::memory_order_relaxed);
}

}  // namespace ouro::contract
