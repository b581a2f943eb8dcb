#include "core/builtins/number/big_int.hpp"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>

namespace ouro::number {
namespace {

constexpr int kLimbBits = 64;

// The highest 64 bits of the magnitude, the highest of them set, and whether any lower bit is.
struct Top {
    uint64_t bits;
    bool more;
};

// Pre: x != 0.
Top top_of(const BigInt& x) {
    const size_t last = limb_count(x) - 1;
    const int shift = std::countl_zero(limb(x, last));
    Top top{limb(x, last) << shift, false};
    size_t whole = last;  // limbs below this one are not in `bits`
    if (shift != 0 && last > 0) {
        --whole;
        top.bits |= limb(x, whole) >> (kLimbBits - shift);
        top.more = limb(x, whole) << shift != 0;
    }
    for (size_t i = 0; i < whole && !top.more; ++i) {
        top.more = limb(x, i) != 0;
    }
    return top;
}

}  // namespace

uint64_t bit_length(const BigInt& x) {
    const size_t last = limb_count(x) - 1;
    return last * kLimbBits + static_cast<uint64_t>(std::bit_width(limb(x, last)));
}

double to_double(const BigInt& x) {
    const uint64_t bits = bit_length(x);
    if (bits == 0) {
        return 0.0;
    }
    const double sign = is_negative(x) ? -1.0 : 1.0;
    if (bits > DBL_MAX_EXP) {
        return sign * HUGE_VAL;
    }
    // 64 bits are eleven more than a double has, so that their lowest may stand for all that are lower:
    // the conversion rounds once, and what follows is exact or an infinity.
    const Top top = top_of(x);
    const auto rounded = static_cast<double>(top.bits | (top.more ? 1 : 0));
    return sign * std::ldexp(rounded, static_cast<int>(bits) - kLimbBits);
}

BigInt from_double(double value) {
    int exponent;
    const double fraction = std::frexp(value, &exponent);
    if (exponent <= DBL_MANT_DIG) {
        return BigInt(static_cast<long>(value));
    }
    return BigInt(static_cast<long>(std::ldexp(fraction, DBL_MANT_DIG)))
           << static_cast<unsigned>(exponent - DBL_MANT_DIG);
}

int compare_to_double(const BigInt& x, double y) {
    const int x_sign = x.sign();
    const int y_sign = (y > 0) - (y < 0);
    if (x_sign != y_sign || x_sign == 0) {
        return x_sign < y_sign ? -1 : x_sign > y_sign ? 1 : 0;
    }
    if (std::isinf(y)) {
        return -y_sign;
    }
    int exponent;  // the bit length of y's whole part, if that is not 0
    const double fraction = std::frexp(std::fabs(y), &exponent);
    const auto bits = static_cast<int64_t>(bit_length(x));
    if (bits != exponent) {
        return bits < exponent ? -x_sign : x_sign;
    }
    // Aligned, the highest bit of both is set; a double has no bit below its 53.
    const Top top = top_of(x);
    const auto y_top = static_cast<uint64_t>(std::ldexp(fraction, kLimbBits));
    if (top.bits != y_top) {
        return top.bits < y_top ? -x_sign : x_sign;
    }
    return top.more ? x_sign : 0;
}

double true_quotient(const BigInt& a, const BigInt& b) {
    const double sign = is_negative(a) != is_negative(b) ? -1.0 : 1.0;
    if (a.is_zero()) {
        return sign * 0.0;
    }
    const int64_t scale = static_cast<int64_t>(bit_length(a)) - static_cast<int64_t>(bit_length(b));
    if (scale > DBL_MAX_EXP) {
        return sign * HUGE_VAL;
    }
    if (scale < DBL_MIN_EXP - DBL_MANT_DIG - 1) {
        return sign * 0.0;
    }
    // The quotient in units of 2^unit has two bits or three more than the result will keep: 53, or fewer
    // where the result is below the least normal double.
    const int unit = std::max(static_cast<int>(scale), DBL_MIN_EXP) - DBL_MANT_DIG - 2;
    BigInt dividend = abs(a);
    BigInt divisor = abs(b);
    if (unit < 0) {
        dividend <<= static_cast<unsigned>(-unit);
    } else {
        divisor <<= static_cast<unsigned>(unit);
    }
    BigInt quotient, remainder;
    divide_qr(dividend, divisor, quotient, remainder);
    const auto whole = static_cast<uint64_t>(limb(quotient, 0));
    const int extra =
        std::max(static_cast<int>(std::bit_width(whole)), DBL_MIN_EXP - unit) - DBL_MANT_DIG;
    // The quotient has two bits more than are kept, or more.
    const uint64_t half = uint64_t{1} << static_cast<unsigned>(std::max(extra, 1) - 1);
    const uint64_t rest = whole & (2 * half - 1);
    uint64_t kept = whole >> extra;
    const bool up = rest > half || (rest == half && (!remainder.is_zero() || (kept & 1) != 0));
    kept += up ? 1 : 0;
    return sign * std::ldexp(static_cast<double>(kept), unit + extra);
}

void floor_divide(const BigInt& a, const BigInt& b, BigInt& quotient, BigInt& remainder) {
    divide_qr(a, b, quotient, remainder);  // rounds towards 0
    if (!remainder.is_zero() && is_negative(remainder) != is_negative(b)) {
        --quotient;
        remainder += b;
    }
}

}  // namespace ouro::number
