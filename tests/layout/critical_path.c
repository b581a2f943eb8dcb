/* Executes each path of core/CRITICAL_PATH.md one instruction at a time and prints the registers before every
 * instruction: critical_path.py makes the page's listings of them. Compiled as an author compiles an extension. With
 * the trap flag set the processor raises SIGTRAP after each instruction.
 *
 * Argument: the offset in the library of ouro::heap::tables. Output: a word and numbers in hexadecimal a line. */
#define _GNU_SOURCE
#include <Python.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

/* The paths that are inline, as a compiler makes them where they are used. */
void incref(void* op) {
    Py_INCREF((PyObject*)op);
}

void decref(void* op) {
    Py_DECREF((PyObject*)op);
}

/* The paths of the library. */
static PyObject* allocated;

static void allocate(void* type) {
    allocated = _PyObject_GC_New((PyTypeObject*)type);
}

typedef struct {
    PyObject_HEAD
    PyObject* first;
    PyObject* second;
} Pair;

static int pair_traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(((Pair*)self)->first);
    Py_VISIT(((Pair*)self)->second);
    return 0;
}

/* Not of a path: what a type does here is its author's. */
void pair_dealloc(PyObject* self) {
    (void)self;
}

static PyTypeObject pair_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "critical_path.Pair",
    .tp_basicsize = sizeof(Pair),
    .tp_dealloc = pair_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = pair_traverse,
};

enum { REGISTERS = REG_RIP + 1, MOST_STEPS = 4096, RUNS = 5 };
static greg_t steps[MOST_STEPS][REGISTERS];
static size_t step_count;

static void note_step(int signal_number, siginfo_t* info, void* context) {
    (void)signal_number;
    (void)info;
    if (step_count < MOST_STEPS) {
        memcpy(steps[step_count++], ((ucontext_t*)context)->uc_mcontext.gregs, sizeof(steps[0]));
    }
}

/* path(argument), with the trap flag set. */
void call_in_steps(void (*path)(void*), void* argument);
__asm__(".text\n"
        ".type call_in_steps, @function\n"
        "call_in_steps:\n"
        "    pushq %rbp\n"
        "    movq %rdi, %rax\n"
        "    movq %rsi, %rdi\n"
        "    pushfq\n"
        "    orq $0x100, (%rsp)\n"
        "    popfq\n"
        "    call *%rax\n"
        "    pushfq\n"
        "    andq $~0x100, (%rsp)\n"
        "    popfq\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size call_in_steps, . - call_in_steps\n");

/* The object of the path is what it allocates, or its argument. */
static void print_steps(const char* name, void (*path)(void*), void* argument) {
    step_count = 0;
    call_in_steps(path, argument);
    printf("path %s %lx\n", name, (unsigned long)(path == allocate ? allocated : argument));
    for (size_t i = 0; i < step_count; ++i) {
        printf("step");
        for (int k = 0; k < REGISTERS; ++k) {
            printf(" %lx", (unsigned long)steps[i][k]);
        }
        printf("\n");
    }
}

static void print_base(const char* name, const void* address) {
    Dl_info info;
    if (dladdr(address, &info) == 0) {
        abort();
    }
    printf("%s %lx %s\n", name, (unsigned long)info.dli_fbase, info.dli_fname);
}

static void own_paths(void) {
    for (int run = 0; run < RUNS; ++run) {
        print_steps("allocate", allocate, &pair_type);
        PyObject* op = allocated;
        ((Pair*)op)->first = ((Pair*)op)->second = NULL;
        print_steps("track", PyObject_GC_Track, op);
        print_steps("incref", incref, op);
        print_steps("decref", decref, op);
        print_steps("untrack", PyObject_GC_UnTrack, op);
        print_steps("last-decref", decref, op);
        print_steps("free", PyObject_GC_Del, op);
        print_steps("immortal-incref", incref, Py_None);
    }
}

static pthread_barrier_t made, done;

static void* other_thread(void* op) {
    const PyGILState_STATE state = PyGILState_Ensure();
    allocate(&pair_type);
    *(PyObject**)op = allocated;
    PyThreadState* own = PyEval_SaveThread();
    pthread_barrier_wait(&made);
    pthread_barrier_wait(&done);
    PyEval_RestoreThread(own);
    PyObject_GC_Del(*(PyObject**)op);
    PyGILState_Release(state);
    return NULL;
}

/* Of an object that belongs to another thread. */
static void foreign_paths(void) {
    PyObject* op = NULL;
    pthread_t thread;
    pthread_barrier_init(&made, NULL, 2);
    pthread_barrier_init(&done, NULL, 2);
    if (pthread_create(&thread, NULL, other_thread, &op) != 0) {
        abort();
    }
    PyThreadState* own = PyEval_SaveThread();
    pthread_barrier_wait(&made);
    PyEval_RestoreThread(own);
    Py_INCREF(op);
    for (int run = 0; run < RUNS; ++run) {
        print_steps("foreign-incref", incref, op);
        print_steps("foreign-decref", decref, op);
    }
    own = PyEval_SaveThread();
    pthread_barrier_wait(&done);
    pthread_join(thread, NULL);
    PyEval_RestoreThread(own);
}

int main(int argc, char** argv) {
    Py_Initialize();
    PyGC_Disable();
    if (argc != 2 || PyType_Ready(&pair_type) != 0) {
        return 1;
    }
    const struct sigaction action = {.sa_sigaction = note_step, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &action, NULL);
    print_base("program", (void*)incref);
    print_base("library", (void*)Py_Initialize);
    Dl_info info;
    dladdr((void*)Py_Initialize, &info);
    uintptr_t tables[16];
    memcpy(tables, (char*)info.dli_fbase + strtoul(argv[1], NULL, 16), sizeof(tables));
    printf("tables");
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); ++i) {
        printf(" %lx", (unsigned long)tables[i]);
    }
    printf("\nthread %lx\ntype %lx %lx\n", (unsigned long)__builtin_thread_pointer(),
           (unsigned long)&pair_type, sizeof(pair_type));
    own_paths();
    if (strstr(getenv("OURO") != NULL ? getenv("OURO") : "", "refcount=biased") != NULL) {
        foreign_paths();
    }
    return Py_FinalizeEx() < 0;
}
