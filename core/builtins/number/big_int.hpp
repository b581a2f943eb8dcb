// What an int holds that no long does: a number of any size, and the exact steps to and from a double.
// Boost.Multiprecision computes; its memory is the heap's. What allocates throws std::bad_alloc:
// `guarded` makes of it what a function of the C API returns.
#pragma once

// GCC takes the pointer of a number whose limbs are inside it for one that may be followed, and warns of
// std::string's own copies (its bug 105651).
#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wrestrict"
#endif
#include <boost/multiprecision/cpp_int.hpp>
#pragma GCC diagnostic pop

#include <cstdint>
#include <exception>
#include <new>

#include "core/builtins/number/long.hpp"

namespace ouro::number {

template <class T>
struct HeapAllocator {
    using value_type = T;

    HeapAllocator() = default;
    template <class U>
    HeapAllocator(const HeapAllocator<U>&) {}  // they are all one

    T* allocate(size_t count) {
        void* memory = PyMem_Malloc(count * sizeof(T));
        if (memory == nullptr) {
            throw std::bad_alloc();
        }
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, size_t) { PyMem_Free(memory); }

    template <class U>
    bool operator==(const HeapAllocator<U>&) const {
        return true;
    }
};

using BigInt = boost::multiprecision::number<
    boost::multiprecision::cpp_int_backend<0, 0, boost::multiprecision::signed_magnitude,
                                           boost::multiprecision::unchecked,
                                           HeapAllocator<boost::multiprecision::limb_type>>,
    boost::multiprecision::et_off>;

using Limb = boost::multiprecision::limb_type;
static_assert(sizeof(Limb) == sizeof(uint64_t), "the steps below take limbs of 64 bits");

// Boost's own limit is 2^32 bits, beyond which it would drop bits: who makes numbers that may be larger
// asks first.
inline constexpr uint64_t kMostBits = 4'000'000'000;

// Throws where a result of so many bits is too large to be computed.
inline void require_bits(uint64_t bits) {
    if (bits > kMostBits) {
        throw std::bad_alloc();
    }
}

inline size_t limb_count(const BigInt& x) {
    return x.backend().size();
}
inline Limb limb(const BigInt& x, size_t i) {
    return x.backend().limbs()[i];
}
inline bool is_negative(const BigInt& x) {
    return x.backend().sign();
}

// Of the magnitude; 0 for 0.
uint64_t bit_length(const BigInt& x);

// The double nearest to x, of two the even one; an infinity where that is what is nearest.
double to_double(const BigInt& x);
// The whole part. Pre: value is finite.
BigInt from_double(double value);
// The sign of x - y, exactly. Pre: y is not a NaN.
int compare_to_double(const BigInt& x, double y);
// The double nearest to a / b, of two the even one; an infinity where it is too large. Pre: b != 0.
double true_quotient(const BigInt& a, const BigInt& b);
// The quotient rounded down, and what it leaves, which has the sign of b. Pre: b != 0.
void floor_divide(const BigInt& a, const BigInt& b, BigInt& quotient, BigInt& remainder);

// A new int of that value; an int that a long holds is made as one. Throws std::bad_alloc, or returns
// nullptr with MemoryError.
PyObject* new_int(BigInt value);

// What `compute` returns; out of memory is nullptr with MemoryError.
template <class Compute>
PyObject* guarded(Compute compute) {
    try {
        return compute();
    } catch (const std::exception&) {  // what cpp_int throws says that a number is too large
        return PyErr_NoMemory();
    }
}

}  // namespace ouro::number

struct _ouro_big_int {
    ouro::number::BigInt value;
};

namespace ouro::number {

// The value of an int, large or not, as a BigInt. Lives no longer than the reference to the int.
class Wide {
public:
    explicit Wide(PyObject* op) : big_(as_long(op)->ob_big), small_(as_long(op)->ob_value) {}

    const BigInt& operator*() const { return big_ != nullptr ? big_->value : small_; }
    const BigInt* operator->() const { return &**this; }

private:
    const _ouro_big_int* big_;
    const BigInt small_;
};

}  // namespace ouro::number
