#include "core/verify/contract/interpreter.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

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

bool begins_name(const std::string& token) {
    return !token.empty() &&
           (std::isalpha(static_cast<unsigned char>(token[0])) != 0 || token[0] == '_');
}

bool begins_number(const std::string& token) {
    return !token.empty() &&
           (std::isdigit(static_cast<unsigned char>(token[0])) != 0 || token[0] == '-');
}

bool is_text(const std::string& token) {
    return token.size() > 1 && token.front() == '\'' && token.back() == '\'';
}

}  // namespace

PyObject* Literals::next(const std::function<PyObject*()>& make) {
    if (next_ == all_.size()) {
        PyObject* op = make();
        if (op == nullptr) {
            return nullptr;
        }
        for (Py_ssize_t i = 1; i < kHeld; ++i) {
            Py_INCREF(op);
        }
        all_.push_back(op);
    }
    return Py_NewRef(all_[next_++]);
}

Py_ssize_t Interpreter::references_to(const PyObject* op) const {
    Py_ssize_t references = 0;
    for (const auto& [name, value] : names_) {
        references += value.get() == op ? 1 : 0;
    }
    for (const PyObject* each :
         literals_ == nullptr ? std::vector<PyObject*>() : literals_->all()) {
        references += each == op ? Literals::kHeld : 0;
    }
    return references;
}

PyObject* new_callable() {
    return PyObject_GetAttrString(reinterpret_cast<PyObject*>(&PyDict_Type), "fromkeys");
}

bool Interpreter::run(std::string_view line) {
    tokens_ = tokens_of(line);
    at_ = 0;
    return tokens_.empty() || (statement() && (at_ == tokens_.size() || refuse()));
}

bool Interpreter::is_next(std::string_view token) const {
    return at_ < tokens_.size() && tokens_[at_] == token;
}

bool Interpreter::take(std::string_view token) {
    const bool is = is_next(token);
    at_ += is ? 1 : 0;
    return is;
}

bool Interpreter::refuse() const {
    if (at_ < tokens_.size()) {
        PyErr_Format(PyExc_SyntaxError, "at '%s'", tokens_[at_].c_str());
    } else {
        PyErr_SetString(PyExc_SyntaxError, "at the end of the line");
    }
    return false;
}

std::string Interpreter::word() {
    return at_ < tokens_.size() ? tokens_[at_++] : std::string();
}

bool Interpreter::expect(std::string_view token) {
    return take(token) || refuse();
}

bool Interpreter::statement() {
    if (tokens_.size() == 1 && take("collect")) {
        PyGC_Enable();
        PyGC_Collect();
        PyGC_Disable();
        return true;
    }
    if (take("del")) {
        return remove();
    }
    if (tokens_.size() > 1 && tokens_[1] == "=") {
        const std::string name = word();
        ++at_;
        Own value = expression();
        return value ? (names_[name] = std::move(value), true) : false;
    }
    return set_or_call();
}

// A name, an attribute or an item.
bool Interpreter::remove() {
    const std::string name = word();
    if (!is_next(".") && !is_next("[")) {
        return names_.erase(name) != 0 || refuse();
    }
    const Own owner = named(name);
    if (!owner) {
        return false;
    }
    if (take(".")) {
        return PyObject_DelAttrString(owner.get(), word().c_str()) == 0;
    }
    ++at_;
    const Own key = expression();
    return key && expect("]") && PyObject_DelItem(owner.get(), key.get()) == 0;
}

bool Interpreter::set_or_call() {
    if (tokens_.size() > 4 && tokens_[1] == "." && tokens_[3] == "=") {
        const Own owner = named(tokens_[0]);
        at_ = 4;
        const Own value = owner ? expression() : Own();
        return value && PyObject_SetAttrString(owner.get(), tokens_[2].c_str(), value.get()) == 0;
    }
    const auto ends_item = [](const std::string& one, const std::string& next) {
        return one == "]" && next == "=";
    };
    if (tokens_.size() > 1 && tokens_[1] == "[" &&
        std::ranges::adjacent_find(tokens_, ends_item) != tokens_.end()) {
        const Own owner = named(tokens_[0]);
        at_ = 2;
        const Own key = owner ? expression() : Own();
        const Own value = key && expect("]") && expect("=") ? expression() : Own();
        return value && PyObject_SetItem(owner.get(), key.get(), value.get()) == 0;
    }
    return static_cast<bool>(expression());
}

Own Interpreter::named(const std::string& name) {
    if (const auto found = names_.find(name); found != names_.end()) {
        return Own(Py_NewRef(found->second.get()));
    }
    Own value(PyObject_GetAttrString(module_, name.c_str()));
    if (!value && name == "list") {
        PyErr_Clear();
        value = Own(Py_NewRef(reinterpret_cast<PyObject*>(&PyList_Type)));
    }
    return value;
}

Own Interpreter::made(const std::function<PyObject*()>& make) {
    return Own(literals_ == nullptr ? make() : literals_->next(make));
}

// What begins with `first`, which was taken, and is no name; nullptr with an exception.
Own Interpreter::literal(const std::string& first) {
    if (first == "[" && take("]")) {
        return made([] { return PyList_New(0); });
    }
    if (first == "{" && take("}")) {
        return made(PyDict_New);
    }
    if (first == "(") {
        return arguments();
    }
    if (is_text(first)) {
        return made([&] {
            return PyUnicode_FromStringAndSize(first.data() + 1,
                                               static_cast<Py_ssize_t>(first.size()) - 2);
        });
    }
    if (begins_number(first)) {
        return take(".")
                   ? Own(PyFloat_FromDouble(std::strtod((first + "." + word()).c_str(), nullptr)))
                   : Own(PyLong_FromLong(std::strtol(first.c_str(), nullptr, 10)));
    }
    at_ -= first.empty() ? 0 : 1;
    refuse();
    return Own();
}

// A literal, or a name with attributes, items and calls after it.
Own Interpreter::expression() {
    const std::string first = word();
    if (first == "None") {
        return Own(Py_NewRef(Py_None));
    }
    if (first == "b" && at_ < tokens_.size() && is_text(tokens_[at_])) {
        const std::string text = word();
        return made([&] {
            return PyBytes_FromStringAndSize(text.data() + 1,
                                             static_cast<Py_ssize_t>(text.size()) - 2);
        });
    }
    if (first == "dict" && take(".")) {
        return expect("fromkeys") ? made(new_callable) : Own();
    }
    if (!begins_name(first)) {
        return literal(first);
    }
    Own value = named(first);
    while (value && (is_next(".") || is_next("(") || is_next("["))) {
        if (take(".")) {
            value = Own(PyObject_GetAttrString(value.get(), word().c_str()));
        } else if (take("(")) {
            const Given all = given();
            value = all.positional
                        ? Own(PyObject_Call(value.get(), all.positional.get(), all.keywords.get()))
                        : Own();
        } else {
            ++at_;
            const Own key = expression();
            value = key && expect("]") ? Own(PyObject_GetItem(value.get(), key.get())) : Own();
        }
    }
    return value;
}

bool Interpreter::is_keyword() const {
    return at_ + 1 < tokens_.size() && begins_name(tokens_[at_]) && tokens_[at_ + 1] == "=";
}

// What stands before the closing parenthesis: a tuple, and a dict if there is a keyword. No tuple with an exception.
Interpreter::Given Interpreter::given() {
    Given all;
    const Own list(PyList_New(0));
    while (list && !take(")")) {
        std::string keyword;
        if (is_keyword()) {
            keyword = word();
            ++at_;
            all.keywords = all.keywords ? std::move(all.keywords) : Own(PyDict_New());
        } else if (all.keywords) {
            refuse();  // by its position, after one with a keyword
            return Given();
        }
        const Own argument = expression();
        const bool is_kept =
            argument &&
            (keyword.empty()
                 ? PyList_Append(list.get(), argument.get()) == 0
                 : all.keywords && PyDict_SetItemString(all.keywords.get(), keyword.c_str(),
                                                        argument.get()) == 0);
        if (!is_kept || (!is_next(")") && !expect(","))) {
            return Given();
        }
    }
    all.positional = Own(list ? PyList_AsTuple(list.get()) : nullptr);
    return all;
}

// What stands before the closing parenthesis of a tuple.
Own Interpreter::arguments() {
    const Own list(PyList_New(0));
    while (!take(")")) {
        const Own argument = expression();
        if (!argument || PyList_Append(list.get(), argument.get()) < 0) {
            return Own();
        }
        if (!is_next(")") && !expect(",")) {
            return Own();
        }
    }
    return Own(PyList_AsTuple(list.get()));
}

}  // namespace ouro::contract
