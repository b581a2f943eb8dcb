/* Pairs of an increment and a decrement, compiled three times: into the program, into the program
 * with bare counts, and into a shared object as an extension module is. */
#include "experiments/micro/count_loop.h"

#include "Python.h"

/* Keeps the compiler from folding a pair. */
#define OURO_KEEP() __asm__ volatile("" ::: "memory")

__attribute__((visibility("default"))) void OURO_ONE(PyObject* op, size_t pairs) {
    for (size_t i = 0; i < pairs; ++i) {
        Py_INCREF(op);
        OURO_KEEP();
        Py_DECREF(op);
        OURO_KEEP();
    }
}

__attribute__((visibility("default"))) void OURO_MANY(PyObject* const* objects, size_t count,
                                                      size_t pairs) {
    for (size_t done = 0; done < pairs; done += count) {
        for (size_t i = 0; i < count; ++i) {
            PyObject* op = objects[i];
            Py_INCREF(op);
            OURO_KEEP();
            Py_DECREF(op);
            OURO_KEEP();
        }
    }
}
