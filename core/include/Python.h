/* The documented C API of cyclic garbage collection, as CPython names it. What is here is CPython's
 * in name, signature and behaviour (documentation of 3.15; where versions differ, 3.13's rules);
 * what is ours alone is in ouroboros.h.
 *
 * Compiles as C11 and as C++20. Unless a comment says otherwise a function may be called only by a
 * thread that is attached to the runtime (Py_Initialize attaches its caller).
 */
#ifndef OURO_PYTHON_H
#define OURO_PYTHON_H

#define PY_MAJOR_VERSION 3
#define PY_MINOR_VERSION 13
#define PY_MICRO_VERSION 0
#define PY_VERSION_HEX 0x030D00F0
#define PY_VERSION "3.13.0"

/* The standard headers that the documentation promises ("Introduction", Include Files), and those needed here. */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "ouroboros/abi.h"

#include "ouroboros/macros.h"

#include "ouroboros/object.h"

#include "ouroboros/refcount.h"

#include "ouroboros/typeobject.h"

#include "ouroboros/methods.h"

#include "ouroboros/buffer.h"

#include "ouroboros/heaptype.h"

#include "ouroboros/attribute.h"

#include "ouroboros/memory.h"

#include "ouroboros/gc.h"

#include "ouroboros/errors.h"

#include "ouroboros/exception.h"

#include "ouroboros/call.h"

#include "ouroboros/descriptor.h"

#include "ouroboros/typespec.h"

#include "ouroboros/number.h"

#include "ouroboros/complex.h"

#include "ouroboros/builtins.h"

#include "ouroboros/dict.h"

#include "ouroboros/sequence.h"

#include "ouroboros/mapping.h"

#include "ouroboros/iterator.h"

#include "ouroboros/slice.h"

#include "ouroboros/range.h"

#include "ouroboros/unicode.h"

#include "ouroboros/bytes.h"

#include "ouroboros/args.h"

#include "ouroboros/set.h"

#include "ouroboros/module.h"

#include "ouroboros/import.h"

#include "ouroboros/capsule.h"

#include "ouroboros/sysmodule.h"

#include "ouroboros/weakref.h"

#include "ouroboros/thread.h"

#include "ouroboros/lock.h"

#include "ouroboros/lifecycle.h"

#endif
