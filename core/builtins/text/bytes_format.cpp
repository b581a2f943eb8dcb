// PyBytes_FromFormat. Source: "Bytes Objects" in the C API documentation.
#include <cctype>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "core/builtins/text/text_buffer.hpp"

using namespace ouro;
using text::TextBuffer;

namespace {

enum class Outcome { kDone, kNoConversion, kError };

// Appends what a conversion at *f, behind the percent sign, makes of the next argument; *f moves
// behind it.
Outcome convert(const char** f, va_list* arguments, TextBuffer* out) {
    const char* p = *f;
    const auto digits = [&p] {
        size_t number = 0;
        for (; *p >= '0' && *p <= '9'; ++p) {
            number = number * 10 + static_cast<size_t>(*p - '0');
        }
        return number;
    };
    digits();  // a width means nothing
    size_t precision = 0;
    if (*p == '.') {
        ++p;
        precision = digits();
    }
    while (*p != '\0' && *p != '%' && std::isalpha(static_cast<unsigned char>(*p)) == 0) {
        ++p;
    }
    char size = '\0';
    if ((*p == 'l' || *p == 'z') && (p[1] == 'd' || p[1] == 'u')) {
        size = *p++;
    }
    char number[24] = "";
    switch (*p) {
        case '%':
            out->append('%');
            break;
        case 'c': {
            const int c = va_arg(*arguments, int);
            if (c < 0 || c > 255) {
                PyErr_SetString(PyExc_OverflowError, "PyBytes_FromFormatV(): %c format expects an "
                                                     "integer in range [0; 255]");
                return Outcome::kError;
            }
            out->append(static_cast<char>(c));
            break;
        }
        case 'd':
        case 'i':
            std::snprintf(number, sizeof number, "%ld",
                          size == '\0' ? va_arg(*arguments, int) : va_arg(*arguments, long));
            break;
        case 'u':
            std::snprintf(number, sizeof number, "%lu",
                          size == '\0' ? va_arg(*arguments, unsigned)
                                       : va_arg(*arguments, unsigned long));
            break;
        case 'x':
            std::snprintf(number, sizeof number, "%x", va_arg(*arguments, unsigned));
            break;
        case 's': {
            const char* text = va_arg(*arguments, const char*);
            out->append(std::string_view(text, precision == 0 ? std::strlen(text)
                                                              : strnlen(text, precision)));
            break;
        }
        case 'p':
            out->append_pointer(va_arg(*arguments, const void*));
            break;
        default:
            return Outcome::kNoConversion;
    }
    out->append(number);
    *f = p + 1;
    return Outcome::kDone;
}

}  // namespace

PyObject* PyBytes_FromFormatV(const char* format, va_list arguments) {
    TextBuffer out;
    std::va_list copy;
    va_copy(copy, arguments);
    Outcome outcome = Outcome::kDone;
    for (const char* f = format; *f != '\0' && outcome == Outcome::kDone;) {
        const size_t plain = std::strcspn(f, "%");
        out.append(std::string_view(f, plain));
        f += plain;
        if (*f == '%') {
            const char* behind = f + 1;
            outcome = convert(&behind, &copy, &out);
            if (outcome == Outcome::kNoConversion) {
                out.append(f);
            }
            f = behind;
        }
    }
    va_end(copy);
    return outcome == Outcome::kError ? nullptr : out.to_bytes();
}

PyObject* PyBytes_FromFormat(const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    PyObject* made = PyBytes_FromFormatV(format, arguments);
    va_end(arguments);
    return made;
}
