/* Linkage, attributes and the small macros of the documented API ("Useful macros" of the "Introduction"). */
#ifndef OURO_MACROS_H
#define OURO_MACROS_H

#ifdef __cplusplus
#define OURO_BEGIN_C extern "C" {
#define OURO_END_C }
#else
#define OURO_BEGIN_C
#define OURO_END_C
#endif

#define OURO_API __attribute__((visibility("default")))
#define PyAPI_FUNC(type) OURO_API type
#define PyAPI_DATA(type) extern OURO_API type

#define OURO_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define OURO_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* A declaration that may hide one of the same name outside it: a macro's, in a nested use. */
#define OURO_MAY_SHADOW(declaration)                                              \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"") \
        declaration _Pragma("GCC diagnostic pop")

#define OURO_CAST(type, expression) ((type)(expression))

#ifdef __cplusplus
#define OURO_STATIC_ASSERT(condition, text) static_assert(condition, text)
#else
#define OURO_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#endif

typedef ssize_t Py_ssize_t;
typedef Py_ssize_t Py_hash_t;
typedef size_t Py_uhash_t;
typedef Py_ssize_t Py_ssize_clean_t;
typedef intptr_t Py_intptr_t;
typedef uintptr_t Py_uintptr_t;
#define PY_SSIZE_T_MAX ((Py_ssize_t)(((size_t)-1) >> 1))
#define PY_SSIZE_T_MIN (-PY_SSIZE_T_MAX - 1)
#define PY_SIZE_MAX SIZE_MAX

/* What the compilers of the time did not all have. */
#define PY_LONG_LONG long long
#define PY_LLONG_MIN LLONG_MIN
#define PY_LLONG_MAX LLONG_MAX
#define PY_ULLONG_MAX ULLONG_MAX
#define PY_INT32_T int32_t
#define PY_UINT32_T uint32_t
#define PY_INT64_T int64_t
#define PY_UINT64_T uint64_t
/* Of a Py_ssize_t in a format of printf. */
#define PY_FORMAT_SIZE_T "z"
#define Py_VA_COPY va_copy
#define Py_MEMCPY memcpy

#define Py_UNUSED(name) _unused_##name __attribute__((unused))
#define PyDoc_STR(text) text
#define PyDoc_VAR(name) static const char name[]
#define PyDoc_STRVAR(name, text) PyDoc_VAR(name) = PyDoc_STR(text)

/* Of two numbers, each of which may be evaluated twice. */
#define Py_MIN(x, y) (((x) > (y)) ? (y) : (x))
#define Py_MAX(x, y) (((x) > (y)) ? (x) : (y))
#define Py_ABS(x) ((x) < 0 ? -(x) : (x))
/* An unsigned char's value, of any char. */
#define Py_CHARMASK(c) ((unsigned char)((c)&0xff))
#define Py_STRINGIFY(x) OURO_STRINGIFY(x)
#define OURO_STRINGIFY(x) #x
#define Py_MEMBER_SIZE(type, member) sizeof(((type*)0)->member)
/* How many items an array of known size has. */
#define Py_ARRAY_LENGTH(array) (sizeof(array) / sizeof((array)[0]))
/* A condition that a compiler must find true: a statement; and an expression, which is 0. */
#define Py_BUILD_ASSERT(condition)             \
    do {                                       \
        (void)Py_BUILD_ASSERT_EXPR(condition); \
    } while (0)
#define Py_BUILD_ASSERT_EXPR(condition) (sizeof(char[1 - 2 * !(condition)]) - 1)
#define Py_SAFE_DOWNCAST(value, wide, narrow) ((narrow)(value))
/* A shift that keeps the sign, as the compilers here do it. */
#define Py_ARITHMETIC_RIGHT_SHIFT(type, value, count) ((value) >> (count))
#define Py_FORCE_EXPANSION(x) x

/* Where no execution comes to: the program ends if it does. */
#define Py_UNREACHABLE() __builtin_trap()
#define Py_ALIGNED(bytes) __attribute__((aligned(bytes)))
#define Py_LL(number) number##LL
#define Py_ULL(number) number##ULL
/* There are threads. */
#define Py_CAN_START_THREADS 1

#define Py_ALWAYS_INLINE __attribute__((always_inline))
#define Py_NO_INLINE __attribute__((noinline))
#define _Py_NO_RETURN __attribute__((noreturn))
#define Py_DEPRECATED(version) __attribute__((deprecated))
#define Py_GCC_ATTRIBUTE(attribute) __attribute__(attribute)
#define Py_LOCAL(type) static type
#define Py_LOCAL_INLINE(type) static inline type
#define Py_LOCAL_SYMBOL __attribute__((visibility("hidden")))
#define Py_EXPORTED_SYMBOL OURO_API
#define Py_IMPORTED_SYMBOL OURO_API
#define Py_GETENV(name) getenv(name)

/* Letters and digits of ASCII, whatever the locale is. */
static inline unsigned _Ouro_IsLower(unsigned c) {
    return c - 'a' <= 'z' - 'a';
}
static inline unsigned _Ouro_IsUpper(unsigned c) {
    return c - 'A' <= 'Z' - 'A';
}
static inline unsigned _Ouro_IsDigit(unsigned c) {
    return c - '0' <= '9' - '0';
}
static inline unsigned _Ouro_IsSpace(unsigned c) {
    return c == ' ' || c - '\t' <= '\r' - '\t';
}
static inline unsigned _Ouro_IsHex(unsigned c) {
    return _Ouro_IsDigit(c) || (c | 32) - 'a' <= 'f' - 'a';
}
#define Py_ISLOWER(c) _Ouro_IsLower(Py_CHARMASK(c))
#define Py_ISUPPER(c) _Ouro_IsUpper(Py_CHARMASK(c))
#define Py_ISALPHA(c) _Ouro_IsLower(Py_CHARMASK(c) | 32U)
#define Py_ISDIGIT(c) _Ouro_IsDigit(Py_CHARMASK(c))
#define Py_ISXDIGIT(c) _Ouro_IsHex(Py_CHARMASK(c))
#define Py_ISALNUM(c) (Py_ISALPHA(c) || Py_ISDIGIT(c))
#define Py_ISSPACE(c) _Ouro_IsSpace(Py_CHARMASK(c))
#define Py_TOLOWER(c) (Py_ISUPPER(c) ? Py_CHARMASK(c) | 32 : Py_CHARMASK(c))
#define Py_TOUPPER(c) (Py_ISLOWER(c) ? Py_CHARMASK(c) & ~32 : Py_CHARMASK(c))

#endif
