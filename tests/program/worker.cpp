#include "tests/program/worker.hpp"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <span>
#include <system_error>
#include <vector>

#include "tests/program/world.hpp"

namespace ouro::program {
namespace {

[[noreturn]] void refuse(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

// False at the end of the stream.
bool read_all(int file, void* to, size_t size) {
    for (auto* bytes = static_cast<char*>(to); size > 0;) {
        const ssize_t got = ::read(file, bytes, size);
        if (got <= 0) {
            return false;
        }
        bytes += got;
        size -= static_cast<size_t>(got);
    }
    return true;
}

// A reader that has died is found out by what comes next.
void write_all(int file, const void* from, size_t size) {
    for (const auto* bytes = static_cast<const char*>(from); size > 0;) {
        const ssize_t written = ::send(file, bytes, size, MSG_NOSIGNAL);
        if (written <= 0) {
            return;
        }
        bytes += written;
        size -= static_cast<size_t>(written);
    }
}

// The process: programs in, counts out.
[[noreturn]] void serve(int channel) {
    size_t size;
    while (read_all(channel, &size, sizeof size)) {
        std::vector<uint8_t> bytes(size);
        if (!read_all(channel, bytes.data(), size)) {
            break;
        }
        const Counts counts = run(decode(bytes));
        write_all(channel, &counts, sizeof counts);
    }
    ::_exit(0);
}

}  // namespace

Worker::~Worker() {
    stop();
}

void Worker::start() {
    int sockets[2];
    output_ = ::memfd_create("worker", MFD_CLOEXEC);
    if (output_ < 0 || ::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) < 0) {
        refuse("a worker's channel");
    }
    process_ = ::fork();
    if (process_ < 0) {
        refuse("a worker's process");
    }
    if (process_ == 0) {
        ::close(sockets[0]);
        ::dup2(output_, STDERR_FILENO);
        serve(sockets[1]);
    }
    ::close(sockets[1]);
    channel_ = sockets[0];
}

void Worker::stop() {
    if (process_ == 0) {
        return;
    }
    ::close(channel_);
    int status = 0;
    ::waitpid(process_, &status, 0);
    process_ = 0;
    report_.assign(static_cast<size_t>(::lseek(output_, 0, SEEK_END)), '\0');
    ::lseek(output_, 0, SEEK_SET);
    read_all(output_, report_.data(), report_.size());
    ::close(output_);
    if (WIFSIGNALED(status)) {
        report_ += "(killed by signal " + std::to_string(WTERMSIG(status)) + ")\n";
    }
}

std::optional<Counts> Worker::run(const Program& program) {
    if (process_ == 0) {
        start();
    }
    const std::vector<uint8_t> bytes = encode(program);
    const size_t size = bytes.size();
    write_all(channel_, &size, sizeof size);
    write_all(channel_, bytes.data(), size);
    Counts counts;
    if (read_all(channel_, &counts, sizeof counts)) {
        return counts;
    }
    stop();
    return std::nullopt;
}

}  // namespace ouro::program
