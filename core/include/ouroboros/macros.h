/* Linkage, attributes and the small macros of the documented API. */
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
#define PY_SSIZE_T_MAX ((Py_ssize_t)(((size_t)-1) >> 1))
#define PY_SSIZE_T_MIN (-PY_SSIZE_T_MAX - 1)

#define Py_UNUSED(name) _unused_##name __attribute__((unused))
#define PyDoc_STR(text) text
#define PyDoc_STRVAR(name, text) static const char name[] = PyDoc_STR(text)

#endif
