// What the sources of the module datetime share. Source: "datetime" in the library reference.
#pragma once

#include <string>
#include <string_view>

#include "core/include/ouroboros/datetime.h"
#include "core/object/own.hpp"

namespace ouro::date {

extern PyTypeObject DeltaType, DateType, TimeType, DateTimeType, TzinfoType, TimezoneType;
// The constant timezone.utc, immortal.
PyObject* utc();

// A number of microseconds: that of any two timedeltas, and products of them, fit.
__extension__ using Microseconds = __int128;
inline constexpr Microseconds kSecond = 1'000'000;
inline constexpr Microseconds kDay = 86400 * kSecond;

// The calendar: proleptic Gregorian.
struct Day {
    int year, month, day;
};
inline constexpr int kFirstYear = 1;
inline constexpr int kLastYear = 9999;
bool is_leap(int year);
int days_in_month(int year, int month);
// Day 1 is 0001-01-01.
int ordinal_of(Day day);
Day day_of(int ordinal);
inline constexpr int kLastOrdinal = 3652059;

struct Clock {
    int hour, minute, second, microsecond;
};
Microseconds microseconds_of(Clock clock);
Clock clock_of(Microseconds since_midnight);

// Fields of objects.
inline PyDateTime_Delta* delta(PyObject* op) {
    return reinterpret_cast<PyDateTime_Delta*>(op);
}
inline bool is_delta(PyObject* op) {
    return PyObject_TypeCheck(op, &DeltaType);
}
inline bool is_date(PyObject* op) {
    return PyObject_TypeCheck(op, &DateType);
}
inline bool is_datetime(PyObject* op) {
    return PyObject_TypeCheck(op, &DateTimeType);
}
Day day_in(PyObject* op);           // of a date or datetime
Clock clock_in(PyObject* op);       // of a time or datetime
PyObject* tzinfo_of(PyObject* op);  // of a time or datetime: borrowed, perhaps None
int fold_of(PyObject* op);
Microseconds microseconds_in(PyObject* delta);
// Of a datetime, from 0001-01-01 on, as its clock shows it.
Microseconds shown_in(PyObject* op);

// Fields as objects have them in bytes.
inline void write_day(Day day, unsigned char* to) {
    to[0] = static_cast<unsigned char>(day.year >> 8);
    to[1] = static_cast<unsigned char>(day.year);
    to[2] = static_cast<unsigned char>(day.month);
    to[3] = static_cast<unsigned char>(day.day);
}
inline void write_clock(Clock clock, unsigned char* to) {
    to[0] = static_cast<unsigned char>(clock.hour);
    to[1] = static_cast<unsigned char>(clock.minute);
    to[2] = static_cast<unsigned char>(clock.second);
    to[3] = static_cast<unsigned char>(clock.microsecond >> 16);
    to[4] = static_cast<unsigned char>(clock.microsecond >> 8);
    to[5] = static_cast<unsigned char>(clock.microsecond);
}

// New references; nullptr with ValueError, OverflowError, TypeError or MemoryError.
PyObject* new_delta(Microseconds microseconds, PyTypeObject* type = &DeltaType);
PyObject* new_date(Day day, PyTypeObject* type = &DateType);
PyObject* new_time(Clock clock, PyObject* tzinfo, int fold, PyTypeObject* type = &TimeType);
PyObject* new_datetime(Day day, Clock clock, PyObject* tzinfo, int fold,
                       PyTypeObject* type = &DateTimeType);
// Of what its clock shows; OverflowError outside the years that there are.
PyObject* datetime_showing(Microseconds shown, PyObject* tzinfo, int fold,
                           PyTypeObject* type = &DateTimeType);
PyObject* new_timezone(PyObject* offset, PyObject* name);

// False with an exception.
bool check_day(Day day);
bool check_clock(Clock clock, int fold);
bool check_tzinfo(PyObject* tzinfo);

// A method of a tzinfo, called with a datetime or None: None, or a timedelta of less than a day; new reference, or
// nullptr with TypeError or ValueError.
PyObject* offset_by(PyObject* tzinfo, const char* method, PyObject* of);
// The offset that an object of that class has from UTC. kNone: it has none; kFailed: an exception.
enum class Offset { kFailed, kNone, kSome };
Offset offset_of(PyObject* op, PyObject* argument, Microseconds* offset);

// "hh:mm", and seconds and microseconds if they are not zero, of an offset; "+" or "-" in front.
std::string text_of_offset(Microseconds offset);
std::string text_of_day(Day day);
// By a word of isoformat(timespec): "auto" and so on; false with ValueError for another.
bool text_of_clock(Clock clock, std::string_view timespec, std::string* text);

// What is read of "2020-01-02", "10:20:30.5", "+01:00": false, and no exception, if it is something else.
bool read_day(std::string_view text, Day* day);
struct ClockAndOffset {
    Clock clock;
    bool has_offset;
    Microseconds offset;
};
bool read_clock(std::string_view text, ClockAndOffset* read);
PyObject* new_text(const std::string& text);

// What strftime(format) gives: op is a date, time or datetime.
PyObject* format_by(PyObject* op, PyObject* format, Day day, Clock clock);

// Seconds since the Epoch of a float or an int, to the microsecond, half to even. False with an exception.
bool take_timestamp(PyObject* op, Microseconds* since_epoch);
inline constexpr int kEpoch = 719163;  // the ordinal of 1970-01-01
// As the local time zone shows it. False with OSError or ValueError.
bool local_time(int64_t seconds, Day* day, Clock* clock);

// The slots that several types share.
PyObject* compare(Microseconds a, Microseconds b, int operation);
PyObject* int_of(Microseconds value);

}  // namespace ouro::date
