/* Runs the cases in one runtime, in the order of their files, and prints what they print.
 *
 *     same_NAME              all cases
 *     same_NAME --after C    those that come after case C: it was the end of the run before
 *     same_NAME --only C     case C
 *     same_NAME --left-out   the cases that are not to be compared, each with its reason
 */
#include "tests/same/same.h"

#include "tests/same/modules.h"

static SameCase* cases;

void same_register(SameCase* entry) {
    entry->next = cases;
    cases = entry;
}

static const char* base_name(const char* file) {
    const char* slash = strrchr(file, '/');
    return slash == NULL ? file : slash + 1;
}

static int compare(const void* left, const void* right) {
    const SameCase* a = *(SameCase* const*)left;
    const SameCase* b = *(SameCase* const*)right;
    const int by_file = strcmp(base_name(a->file), base_name(b->file));
    return by_file != 0 ? by_file : a->line - b->line;
}

static SameCase** sorted(size_t* count) {
    SameCase** all;
    SameCase* entry;
    size_t size = 0;
    for (entry = cases; entry != NULL; entry = entry->next) {
        ++size;
    }
    all = malloc((size + 1) * sizeof *all);
    if (all == NULL) {
        abort();
    }
    size = 0;
    for (entry = cases; entry != NULL; entry = entry->next) {
        all[size++] = entry;
    }
    qsort(all, size, sizeof *all, compare);
    *count = size;
    return all;
}

/* Each case begins with nothing to collect. */
static void run(const SameCase* entry) {
    printf("== %s\n", entry->name);
    fflush(stdout);
    if (setjmp(same_way_out) == 0) {
        entry->run();
    }
    if (PyErr_Occurred() != NULL) {
        raised("the case leaves an exception behind: it");
    }
    same_release();
    (void)PyGC_Collect();
    fflush(stdout);
}

int main(int argc, char** argv) {
    const char* option = argc > 1 ? argv[1] : "";
    const char* argument = argc > 2 ? argv[2] : "";
    size_t count;
    size_t i;
    SameCase** all = sorted(&count);
    int found = *argument == '\0';
    if (strcmp(option, "--left-out") == 0) {
        for (i = 0; i < count; ++i) {
            if (all[i]->left_out != NULL) {
                printf("%s: %s\n", all[i]->name, all[i]->left_out);
            }
        }
        free(all);
        return 0;
    }
    same_append_modules();
    Py_Initialize();
    if (PyType_Ready(&Tale_Type) < 0) {
        PyErr_Print();
        return 1;
    }
    (void)PyGC_Collect();
    for (i = 0; i < count; ++i) {
        const int is_it = strcmp(all[i]->name, argument) == 0;
        if (strcmp(option, "--only") == 0) {
            if (is_it) {
                run(all[i]);
                found = 1;
            }
        } else if (found) {
            run(all[i]);
        } else {
            found = is_it;
        }
    }
    free(all);
    printf("== the end\n");
    fflush(stdout);
    if (Py_FinalizeEx() < 0) {
        return 120;
    }
    return found ? 0 : 2;
}
