/* Values of each thread. Source: "Thread-local storage support" in the C API documentation. The caller need not be
 * attached. */
#ifndef OURO_THREADLOCAL_H
#define OURO_THREADLOCAL_H

#include "ouroboros/macros.h"

#include <pthread.h>

OURO_BEGIN_C

typedef struct _Py_tss_t {
    int _is_initialized;
    pthread_key_t _key;
} Py_tss_t;
#define Py_tss_NEEDS_INIT \
    { 0, 0 }

/* A key that was not created yet, in memory of its own; NULL when memory is out. _free deletes it, too. */
PyAPI_FUNC(Py_tss_t*) PyThread_tss_alloc(void);
PyAPI_FUNC(void) PyThread_tss_free(Py_tss_t* key);
PyAPI_FUNC(int) PyThread_tss_is_created(Py_tss_t* key);
/* 0, also where it was created before; -1. */
PyAPI_FUNC(int) PyThread_tss_create(Py_tss_t* key);
/* All threads' values are forgotten; the key may be created again. */
PyAPI_FUNC(void) PyThread_tss_delete(Py_tss_t* key);
/* The calling thread's: 0, or -1. NULL at first. */
PyAPI_FUNC(int) PyThread_tss_set(Py_tss_t* key, void* value);
PyAPI_FUNC(void*) PyThread_tss_get(Py_tss_t* key);

/* The oldest form: keys are numbers, or -1. */
PyAPI_FUNC(int) PyThread_create_key(void);
PyAPI_FUNC(void) PyThread_delete_key(int key);
/* 0, or -1. */
PyAPI_FUNC(int) PyThread_set_key_value(int key, void* value);
PyAPI_FUNC(void*) PyThread_get_key_value(int key);
PyAPI_FUNC(void) PyThread_delete_key_value(int key);
#define PyThread_ReInitTLS() ((void)0)

OURO_END_C

#endif
