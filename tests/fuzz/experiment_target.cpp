// Reads any text as an experiment: it is a table, or every mistake is told with its place. What follows a NUL in the input
// is what the command line overrides. Nothing of it is run.

#include <fstream>
#include <string>
#include <vector>

#include "experiments/runner/run/document.hpp"
#include "tests/fuzz/checks.hpp"

namespace ouro::fuzz {
namespace {

// A file beside which lies what it may include.
const std::string& place() {
    static const std::string path = [] {
        std::ofstream(scratch() / "other.toml") << "seed = 1\n";
        return (scratch() / "x.toml").string();
    }();
    return path;
}

}  // namespace
}  // namespace ouro::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace ouro;
    fuzz::Input input(data, size);
    const std::string text = input.text();
    // Whoever names another file means it, be it a terminal.
    if (text.find("/dev") != std::string::npos || text.find("/proc") != std::string::npos) {
        return 0;
    }
    std::ofstream(fuzz::place(), std::ios::binary) << text;
    std::vector<std::string> overrides;
    while (!input.is_at_end()) {
        overrides.push_back(input.text());
    }
    runner::Mistakes mistakes;
    const auto document = runner::read_document({fuzz::place()}, overrides, mistakes);
    fuzz::expect(document.table.is_table(), "what is no table");
    fuzz::expect(mistakes.none() || mistakes.text().find(':') != std::string::npos,
                 "a mistake without a place");
    fuzz::expect(!mistakes.none() || document.files.back().text == text, "another text");
    return 0;
}
