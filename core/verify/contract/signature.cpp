#include "core/verify/contract/signature.hpp"

#include <algorithm>
#include <cctype>
#include <cstdarg>

#include "core/verify/contract/module_types.hpp"

namespace ouro::contract {
namespace {

std::string_view trimmed(std::string_view text) {
    const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
    while (!text.empty() && is_space(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && is_space(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

bool is_name(std::string_view text) {
    return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
           std::ranges::all_of(text, [](char c) {
               return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
           });
}

// What lies between commas, up to the parenthesis that closes; empty if none does. `text` begins after the one that opens.
std::vector<std::string_view> parts_of(std::string_view text) {
    std::vector<std::string_view> parts;
    int depth = 0;
    char quote = 0;
    size_t from = 0;
    for (size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (quote != 0) {
            quote = c == quote ? '\0' : quote;
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (c == '(' || c == '[' || c == '{') {
            ++depth;
        } else if ((c == ',' || c == ')') && depth == 0) {
            parts.push_back(trimmed(text.substr(from, at - from)));
            from = at + 1;
            if (c == ')') {
                return parts;
            }
        } else if (c == ')' || c == ']' || c == '}') {
            --depth;
        }
    }
    return {};
}

// ---- The module's calls ----

NotedArguments noted;
bool is_noted = false;

bool copy(char* to, size_t size, std::string_view text) {
    to[text.copy(to, size - 1)] = '\0';
    return text.size() < size;
}

void note(const char* format, char* const* keywords) {
    if (is_noted || format == nullptr) {
        return;
    }
    is_noted = true;
    std::string names;
    for (char* const* each = keywords; each != nullptr && *each != nullptr; ++each) {
        names.append(each == keywords ? "" : " ");
        names.append(*each);
    }
    if (!copy(noted.format, sizeof noted.format, format) ||
        !copy(noted.keywords, sizeof noted.keywords, names)) {
        noted = {};
    }
}

int watched_parse_tuple(PyObject* args, const char* format, ...) {
    note(format, nullptr);
    va_list places;
    va_start(places, format);
    const int result = PyArg_VaParse(args, format, places);
    va_end(places);
    return result;
}

int watched_va_parse(PyObject* args, const char* format, va_list places) {
    note(format, nullptr);
    return PyArg_VaParse(args, format, places);
}

int watched_with_keywords(PyObject* args, PyObject* kwargs, const char* format,
                          char* const* keywords, ...) {
    note(format, keywords);
    va_list places;
    va_start(places, keywords);
    const int result = PyArg_VaParseTupleAndKeywords(args, kwargs, format, keywords, places);
    va_end(places);
    return result;
}

int watched_va_with_keywords(PyObject* args, PyObject* kwargs, const char* format,
                             char* const* keywords, va_list places) {
    note(format, keywords);
    return PyArg_VaParseTupleAndKeywords(args, kwargs, format, keywords, places);
}

}  // namespace

Signature signature_of_text(const char* documentation, std::string_view name) {
    std::string_view text = documentation == nullptr ? "" : documentation;
    name = name.substr(name.rfind('.') + 1);
    if (!text.starts_with(name) || text.substr(name.size(), 1) != "(") {
        return {};
    }
    text.remove_prefix(name.size() + 1);
    Signature signature;
    bool by_keyword = false;
    for (std::string_view part : parts_of(text)) {
        if (part == "/") {
            for (Parameter& each : signature.parameters) {
                each.keyword.clear();
            }
            continue;
        }
        if (part.starts_with("*")) {
            by_keyword = true;
            continue;
        }
        const bool is_first = signature.parameters.empty();
        const bool is_optional = part.find('=') != std::string_view::npos;
        const std::string_view word = trimmed(part.substr(0, part.find_first_of("=:")));
        if (is_first && (word.starts_with("$") || word == "self" || word == "cls")) {
            continue;
        }
        if (!is_name(word)) {
            return {};
        }
        signature.parameters.push_back({std::string(word), 'O', by_keyword});
        signature.least += is_optional || by_keyword ? 0 : 1;
    }
    return signature;
}

Signature documented_signature(PyObject* callable, std::string_view name) {
    const char* const documentation =
        PyType_Check(callable)        ? reinterpret_cast<PyTypeObject*>(callable)->tp_doc
        : PyCFunction_Check(callable) ? reinterpret_cast<PyCFunctionObject*>(callable)->m_ml->ml_doc
                                      : nullptr;
    return signature_of_text(documentation, name);
}

Signature signature_of_format(std::string_view format, std::string_view keywords) {
    Signature signature;
    bool is_optional = false, by_keyword = false;
    int depth = 0;
    format = format.substr(0, format.find_first_of(":;"));
    for (size_t at = 0; at < format.size(); ++at) {
        const char c = format[at];
        if (c == '|') {
            is_optional = true;
        } else if (c == '$') {
            by_keyword = true;
        } else if (c == '(') {
            if (depth++ == 0) {
                signature.parameters.push_back({"", c, by_keyword});
                signature.least += is_optional ? 0 : 1;
            }
        } else if (c == ')') {
            --depth;
        } else if (std::isalpha(static_cast<unsigned char>(c)) != 0 && depth == 0) {
            at += c == 'e' ? 1 : 0;  // es, et
            signature.parameters.push_back({"", c, by_keyword});
            signature.least += is_optional ? 0 : 1;
        }
    }
    for (Parameter& each : signature.parameters) {
        const size_t end = std::min(keywords.find(' '), keywords.size());
        each.keyword = keywords.substr(0, end);
        keywords.remove_prefix(std::min(end + 1, keywords.size()));
    }
    return signature;
}

bool fits(char unit, std::string_view literal) {
    const auto is_one_of = [unit](std::string_view units) {
        return units.find(unit) != std::string_view::npos;
    };
    const bool is_number =
        std::isdigit(static_cast<unsigned char>(literal[0])) != 0 || literal[0] == '-';
    if (is_one_of("bBhHiIlkLKn")) {
        return is_number && literal.find('.') == std::string_view::npos;
    }
    return is_one_of("fdD")     ? is_number
           : is_one_of("szUCe") ? literal[0] == '\''
           : is_one_of("ySc")   ? literal[0] == 'b'
                                : unit != '(' || literal[0] == '(';
}

void watch_arguments() {
    const ModuleCalls& calls = module_calls();
    calls.redirect("PyArg_ParseTuple", reinterpret_cast<void*>(watched_parse_tuple));
    calls.redirect("PyArg_VaParse", reinterpret_cast<void*>(watched_va_parse));
    calls.redirect("PyArg_ParseTupleAndKeywords", reinterpret_cast<void*>(watched_with_keywords));
    calls.redirect("PyArg_VaParseTupleAndKeywords",
                   reinterpret_cast<void*>(watched_va_with_keywords));
}

void forget_noted_arguments() {
    noted = {};
    is_noted = false;
}

const NotedArguments& noted_arguments() {
    return noted;
}

}  // namespace ouro::contract
