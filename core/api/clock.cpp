// Clocks. Source: "PyTime C API" in the C API documentation.
#include "core/include/Python.h"

namespace {

int read(clockid_t clock, PyTime_t* time) {
    timespec now;
    *time = 0;
    if (clock_gettime(clock, &now) != 0) {
        return -1;
    }
    *time = PyTime_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
    return 0;
}

int or_error(int result) {
    if (result < 0) {
        PyErr_SetFromErrno(PyExc_OSError);
    }
    return result;
}

}  // namespace

double PyTime_AsSecondsDouble(PyTime_t time) {
    return static_cast<double>(time) * 1e-9;
}

int PyTime_TimeRaw(PyTime_t* time) {
    return read(CLOCK_REALTIME, time);
}
int PyTime_MonotonicRaw(PyTime_t* time) {
    return read(CLOCK_MONOTONIC, time);
}
int PyTime_PerfCounterRaw(PyTime_t* time) {
    return read(CLOCK_MONOTONIC, time);
}
int PyTime_Time(PyTime_t* time) {
    return or_error(PyTime_TimeRaw(time));
}
int PyTime_Monotonic(PyTime_t* time) {
    return or_error(PyTime_MonotonicRaw(time));
}
int PyTime_PerfCounter(PyTime_t* time) {
    return or_error(PyTime_PerfCounterRaw(time));
}
