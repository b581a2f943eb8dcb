#include "core/verify/contract/script.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string_view>
#include <vector>

#include "core/object/own.hpp"
#include "core/verify/contract/instances.hpp"
#include "core/verify/contract/module_types.hpp"
#include "core/verify/contract/visits.hpp"

namespace ouro::contract {
namespace {

using object::Own;

// Words, numbers and strings in quotes; any other character is a token of its own.
std::vector<std::string> tokens_of(std::string_view line) {
    std::vector<std::string> tokens;
    const auto is_word = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    };
    for (size_t at = 0; at < line.size() && line[at] != '#';) {
        const size_t from = at++;
        if (std::isspace(static_cast<unsigned char>(line[from])) != 0) {
            continue;
        }
        if (line[from] == '\'') {
            at = line.find('\'', at);
            at = at == std::string_view::npos ? line.size() : at + 1;
        } else if (is_word(line[from])) {
            while (at < line.size() && is_word(line[at])) {
                ++at;
            }
        }
        tokens.emplace_back(line.substr(from, at - from));
    }
    return tokens;
}

class Interpreter {
public:
    explicit Interpreter(PyObject* module) : module_(module) {}

    // False, with an exception, if the line cannot be read or raises one.
    bool run(std::string_view line) {
        tokens_ = tokens_of(line);
        at_ = 0;
        return tokens_.empty() || (statement() && (at_ == tokens_.size() || refuse()));
    }
    void check_names() const {
        for (const auto& [name, op] : names_) {
            const PyTypeObject* type = Py_TYPE(op.get());
            if (!is_module_type(type) || !is_container_type(type) || type->tp_traverse == nullptr) {
                continue;
            }
            for (PyObject* each : visits_of(op.get(), type->tp_traverse).objects) {
                const Py_ssize_t visits = visits_by_all(each);
                if (PyUnstable_IsImmortal(each) == 0 && visits > Py_REFCNT(each)) {
                    report(Rule::kTraverseUnowned, type->tp_name, function_at(type->tp_traverse),
                           fmt::format("a {} that {} visits has {} references, and all containers "
                                       "together visit it {} times",
                                       Py_TYPE(each)->tp_name, name, Py_REFCNT(each), visits));
                }
            }
        }
    }
    void forget_names() { names_.clear(); }

private:
    bool is_next(std::string_view token) const {
        return at_ < tokens_.size() && tokens_[at_] == token;
    }
    bool take(std::string_view token) {
        at_ += is_next(token) ? 1 : 0;
        return at_ > 0 && tokens_[at_ - 1] == token;
    }
    bool refuse() const {
        if (at_ < tokens_.size()) {
            PyErr_Format(PyExc_SyntaxError, "at '%s'", tokens_[at_].c_str());
        } else {
            PyErr_SetString(PyExc_SyntaxError, "at the end of the line");
        }
        return false;
    }
    std::string word() { return at_ < tokens_.size() ? tokens_[at_++] : std::string(); }

    bool statement() {
        if (is_next("collect")) {
            ++at_;
            PyGC_Enable();
            PyGC_Collect();
            PyGC_Disable();
            return true;
        }
        if (is_next("del")) {
            ++at_;
            return names_.erase(word()) != 0 || refuse();
        }
        const size_t equals = 1;
        if (tokens_.size() > equals && tokens_[equals] == "=") {
            const std::string name = word();
            ++at_;
            Own value = expression();
            return value ? (names_[name] = std::move(value), true) : false;
        }
        return set_or_call();
    }

    bool set_or_call() {
        if (tokens_.size() > 4 && tokens_[1] == "." && tokens_[3] == "=") {
            const Own owner = named(tokens_[0]);
            at_ = 4;
            const Own value = expression();
            return owner && value &&
                   PyObject_SetAttrString(owner.get(), tokens_[2].c_str(), value.get()) == 0;
        }
        return static_cast<bool>(expression());
    }

    Own named(const std::string& name) {
        const auto found = names_.find(name);
        return found != names_.end() ? Own(Py_NewRef(found->second.get()))
                                     : Own(PyObject_GetAttrString(module_, name.c_str()));
    }

    // A literal, or a name with attributes and calls after it.
    Own expression() {
        const std::string first = word();
        if (first == "None") {
            return Own(Py_NewRef(Py_None));
        }
        if (first == "[" && take("]")) {
            return Own(PyList_New(0));
        }
        if (first == "{" && take("}")) {
            return Own(PyDict_New());
        }
        if (first.starts_with('\'') && first.size() > 1) {
            return Own(PyUnicode_FromStringAndSize(first.data() + 1,
                                                   static_cast<Py_ssize_t>(first.size()) - 2));
        }
        if (!first.empty() &&
            (std::isdigit(static_cast<unsigned char>(first[0])) != 0 || first[0] == '-')) {
            return Own(PyLong_FromLong(std::strtol(first.c_str(), nullptr, 10)));
        }
        if (first.empty() || std::isalpha(static_cast<unsigned char>(first[0])) == 0) {
            at_ -= first.empty() ? 0 : 1;
            refuse();
            return Own();
        }
        Own value = named(first);
        while (value && (is_next(".") || is_next("("))) {
            if (word() == ".") {
                value = Own(PyObject_GetAttrString(value.get(), word().c_str()));
            } else {
                value = call(value.get());
            }
        }
        return value;
    }

    Own call(PyObject* callable) {
        const Own arguments(PyList_New(0));
        while (!is_next(")")) {
            const Own argument = expression();
            if (!argument || PyList_Append(arguments.get(), argument.get()) < 0) {
                return Own();
            }
            if (!is_next(")") && word() != ",") {
                --at_;
                refuse();
                return Own();
            }
        }
        ++at_;
        const Own tuple(PyList_AsTuple(arguments.get()));
        return Own(PyObject_Call(callable, tuple.get(), nullptr));
    }

    PyObject* module_;
    std::map<std::string, Own> names_;
    std::vector<std::string> tokens_;
    size_t at_ = 0;
};

using Left = std::map<PyObject*, PyTypeObject*>;

Left instances_alive() {
    Left left;
    PyUnstable_GC_VisitObjects(
        [](PyObject* op, void* arg) {
            if (is_module_type(Py_TYPE(op))) {
                static_cast<Left*>(arg)->emplace(op, Py_TYPE(op));
            }
            return 1;
        },
        &left);
    return left;
}

void check_left(const Left& before) {
    for (const auto& [op, type] : instances_alive()) {
        const Py_ssize_t unknown = Py_REFCNT(op) - visits_by_all(op);
        if (!before.contains(op) && unknown > 0) {
            report(Rule::kCountsKept, type->tp_name, place_of(type, type->tp_dealloc),
                   fmt::format("at the end of the script an instance is left, of whose {} "
                               "references {} are of nobody who visits it",
                               Py_REFCNT(op), unknown),
                   Certainty::kProbable);
        }
    }
}

void interpret(PyObject* module, const std::string& text) {
    const Left before = instances_alive();
    Interpreter interpreter(module);
    std::istringstream lines(text);
    size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        announce(Rule::kCallCrashes, "", {},
                 fmt::format("line {} of the script: {}", ++number, line));
        if (!interpreter.run(line)) {
            const Own raised(PyErr_GetRaisedException());
            const Own said(raised ? PyObject_Str(raised.get()) : nullptr);
            report_problem(fmt::format("line {} of the script: {}: {}", number,
                                       raised ? Py_TYPE(raised.get())->tp_name : "no exception",
                                       said ? PyUnicode_AsUTF8(said.get()) : ""));
            return;
        }
        interpreter.check_names();
    }
    announce(Rule::kCallCrashes, "", {}, "the end of the script");
    interpreter.forget_names();
    PyGC_Enable();
    PyGC_Collect();
    PyGC_Collect();
    check_left(before);
}

}  // namespace

void run_script(PyObject* module, const std::string& text, unsigned seconds) {
    look_alone(seconds, [&] { interpret(module, text); });
}

}  // namespace ouro::contract
