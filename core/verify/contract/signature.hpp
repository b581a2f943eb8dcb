// What a function takes: as its documentation says, in a text signature, or as it says itself when it is called, in the
// format and the keywords that it gives to PyArg_ParseTuple and the like.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/include/Python.h"

namespace ouro::contract {

struct Parameter {
    std::string keyword;      // "" if it is given by its position alone
    char unit = 'O';          // of the format: 'i', 's' and the like; 'O' if that is not known
    bool by_keyword = false;  // alone
};
struct Signature {
    std::vector<Parameter> parameters;
    size_t least = 0;  // of them must be given

    bool is_known() const { return !parameters.empty(); }
};

// Of `name(a, b=1, /, *, c)` at the beginning of a documentation, which may be NULL; without parameters if that does not
// begin so. `self` and its like are no parameters.
Signature signature_of_text(const char* documentation, std::string_view name);
// The same of a type's documentation, or of a function's in C; without parameters for what is neither.
Signature documented_signature(PyObject* callable, std::string_view name);
// `keywords` of PyArg_ParseTupleAndKeywords, with a space between two; "" for PyArg_ParseTuple.
Signature signature_of_format(std::string_view format, std::string_view keywords);

// Whether a literal of a script, "'a'" or "1.5", may be what a unit stands for.
bool fits(char unit, std::string_view literal);

// The format and the keywords of the first such call of the module since they were forgotten; "" if there was none, and
// for what is too long.
struct NotedArguments {
    char format[64];
    char keywords[160];
};
void watch_arguments();
void forget_noted_arguments();
const NotedArguments& noted_arguments();

}  // namespace ouro::contract
