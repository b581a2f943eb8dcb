// An extension module at work: a function of it, called over and over, by several threads at once.
#pragma once

#include <exception>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace ouro::runner {

struct ExtOptions {
    std::string module;  // its file
    std::vector<std::string>
        call;             // a function, perhaps of an object of the module, and its arguments
    uint64_t repeat = 1;  // calls of each thread
    unsigned threads = 1;
};

// Python code would have printed an exception; so it was.
class ExceptionPrinted : public std::exception {};

// Imports the module and calls the function: the result row (experiments/schema), with the repr of the last
// result of the first thread, or of the module if nothing was called, as "result"; pauses are those of the
// first eight threads. An argument is an int if it can be read as one, else a float, else a str. Ends the
// runtime. Throws ExceptionPrinted.
nlohmann::json bench_ext(const ExtOptions& options);

}  // namespace ouro::runner
