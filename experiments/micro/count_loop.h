/* The loops of count_loop.c, under the names that each compilation gives them. */
#ifndef OURO_MICRO_COUNT_LOOP_H
#define OURO_MICRO_COUNT_LOOP_H

#include <stddef.h>

struct _object;

#ifdef __cplusplus
extern "C" {
#endif

/* `pairs` on one object, or round-robin over `count` of them (a multiple of which `pairs` is). */
typedef void (*ouro_one_loop)(struct _object* op, size_t pairs);
typedef void (*ouro_many_loop)(struct _object* const* objects, size_t count, size_t pairs);

void ouro_program_one(struct _object* op, size_t pairs);
void ouro_program_many(struct _object* const* objects, size_t count, size_t pairs);
void ouro_plain_one(struct _object* op, size_t pairs);
void ouro_plain_many(struct _object* const* objects, size_t count, size_t pairs);

#ifdef __cplusplus
}
#endif

#endif
