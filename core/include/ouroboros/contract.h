/* Checks an extension module against the rules that the documents have for types which support cyclic garbage
 * collection. Not part of Python.h: for tools. */
#ifndef OURO_CONTRACT_H
#define OURO_CONTRACT_H

#include "Python.h"

OURO_BEGIN_C

/* A rule; static strings all. */
typedef struct {
    const char* tag;      /* "traverse.forgets" */
    const char* says;     /* the rule */
    const char* document; /* and where it is from */
    const char* how;      /* "type", "call", "perturbation": what is looked at */
    const char* remedy;   /* what an author can do */
    int probable;         /* what is seen may have another reason: a finding is only probable */
} OuroRule;
/* The rules by number, from 0; NULL past the last one. */
PyAPI_FUNC(const OuroRule*) Ouro_ContractRule(size_t number);

/* A rule that was broken. Strings live until the callback returns. */
typedef struct {
    const OuroRule* rule;
    int certain;        /* 0: only probably broken */
    const char* type;   /* its tp_name, or "" */
    const char* detail; /* what was seen */
    const char*
        file; /* the shared object with the function at fault or the call in it; "" if not known */
    uint64_t
        offset;  /* of that in the file as it is loaded: an address minus the file's load address */
    int is_call; /* whether it is a call in the middle of a function, not a function's beginning */
    const char* symbol; /* what the file's dynamic symbols call it, or "" */
    const char* script; /* calls that bring it about, as lines of a script, or "" */
    const char* c;      /* the same in C, with `module` */
} OuroFinding;
typedef void (*OuroFindingCallback)(const OuroFinding* finding, void* arg);

typedef struct {
    unsigned seconds; /* that one step, a child process, may take; 0: 20 */
    const char*
        script;    /* lines that are run as well (core/verify/contract/script.hpp); NULL: none */
    uint64_t seed; /* of the random calls: the same seed makes the same calls */
    unsigned sequences; /* of random calls, and as many again for each type; 0: 400 */
} OuroCheckOptions;
typedef struct {
    size_t types;     /* of the module */
    size_t instances; /* of these, types of which instances could be made */
    size_t steps;     /* child processes */
} OuroCheckSummary;

/* Checks the module in a shared object. Everything of it runs in child processes, each with a runtime of its own under
 * the settings of this one; so the caller's must not have begun, and the caller may have no other thread. `found` is
 * called for each rule that is broken, once a type and place. 0; -1 if the module cannot be imported or no process can
 * be made: then *problem is why, a static string that the next call replaces, and what was found before was
 * reported. */
PyAPI_FUNC(int)
    Ouro_CheckModule(const char* path, const OuroCheckOptions* options, OuroFindingCallback found,
                     void* arg, OuroCheckSummary* summary, const char** problem);

OURO_END_C

#endif
