#include "experiments/runner/run/record.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include "experiments/workloads/nesting.hpp"

namespace ouro::runner {
namespace {

constexpr const char* kMeta = "meta.json";

std::string text_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

// What a program wrote on standard error need not be UTF-8.
std::string dumped(const nlohmann::json& value, int indent = -1) {
    return value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

Record::Record(const std::filesystem::path& directory, const char* rows)
    : directory_(directory), rows_name_(rows) {}

Record::Record(Record&& other) noexcept
    : directory_(std::move(other.directory_)), rows_name_(other.rows_name_),
      rows_file_(std::exchange(other.rows_file_, -1)), was_cut_(other.was_cut_),
      rows_(std::move(other.rows_)), meta_(std::move(other.meta_)) {}

Record::~Record() {
    if (rows_file_ >= 0) {
        close(rows_file_);
    }
}

void Record::open(int flags) {
    const std::filesystem::path path = directory_ / rows_name_;
    rows_file_ = ::open(path.c_str(), flags | O_APPEND | O_CLOEXEC, 0666);
    if (rows_file_ < 0) {
        throw BadDirectory(fmt::format("{}: {}", path.string(), std::strerror(errno)));
    }
    if (flock(rows_file_, ((flags & O_RDWR) != 0 ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0) {
        throw BadDirectory(
            fmt::format("{}: another ouro run is writing there", directory_.string()));
    }
}

Record Record::begin(const std::filesystem::path& directory, const char* rows) {
    Record record(directory, rows);
    for (const std::string& name : {std::string(rows), std::string(kMeta)}) {
        // One that was ended before its first run left an empty file, and nothing to go on with.
        if (std::filesystem::exists(directory / name) &&
            (name == kMeta || std::filesystem::file_size(directory / name) > 0)) {
            throw BadDirectory(fmt::format(
                "{} already holds results ({}); --resume goes on with them, another -o begins anew",
                directory.string(), name));
        }
    }
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (error) {
        throw BadDirectory(fmt::format("{}: {}", directory.string(), error.message()));
    }
    record.open(O_CREAT | O_RDWR);
    return record;
}

Record Record::resume(const std::filesystem::path& directory, const char* rows) {
    Record record(directory, rows);
    record.read_meta("results to go on with");
    record.open(O_CREAT | O_RDWR);
    record.read_rows(true);
    return record;
}

Record Record::look(const std::filesystem::path& directory) {
    Record record(directory, kRuns);
    record.read_meta("results");
    record.open(O_RDONLY);
    record.read_rows(false);
    return record;
}

void Record::read_meta(const std::string& purpose) {
    const std::filesystem::path meta = directory_ / kMeta;
    if (!std::filesystem::is_regular_file(meta)) {
        throw BadDirectory(
            fmt::format("{} holds no {} (no {})", directory_.string(), purpose, kMeta));
    }
    try {
        const std::string text = text_of(meta);
        if (const auto deep = workloads::too_deep_at(text)) {
            throw BadDirectory(fmt::format("{}: nested too deep at byte {}; allowed: {} levels",
                                           meta.string(), *deep, workloads::kMostNesting));
        }
        meta_ = nlohmann::json::parse(text);
    } catch (const nlohmann::json::exception& error) {
        throw BadDirectory(fmt::format("{}: {}", meta.string(), error.what()));
    }
}

void Record::read_rows(bool cut) {
    const std::filesystem::path path = directory_ / rows_name_;
    const std::string text = text_of(path);
    size_t from = 0;
    for (size_t number = 1; from < text.size(); ++number) {
        const size_t end = text.find('\n', from);
        nlohmann::json row =
            end == std::string::npos
                ? nlohmann::json(nlohmann::json::value_t::discarded)
                : workloads::parse_json(std::string_view(text).substr(from, end - from));
        const bool last = end == std::string::npos || end + 1 == text.size();
        if (!row.is_object()) {
            if (!last) {
                throw BadDirectory(fmt::format("{}:{}: is not a row", path.string(), number));
            }
            if (cut && ftruncate(rows_file_, static_cast<off_t>(from)) != 0) {
                throw BadDirectory(fmt::format("{}: {}", path.string(), std::strerror(errno)));
            }
            was_cut_ = true;
            return;
        }
        rows_.push_back(std::move(row));
        from = end + 1;
    }
}

void Record::append(nlohmann::json row) {
    const std::string line = dumped(row) + "\n";
    if (write(rows_file_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
        throw std::runtime_error(
            fmt::format("{}: {}", (directory_ / rows_name_).string(), std::strerror(errno)));
    }
    rows_.push_back(std::move(row));
}

void Record::write_meta(const nlohmann::json& meta) const {
    const std::filesystem::path path = directory_ / kMeta;
    const std::filesystem::path fresh = directory_ / "meta.json.new";
    std::ofstream file(fresh);
    file << dumped(meta, 2) << '\n';
    file.close();
    if (!file) {
        throw std::runtime_error(fmt::format("{}: {}", fresh.string(), std::strerror(errno)));
    }
    std::filesystem::rename(fresh, path);
}

}  // namespace ouro::runner
