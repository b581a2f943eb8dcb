// Reads any text as a results directory, meta.json before a NUL and runs.jsonl behind it: it is refused, or each row is an
// object that can be written again.

#include <algorithm>
#include <fstream>
#include <string>

#include "experiments/runner/run/record.hpp"
#include "tests/fuzz/checks.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace ouro;
    fuzz::Input input(data, size);
    std::ofstream(fuzz::scratch() / "meta.json", std::ios::binary) << input.text();
    const std::string rows = input.rest();
    std::ofstream(fuzz::scratch() / runner::kRuns, std::ios::binary) << rows;
    try {
        const auto record = runner::Record::look(fuzz::scratch());
        fuzz::expect(std::cmp_less_equal(record.rows().size(), std::ranges::count(rows, '\n')),
                     "more rows than lines");
        for (const auto& row : record.rows()) {
            fuzz::expect(row.is_object(), "a row that is no object");
            row.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        }
    } catch (const runner::BadDirectory& error) {
        fuzz::expect(std::string(error.what()).starts_with(fuzz::scratch().string()),
                     "a refusal without a place");
    }
    return 0;
}
