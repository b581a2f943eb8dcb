// Calls of a module, one after the other: what can be called, and a sequence as lines of a script and of C.
#pragma once

#include <string>
#include <vector>

#include "core/verify/contract/judged_run.hpp"
#include "core/verify/contract/signature.hpp"

namespace ouro::contract {

// What can be done with a module and its instances.
struct Action {
    // A call of what the module has; what an instance of a type has; the end of a name; a full collection.
    enum Kind {
        kCall,
        kMethod,
        kGet,
        kSet,
        kDelete,
        kGetItem,
        kSetItem,
        kDeleteItem,
        kDrop,
        kCollect
    };
    Kind kind;
    int type;          // number of the receiver's; of what a call makes, if that is a type; else -1
    std::string name;  // of the function, method or attribute
    int least, most;   // arguments
    Place place;
    const char* type_name;  // "" for a function
    Signature signature{};  // as the documentation has it

    // Arguments by a signature, and not one for each position.
    bool is_by_signature() const { return (kind == kCall || kind == kMethod) && most > 1; }
    bool has_value() const { return kind <= kGet || kind == kGetItem; }
    bool has_receiver() const { return kind != kCall && kind != kCollect; }
};
// The same in each process that has imported the module.
std::vector<Action> actions_of(PyObject* module);

// By number: "[]", "1" and the like.
struct Literal {
    const char* text;
    const char* format;  // for Py_BuildValue
    const char* value;   // and what follows it; or ""
};
const std::vector<Literal>& literals();

struct Argument {
    bool is_step;           // the value of an earlier step
    int number;             // of that, or of the literal
    std::string keyword{};  // "" if it is given by its position

    bool operator==(const Argument&) const = default;
};
struct Step {
    int action;
    int receiver = -1;  // number of the step whose value it is
    std::vector<Argument> arguments{};
};
using Sequence = std::vector<Step>;

// The variable of a step's value.
std::string name_of_step(size_t number);
std::vector<Line> script_lines(const std::vector<Action>& actions, const Sequence& sequence);
// With `module`, and with Python.h. `raised`: a step that raises an exception is followed by PyErr_Clear.
std::vector<std::string> c_lines(const std::vector<Action>& actions, const Sequence& sequence,
                                 const std::vector<bool>& raised);
// Without a step, and without those that use its value.
Sequence without_step(const Sequence& sequence, size_t number);

}  // namespace ouro::contract
