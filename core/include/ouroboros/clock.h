/* Clocks. Source: "PyTime C API" in the C API documentation. */
#ifndef OURO_CLOCK_H
#define OURO_CLOCK_H

#include "ouroboros/macros.h"

OURO_BEGIN_C

/* Nanoseconds. */
typedef int64_t PyTime_t;
#define PyTime_MIN INT64_MIN
#define PyTime_MAX INT64_MAX

/* In seconds. Never fails; the caller need not be attached. */
PyAPI_FUNC(double) PyTime_AsSecondsDouble(PyTime_t time);

/* *time is since the Epoch (Time), or since some moment, by a clock that never goes back. 0; or -1 with an exception, if
 * the system refuses, and *time 0. _Raw: the caller need not be attached, and there is no exception. */
PyAPI_FUNC(int) PyTime_Time(PyTime_t* time);
PyAPI_FUNC(int) PyTime_Monotonic(PyTime_t* time);
PyAPI_FUNC(int) PyTime_PerfCounter(PyTime_t* time);
PyAPI_FUNC(int) PyTime_TimeRaw(PyTime_t* time);
PyAPI_FUNC(int) PyTime_MonotonicRaw(PyTime_t* time);
PyAPI_FUNC(int) PyTime_PerfCounterRaw(PyTime_t* time);

OURO_END_C

#endif
