// How instances of the module's types are made: by calling its types and functions with arguments of all kinds.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/verify/contract/channel.hpp"

namespace ouro::contract {

// A way to make an instance: the same in each process that has imported the module.
struct Recipe {
    static constexpr size_t kMost = 8;  // arguments
    int type = -1;                      // number of the type whose instance it makes
    int source = 0;                     // number of a callable of the module
    int count = 0;                      // of arguments
    int arguments[kMost] = {};
    bool iterate = false;  // the instance is what iter() makes of the result
};

// Finds recipes, up to a few for each type: in child processes, because a call may crash.
std::vector<Recipe> find_recipes(PyObject* module, unsigned seconds);

// in_child (channel.hpp), with no collection but those that `look` asks for.
void look_alone(unsigned seconds, const std::function<void()>& look);

// A new reference; nullptr, without an exception. If `probe` is not NULL it takes the place of argument number `at`.
PyObject* make_instance(PyObject* module, const Recipe& recipe, PyObject* probe = nullptr,
                        int at = 0);
// The call of a recipe: nullptr with its exception, or what it made, of whatever type.
PyObject* call_of(PyObject* module, const Recipe& recipe, PyObject* probe, int at);
// "'a'".
std::string text_of_argument(const Recipe& recipe, int at);
// As an author would write it: "Custom(None, 'a')".
std::string text_of(PyObject* module, const Recipe& recipe);

}  // namespace ouro::contract
