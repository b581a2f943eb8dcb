// Reads any text as a results directory, meta.json before a NUL and runs.jsonl behind it: it is refused, or each row is an
// object that can be written again.

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "experiments/runner/run/record.hpp"
#include "tests/fuzz/checks.hpp"

namespace ouro::fuzz {
namespace {

const std::filesystem::path& place() {
    static const std::filesystem::path path = [] {
        char folder[] = "/tmp/rows.XXXXXX";
        expect(mkdtemp(folder) != nullptr, "no directory");
        static const std::string own = folder;
        std::atexit([] { std::filesystem::remove_all(own); });
        return std::filesystem::path(own);
    }();
    return path;
}

}  // namespace
}  // namespace ouro::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace ouro;
    fuzz::Input input(data, size);
    std::ofstream(fuzz::place() / "meta.json", std::ios::binary) << input.text();
    const std::string rows = input.rest();
    std::ofstream(fuzz::place() / runner::kRuns, std::ios::binary) << rows;
    try {
        const auto record = runner::Record::look(fuzz::place());
        fuzz::expect(std::cmp_less_equal(record.rows().size(), std::ranges::count(rows, '\n')),
                     "more rows than lines");
        for (const auto& row : record.rows()) {
            fuzz::expect(row.is_object(), "a row that is no object");
            row.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        }
    } catch (const runner::BadDirectory& error) {
        fuzz::expect(std::string(error.what()).starts_with(fuzz::place().string()),
                     "a refusal without a place");
    }
    return 0;
}
