#include "core/verify/contract/call_sequence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/verify/contract/module_types.hpp"

namespace ouro::contract {
namespace {

constexpr int kMostArguments = 3;

struct Limits {
    int least, most;
};

Limits limits_of(int flags) {
    return (flags & METH_NOARGS) != 0 ? Limits{0, 0}
           : (flags & METH_O) != 0    ? Limits{1, 1}
                                      : Limits{0, kMostArguments};
}

class Collected {
public:
    explicit Collected(std::vector<Action>& actions) : actions_(actions) {}

    void add_module(PyObject* module) {
        PyObject *key, *value;
        for (Py_ssize_t at = 0; PyDict_Next(PyModule_GetDict(module), &at, &key, &value) != 0;) {
            const char* name = PyUnicode_Check(key) ? PyUnicode_AsUTF8(key) : nullptr;
            if (name == nullptr || name[0] == '_') {
                continue;
            }
            if (PyCFunction_Check(value)) {
                const auto [least, most] = limits_of(PyCFunction_GetFlags(value));
                PyCFunction function = PyCFunction_GetFunction(value);
                const bool is_own =
                    module_calls().contains(reinterpret_cast<const void*>(function));
                actions_.push_back({Action::kCall, -1, name, least, most,
                                    is_own ? function_at(function) : Place(), "",
                                    documented_signature(value, name)});
            } else if (PyType_Check(value)) {
                add_maker(name, reinterpret_cast<PyTypeObject*>(value));
            }
        }
    }

    void add_type(int number, const PyTypeObject* type) {
        number_ = number;
        type_ = type;
        for (const PyMethodDef* each = type->tp_methods;
             each != nullptr && each->ml_name != nullptr; ++each) {
            const auto [least, most] = limits_of(each->ml_flags);
            add(Action::kMethod, each->ml_name, least, most, each->ml_meth);
            actions_.back().signature = signature_of_text(each->ml_doc, each->ml_name);
        }
        for (const PyMemberDef* each = type->tp_members; each != nullptr && each->name != nullptr;
             ++each) {
            if (std::string_view(each->name).starts_with("__")) {
                continue;  // an offset, for PyType_FromSpec alone
            }
            add(Action::kGet, each->name, 0, 0, type->tp_getattro);
            if ((each->flags & Py_READONLY) == 0) {
                add(Action::kSet, each->name, 1, 1, type->tp_setattro);
                add(Action::kDelete, each->name, 0, 0, type->tp_setattro);
            }
        }
        for (const PyGetSetDef* each = type->tp_getset; each != nullptr && each->name != nullptr;
             ++each) {
            if (each->get != nullptr) {
                add(Action::kGet, each->name, 0, 0, each->get);
            }
            if (each->set != nullptr) {
                add(Action::kSet, each->name, 1, 1, each->set);
                add(Action::kDelete, each->name, 0, 0, each->set);
            }
        }
        add_any(type->tp_getattro, type->tp_setattro);
        add_any(type->tp_getattr, type->tp_setattr);
        add_slots();
        add_items();
        actions_.push_back({Action::kDrop, number, "", 0, 0, {}, type->tp_name});
    }

private:
    template <class Function>
    void add(Action::Kind kind, const char* name, int least, int most, Function* function) {
        const bool is_own = module_calls().contains(reinterpret_cast<const void*>(function));
        actions_.push_back({kind, number_, name, least, most,
                            is_own ? function_at(function) : Place(), type_->tp_name});
    }
    template <class Function>
    void add_slot(const char* name, int least, int most, Function* function) {
        if (module_calls().contains(reinterpret_cast<const void*>(function))) {
            add(Action::kMethod, name, least, most, function);
        }
    }

    // A type that takes attributes of any name.
    template <class Get, class Set>
    void add_any(Get* get, Set* set) {
        if (module_calls().contains(reinterpret_cast<const void*>(set))) {
            add(Action::kSet, "any", 1, 1, set);
            add(Action::kDelete, "any", 0, 0, set);
            add(Action::kGet, "any", 0, 0, get);
        }
    }

    void add_maker(const char* name, PyTypeObject* type) {
        const auto& types = module_types();
        const auto it = std::ranges::find(types, type);
        if (it != types.end()) {
            actions_.push_back(
                {Action::kCall, static_cast<int>(it - types.begin()), name, 0, kMostArguments,
                 place_of(type, type->tp_new), type->tp_name,
                 documented_signature(reinterpret_cast<PyObject*>(type), type->tp_name)});
        }
    }

    void add_slots() {
        add_slot("__repr__", 0, 0, type_->tp_repr);
        add_slot("__str__", 0, 0, type_->tp_str);
        add_slot("__hash__", 0, 0, type_->tp_hash);
        add_slot("__iter__", 0, 0, type_->tp_iter);
        add_slot("__next__", 0, 0, type_->tp_iternext);
        add_slot("__eq__", 1, 1, type_->tp_richcompare);
        add_slot("__call__", 0, kMostArguments, type_->tp_call);
        add_slot("__init__", 0, kMostArguments, type_->tp_init);
    }

    void add_items() {
        const PyMappingMethods* mapping = type_->tp_as_mapping;
        const PySequenceMethods* sequence = type_->tp_as_sequence;
        if (mapping != nullptr && mapping->mp_subscript != nullptr) {
            add(Action::kGetItem, "", 1, 1, mapping->mp_subscript);
        } else if (sequence != nullptr && sequence->sq_item != nullptr) {
            add(Action::kGetItem, "", 1, 1, sequence->sq_item);
        }
        if (mapping != nullptr && mapping->mp_ass_subscript != nullptr) {
            add(Action::kSetItem, "", 2, 2, mapping->mp_ass_subscript);
            add(Action::kDeleteItem, "", 1, 1, mapping->mp_ass_subscript);
        } else if (sequence != nullptr && sequence->sq_ass_item != nullptr) {
            add(Action::kSetItem, "", 2, 2, sequence->sq_ass_item);
            add(Action::kDeleteItem, "", 1, 1, sequence->sq_ass_item);
        }
        if (sequence != nullptr) {
            add_slot("__contains__", 1, 1, sequence->sq_contains);
        }
    }

    std::vector<Action>& actions_;
    int number_ = -1;
    const PyTypeObject* type_ = nullptr;
};

std::string in_script(const Argument& argument) {
    return argument.is_step ? name_of_step(static_cast<size_t>(argument.number))
                            : literals()[static_cast<size_t>(argument.number)].text;
}

std::string in_script(const std::vector<Argument>& arguments) {
    std::string text;
    for (const Argument& each : arguments) {
        text += (text.empty() ? "" : ", ") + each.keyword + (each.keyword.empty() ? "" : "=") +
                in_script(each);
    }
    return text;
}

enum class Braces { kNone, kTuple, kDict };

// `"format", value...` for Py_BuildValue; keywords stand before their values.
std::string in_c(const std::vector<Argument>& arguments, Braces braces) {
    std::string format, values;
    for (const Argument& each : arguments) {
        const Literal literal =
            each.is_step ? Literal{"", "O", ""} : literals()[static_cast<size_t>(each.number)];
        const std::string value = each.is_step ? in_script(each) : literal.value;
        format += each.keyword.empty() ? "" : "s";
        format += literal.format;
        values += each.keyword.empty() ? "" : fmt::format(", \"{}\"", each.keyword);
        values += value.empty() ? "" : ", " + value;
    }
    switch (braces) {
        case Braces::kTuple:
            return fmt::format("\"({})\"{}", format, values);
        case Braces::kDict:
            return fmt::format("\"{{{}}}\"{}", format, values);
        case Braces::kNone:
            break;
    }
    return fmt::format("\"{}\"{}", format, values);
}

std::string script_line(const Action& action, const Step& step, const std::string& name) {
    const std::string receiver =
        step.receiver < 0 ? "" : name_of_step(static_cast<size_t>(step.receiver));
    const std::string arguments = in_script(step.arguments);
    switch (action.kind) {
        case Action::kCall:
            return fmt::format("{} = {}({})", name, action.name, arguments);
        case Action::kMethod:
            return fmt::format("{} = {}.{}({})", name, receiver, action.name, arguments);
        case Action::kGet:
            return fmt::format("{} = {}.{}", name, receiver, action.name);
        case Action::kSet:
            return fmt::format("{}.{} = {}", receiver, action.name, arguments);
        case Action::kDelete:
            return fmt::format("del {}.{}", receiver, action.name);
        case Action::kGetItem:
            return fmt::format("{} = {}[{}]", name, receiver, arguments);
        case Action::kSetItem:
            return fmt::format("{}[{}] = {}", receiver, in_script(step.arguments[0]),
                               in_script(step.arguments[1]));
        case Action::kDeleteItem:
            return fmt::format("del {}[{}]", receiver, arguments);
        case Action::kDrop:
            return "del " + receiver;
        case Action::kCollect:
            break;
    }
    return "collect";
}

std::string c_call(const std::string& receiver, const std::string& method, const Step& step) {
    return fmt::format("PyObject_CallMethod({}, \"{}\", {})", receiver, method,
                       step.arguments.empty() ? "NULL" : in_c(step.arguments, Braces::kTuple));
}

// With keywords, or without.
std::string c_statement(const std::string& receiver, const std::string& method, const Step& step,
                        const std::string& name) {
    const auto first = std::ranges::find_if(
        step.arguments, [](const Argument& each) { return !each.keyword.empty(); });
    if (first == step.arguments.end()) {
        return fmt::format("PyObject* {} = {};", name, c_call(receiver, method, step));
    }
    return fmt::format(
        "PyObject* {0}_f = PyObject_GetAttrString({1}, \"{2}\"); "
        "PyObject* {0}_args = Py_BuildValue({3}); PyObject* {0}_kwargs = Py_BuildValue({4}); "
        "PyObject* {0} = PyObject_Call({0}_f, {0}_args, {0}_kwargs); "
        "Py_DECREF({0}_f); Py_DECREF({0}_args); Py_DECREF({0}_kwargs);",
        name, receiver, method, in_c({step.arguments.begin(), first}, Braces::kTuple),
        in_c({first, step.arguments.end()}, Braces::kDict));
}

std::string c_line(const Action& action, const Step& step, const std::string& name) {
    const std::string receiver =
        step.receiver < 0 ? "" : name_of_step(static_cast<size_t>(step.receiver));
    switch (action.kind) {
        case Action::kCall:
            return c_statement("module", action.name, step, name);
        case Action::kMethod:
            return c_statement(receiver, action.name, step, name);
        case Action::kGet:
            return fmt::format("PyObject* {} = PyObject_GetAttrString({}, \"{}\");", name, receiver,
                               action.name);
        case Action::kSet:
            return fmt::format("PyObject* {0} = Py_BuildValue({1}); PyObject_SetAttrString({2}, "
                               "\"{3}\", {0}); Py_DECREF({0});",
                               name, in_c(step.arguments, Braces::kNone), receiver, action.name);
        case Action::kDelete:
            return fmt::format("PyObject_DelAttrString({}, \"{}\");", receiver, action.name);
        case Action::kGetItem:
            return fmt::format("PyObject* {} = {};", name, c_call(receiver, "__getitem__", step));
        case Action::kSetItem:
            return fmt::format("Py_XDECREF({});", c_call(receiver, "__setitem__", step));
        case Action::kDeleteItem:
            return fmt::format("Py_XDECREF({});", c_call(receiver, "__delitem__", step));
        case Action::kDrop:
            return fmt::format("Py_CLEAR({});", receiver);
        case Action::kCollect:
            break;
    }
    return "PyGC_Collect();";
}

}  // namespace

std::vector<Action> actions_of(PyObject* module) {
    std::vector<Action> actions;
    Collected collected(actions);
    collected.add_module(module);
    const auto& types = module_types();
    for (size_t number = 0; number < types.size(); ++number) {
        collected.add_type(static_cast<int>(number), types[number]);
    }
    actions.push_back({Action::kCollect, -1, "", 0, 0, {}, ""});
    return actions;
}

// Of two characters, because one alone is an object that lives for ever. What can be called and does not, before what does.
// The last has more items than what is made for a few has room for.
const std::vector<Literal>& literals() {
    static const std::vector<Literal> all = {
        {"[]", "[]", ""},
        {"1", "i", "1"},
        {"'ab'", "s", "\"ab\""},
        {"None", "O", "Py_None"},
        {"{}", "{}", ""},
        {"(1, 2)", "(ii)", "1, 2"},
        {"1.5", "d", "1.5"},
        {"b'ab'", "y", "\"ab\""},
        {"dict.fromkeys", "N", "PyObject_GetAttrString((PyObject*)&PyDict_Type, \"fromkeys\")"},
        {"list", "O", "(PyObject*)&PyList_Type"},
        {"0", "i", "0"},
        {"-1", "i", "-1"},
        {"'a'", "s", "\"a\""},
        {"'abcdefghijklmnopqrstuvwxyz'", "s", "\"abcdefghijklmnopqrstuvwxyz\""}};
    return all;
}

std::string name_of_step(size_t number) {
    return std::string(1, static_cast<char>('a' + number));
}

std::vector<Line> script_lines(const std::vector<Action>& actions, const Sequence& sequence) {
    std::vector<Line> lines;
    for (const Step& step : sequence) {
        const Action& action = actions[static_cast<size_t>(step.action)];
        lines.push_back({script_line(action, step, name_of_step(lines.size())), action.place,
                         action.type_name});
    }
    return lines;
}

std::vector<std::string> c_lines(const std::vector<Action>& actions, const Sequence& sequence,
                                 const std::vector<bool>& raised) {
    std::vector<std::string> lines;
    std::string end;
    for (size_t number = 0; number < sequence.size(); ++number) {
        const Action& action = actions[static_cast<size_t>(sequence[number].action)];
        const std::string name = name_of_step(number);
        lines.push_back(c_line(action, sequence[number], name) +
                        (raised[number] ? " PyErr_Clear();" : ""));
        if (action.has_value()) {
            end += fmt::format("{}Py_XDECREF({});", end.empty() ? "" : " ", name);
        }
    }
    if (!end.empty()) {
        lines.push_back(end);
    }
    return lines;
}

Sequence without_step(const Sequence& sequence, size_t number) {
    Sequence left;
    std::vector<int> numbers;  // of each step in what is left, or -1
    for (size_t at = 0; at < sequence.size(); ++at) {
        Step step = sequence[at];
        bool stays = at != number;
        if (step.receiver >= 0) {
            step.receiver = numbers[static_cast<size_t>(step.receiver)];
            stays = stays && step.receiver >= 0;
        }
        for (Argument& each : step.arguments) {
            if (each.is_step) {
                each.number = numbers[static_cast<size_t>(each.number)];
                stays = stays && each.number >= 0;
            }
        }
        numbers.push_back(stays ? static_cast<int>(left.size()) : -1);
        if (stays) {
            left.push_back(std::move(step));
        }
    }
    return left;
}

}  // namespace ouro::contract
