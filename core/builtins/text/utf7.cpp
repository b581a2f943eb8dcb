// UTF-7. Source: RFC 2152.
#include "core/builtins/text/codec_loop.hpp"
#include "core/builtins/text/encodings.hpp"

using namespace ouro;
using text::TextBuffer;

namespace {

// The value of a character of base64; -1 of any other.
int base64_value(char c) {
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

char base64_digit(uint32_t value) {
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[value & 0x3F];
}

// What stands for itself when it is read, and when it is written.
bool reads_itself(char c) {
    return static_cast<unsigned char>(c) < 0x80 && c != '+';
}
bool writes_itself(char32_t c) {
    return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c <= 0x7D && c != '+' && c != '\\');
}

class Utf7Decoder {
public:
    Utf7Decoder(std::string_view bytes, const char* errors)
        : bytes_(bytes), handling_("utf7", errors) {}

    PyObject* decode(Py_ssize_t* consumed) {
        do {
            while (at_ < bytes_.size()) {
                const char* error = step();
                if (error != nullptr && !mend(error, at_)) {
                    return nullptr;
                }
            }
            if (in_base64_ && consumed == nullptr && !end_of_base64()) {
                return nullptr;
            }
        } while (at_ < bytes_.size());
        if (consumed != nullptr) {
            if (in_base64_) {
                out_.truncate(size_at_start_);
            }
            *consumed = static_cast<Py_ssize_t>(in_base64_ ? start_ : at_);
        }
        return out_.to_str();
    }

private:
    // One character; nullptr, or what is wrong between start_ and at_.
    const char* step() {
        const char c = bytes_[at_];
        if (in_base64_) {
            return base64_value(c) >= 0 ? digit(c) : leave(c);
        }
        if (c == '+') {
            return enter();
        }
        if (!reads_itself(c)) {
            start_ = at_++;
            return "unexpected special character";
        }
        ++at_;
        out_.append(c);
        return nullptr;
    }

    const char* enter() {
        start_ = at_++;
        if (at_ < bytes_.size() && bytes_[at_] == '-') {
            ++at_;
            out_.append('+');
        } else if (at_ < bytes_.size() && base64_value(bytes_[at_]) < 0) {
            ++at_;
            return "ill-formed sequence";
        } else {
            in_base64_ = true;
            surrogate_ = bits_ = value_ = 0;
            size_at_start_ = out_.view().size();
        }
        return nullptr;
    }

    const char* digit(char c) {
        value_ = value_ << 6 | static_cast<uint32_t>(base64_value(c));
        bits_ += 6;
        ++at_;
        if (bits_ >= 16) {
            bits_ -= 16;
            unit(value_ >> bits_ & 0xFFFF);
            value_ &= (1U << bits_) - 1;
        }
        return nullptr;
    }

    void unit(char32_t c) {
        if (surrogate_ != 0 && Py_UNICODE_IS_LOW_SURROGATE(c)) {
            out_.append_code_point(Py_UNICODE_JOIN_SURROGATES(surrogate_, c));
            surrogate_ = 0;
            return;
        }
        if (surrogate_ != 0) {
            out_.append_code_point(surrogate_);
            surrogate_ = 0;
        }
        if (Py_UNICODE_IS_HIGH_SURROGATE(c)) {
            surrogate_ = c;
        } else {
            out_.append_code_point(c);
        }
    }

    const char* leave(char c) {
        in_base64_ = false;
        if (bits_ >= 6) {
            ++at_;
            return "partial character in shift sequence";
        }
        if (bits_ > 0 && value_ != 0) {
            ++at_;
            return "non-zero padding bits in shift sequence";
        }
        if (surrogate_ != 0 && reads_itself(c)) {
            out_.append_code_point(surrogate_);
        }
        surrogate_ = 0;
        if (c == '-') {
            ++at_;
        }
        return nullptr;
    }

    bool end_of_base64() {
        in_base64_ = false;
        return (surrogate_ == 0 && bits_ < 6 && (bits_ == 0 || value_ == 0)) ||
               mend("unterminated shift sequence", bytes_.size());
    }

    bool mend(const char* reason, size_t end) {
        return handling_.decode(bytes_, start_, end, reason, &out_, &at_);
    }

    const std::string_view bytes_;
    text::CodecErrors handling_;
    TextBuffer out_;
    size_t at_ = 0;
    size_t start_ = 0;  // of the sequence that an error names
    bool in_base64_ = false;
    size_t size_at_start_ = 0;  // of the text, before the sequence
    char32_t surrogate_ = 0;    // the first one of a pair, or none
    uint32_t bits_ = 0;         // so many low ones of value_ are left
    uint32_t value_ = 0;
};

// Writes the bits of units of 16 as characters of base64.
class Base64Writer {
public:
    explicit Base64Writer(TextBuffer* out) : out_(out) {}
    void unit(char32_t c) {
        value_ = value_ << 16 | (c & 0xFFFF);
        for (bits_ += 16; bits_ >= 6;) {
            bits_ -= 6;
            out_->append(base64_digit(value_ >> bits_));
        }
    }
    // What is left.
    void end() {
        if (bits_ > 0) {
            out_->append(base64_digit(value_ << (6 - bits_)));
        }
        bits_ = value_ = 0;
    }

private:
    TextBuffer* const out_;
    uint32_t bits_ = 0;
    uint32_t value_ = 0;
};

}  // namespace

PyObject* text::encode_utf7(PyObject* op, const char*) {
    if (!text::require_str_argument(op)) {
        return nullptr;
    }
    TextBuffer out;
    Base64Writer base64(&out);
    bool in_base64 = false;
    const std::string_view all = text_in(op);
    for (const char* p = all.data(); p < all.data() + all.size();) {
        const char32_t c = text::utf8::next(&p);
        if (writes_itself(c)) {
            if (in_base64) {
                base64.end();
                if (c == '-' || base64_value(static_cast<char>(c)) >= 0) {
                    out.append('-');
                }
                in_base64 = false;
            }
            out.append(static_cast<char>(c));
            continue;
        }
        if (!in_base64) {
            out.append('+');
            if (c == '+') {
                out.append('-');
                continue;
            }
            in_base64 = true;
        }
        if (c >= 0x10000) {
            base64.unit(Py_UNICODE_HIGH_SURROGATE(c));
        }
        base64.unit(c >= 0x10000 ? Py_UNICODE_LOW_SURROGATE(c) : c);
    }
    if (in_base64) {
        base64.end();
        out.append('-');
    }
    return out.to_bytes();
}

PyObject* PyUnicode_DecodeUTF7(const char* bytes, Py_ssize_t size, const char* errors) {
    return PyUnicode_DecodeUTF7Stateful(bytes, size, errors, nullptr);
}

PyObject* PyUnicode_DecodeUTF7Stateful(const char* bytes, Py_ssize_t size, const char* errors,
                                       Py_ssize_t* consumed) {
    std::string_view view;
    return text::take_bytes(bytes, size, &view) ? Utf7Decoder(view, errors).decode(consumed)
                                                : nullptr;
}
