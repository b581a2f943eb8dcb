#include "core/builtins/module/punycode.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ouro::module {
namespace {

// The parameters of Punycode, by the names that RFC 3492 gives them.
constexpr uint64_t kBase = 36, kTmin = 1, kTmax = 26, kSkew = 38, kDamp = 700;
constexpr uint64_t kInitialBias = 72, kInitialN = 128;

char digit(uint64_t value) {
    return static_cast<char>(value < 26 ? 'a' + value : '0' + (value - 26));
}

uint64_t adapt(uint64_t delta, uint64_t points, bool first) {
    delta = first ? delta / kDamp : delta / 2;
    delta += delta / points;
    uint64_t k = 0;
    for (; delta > (kBase - kTmin) * kTmax / 2; k += kBase) {
        delta /= kBase - kTmin;
    }
    return k + (kBase - kTmin + 1) * delta / (delta + kSkew);
}

void append_number(std::string* out, uint64_t number, uint64_t bias) {
    for (uint64_t k = kBase;; k += kBase) {
        const uint64_t threshold = k <= bias ? kTmin : std::min(k - bias, kTmax);
        if (number < threshold) {
            out->push_back(digit(number));
            return;
        }
        out->push_back(digit(threshold + (number - threshold) % (kBase - threshold)));
        number = (number - threshold) / (kBase - threshold);
    }
}

// The code points of ASCII, a hyphen if there are any, and the others as what must be put where among them.
std::string punycode(const std::vector<Py_UCS4>& points) {
    std::string out;
    for (const Py_UCS4 point : points) {
        if (point < kInitialN) {
            out.push_back(static_cast<char>(point));
        }
    }
    const uint64_t basic = out.size();
    if (basic > 0) {
        out.push_back('-');
    }
    uint64_t n = kInitialN, delta = 0, bias = kInitialBias;
    for (uint64_t done = basic; done < points.size();) {
        uint64_t next = UINT32_MAX;
        for (const Py_UCS4 point : points) {
            next = point >= n ? std::min<uint64_t>(next, point) : next;
        }
        delta += (next - n) * (done + 1);
        n = next;
        for (const Py_UCS4 point : points) {
            delta += point < n ? 1 : 0;
            if (point == n) {
                append_number(&out, delta, bias);
                bias = adapt(delta, done + 1, done == basic);
                delta = 0;
                ++done;
            }
        }
        ++delta;
        ++n;
    }
    return out;
}

}  // namespace

bool init_function_name(PyObject* name, std::string* function) {
    if (PyUnicode_AsUTF8(name) == nullptr) {
        return false;
    }
    std::vector<Py_UCS4> points(static_cast<size_t>(PyUnicode_GetLength(name)));
    for (size_t i = 0; i < points.size(); ++i) {
        points[i] = PyUnicode_ReadChar(name, static_cast<Py_ssize_t>(i));
    }
    const bool is_ascii = std::ranges::all_of(points, [](Py_UCS4 point) { return point < 128; });
    *function =
        is_ascii ? std::string("PyInit_") + PyUnicode_AsUTF8(name) : "PyInitU_" + punycode(points);
    std::ranges::replace(*function, '-', '_');
    return true;
}

}  // namespace ouro::module
