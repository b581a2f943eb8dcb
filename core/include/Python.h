/* The documented C API of cyclic garbage collection, as CPython names it. What is here is CPython's
 * in name, signature and behaviour (documentation of 3.15; where versions differ, 3.13's rules);
 * what is ours alone is in ouroboros.h.
 *
 * Compiles as C11 and as C++20. Unless a comment says otherwise a function may be called only by a
 * thread that is attached to the runtime (Py_Initialize attaches its caller).
 */
#ifndef OURO_PYTHON_H
#define OURO_PYTHON_H
#define Py_PYTHON_H

#define PY_MAJOR_VERSION 3
#define PY_MINOR_VERSION 14
#define PY_MICRO_VERSION 0
#define PY_RELEASE_LEVEL PY_RELEASE_LEVEL_FINAL
#define PY_RELEASE_LEVEL_ALPHA 0xA
#define PY_RELEASE_LEVEL_BETA 0xB
#define PY_RELEASE_LEVEL_GAMMA 0xC
#define PY_RELEASE_LEVEL_FINAL 0xF
#define PY_RELEASE_SERIAL 0
#define PY_VERSION_HEX 0x030E00F0
#define PY_VERSION "3.14.0"
#define Py_PACK_FULL_VERSION(major, minor, micro, level, serial)               \
    ((((major)&0xff) << 24) | (((minor)&0xff) << 16) | (((micro)&0xff) << 8) | \
     (((level)&0xf) << 4) | (((serial)&0xf) << 0))
#define Py_PACK_VERSION(major, minor) Py_PACK_FULL_VERSION(major, minor, 0, 0, 0)
/* What a source asks about Python 2 and 3. */
#define Py_USING_UNICODE 1
#define Py_UNICODE_WIDE 1

#include "ouroboros/config.h"

/* The standard headers that the documentation promises ("Introduction", Include Files), and those needed here. */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

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

#include "ouroboros/long_bytes.h"

#include "ouroboros/complex.h"

#include "ouroboros/builtins.h"

#include "ouroboros/dict.h"

#include "ouroboros/sequence.h"

#include "ouroboros/mapping.h"

#include "ouroboros/iterator.h"

#include "ouroboros/structseq.h"

#include "ouroboros/slice.h"

#include "ouroboros/range.h"

#include "ouroboros/more_types.h"

#include "ouroboros/context.h"

#include "ouroboros/unicode.h"

#include "ouroboros/unicode_data.h"

#include "ouroboros/codecs.h"

#include "ouroboros/bytes.h"

#include "ouroboros/bytearray.h"

#include "ouroboros/memoryview.h"

#include "ouroboros/args.h"

#include "ouroboros/set.h"

#include "ouroboros/module.h"

#include "ouroboros/import.h"

#include "ouroboros/capsule.h"

#include "ouroboros/sysmodule.h"

#include "ouroboros/string_conversion.h"

#include "ouroboros/hash.h"

#include "ouroboros/clock.h"

#include "ouroboros/weakref.h"

#include "ouroboros/thread.h"

#include "ouroboros/threadlocal.h"

#include "ouroboros/frame.h"

#include "ouroboros/lock.h"

#include "ouroboros/lifecycle.h"

#endif
