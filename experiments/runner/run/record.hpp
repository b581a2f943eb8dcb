// A results directory: runs.jsonl, meta.json, events/, captured/; or that of a search, whose rows are probes.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace ouro::runner {

// The directory cannot be used; the message says why.
class BadDirectory : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

inline constexpr const char* kRuns = "runs.jsonl";
inline constexpr const char* kProbes = "probes.jsonl";

// What is written here is whole after any end of the process: a row is one write at the end of
// its file, meta.json is replaced as a whole.
class Record {
public:
    // A directory without results; it is made if need be. Throws BadDirectory.
    static Record begin(const std::filesystem::path& directory, const char* rows = kRuns);
    // A directory with results, to go on with. A last row that was not written to its end is cut
    // off. Throws BadDirectory.
    static Record resume(const std::filesystem::path& directory, const char* rows = kRuns);

    // A directory with results, to read only: half a last row is left out. Throws BadDirectory, also
    // while somebody writes there.
    static Record look(const std::filesystem::path& directory);

    Record(Record&& other) noexcept;
    Record& operator=(Record&&) = delete;
    ~Record();

    const std::filesystem::path& directory() const { return directory_; }
    // Every row, those of earlier sessions included.
    const std::vector<nlohmann::json>& rows() const { return rows_; }
    // meta.json as it was found; null in a new directory.
    const nlohmann::json& found_meta() const { return meta_; }
    // Whether resume() cut off half a row, or look() left it out.
    bool was_cut() const { return was_cut_; }

    // Appends a row. Throws std::runtime_error if it cannot be written.
    void append(nlohmann::json row);
    void write_meta(const nlohmann::json& meta) const;

private:
    Record(const std::filesystem::path& directory, const char* rows);
    void open(int flags);
    void read_meta(const std::string& purpose);
    void read_rows(bool cut);

    std::filesystem::path directory_;
    const char* rows_name_;
    int rows_file_ = -1;
    bool was_cut_ = false;
    std::vector<nlohmann::json> rows_;
    nlohmann::json meta_;
};

}  // namespace ouro::runner
