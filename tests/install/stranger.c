/* Makes a list that holds itself, drops it, and has it collected. Returns 0 if all went as the
 * documentation says. */
#include <Python.h>
#include <ouroboros.h>
#include <ouroboros/version.h>
#include <stdio.h>

int main(void) {
    Py_Initialize();
    PyObject* list = PyList_New(0);
    if (list == NULL || PyList_Append(list, list) < 0) {
        fputs("the list could not be made\n", stderr);
        return 1;
    }
    Py_DECREF(list);
    const Py_ssize_t found = PyGC_Collect();
    if (found != 1) {
        fprintf(stderr, "%ld objects were found unreachable, not 1\n", (long)found);
        return 1;
    }
    printf("Ouroboros %s, built from %s\n", OURO_VERSION, OURO_COMMIT);
    return Py_FinalizeEx() == 0 ? 0 : 1;
}
