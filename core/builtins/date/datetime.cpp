// datetime.
#include <ctime>

#include "core/builtins/call/new_arguments.hpp"
#include "core/builtins/date/date.hpp"
#include "core/builtins/date/zoned.hpp"
#include "core/builtins/text/unicode.hpp"

using namespace ouro;
using namespace ouro::date;
using object::Own;

namespace {

PyDateTime_DateTime* as_datetime(PyObject* op) {
    return reinterpret_cast<PyDateTime_DateTime*>(op);
}

void datetime_dealloc(PyObject* op) {
    if (as_datetime(op)->hastzinfo != 0) {
        Py_DECREF(as_datetime(op)->tzinfo);
    }
    Py_TYPE(op)->tp_free(op);
}

// An object of a class that may be derived from datetime, by calling it.
PyObject* call_with(PyObject* type, Day day, Clock clock, PyObject* tzinfo, int fold) {
    if (type == reinterpret_cast<PyObject*>(&DateTimeType)) {
        return new_datetime(day, clock, tzinfo, fold);
    }
    PyObject* made =
        PyObject_CallFunction(type, "iiiiiiiO", day.year, day.month, day.day, clock.hour,
                              clock.minute, clock.second, clock.microsecond, tzinfo);
    if (made != nullptr && fold != 0 && is_datetime(made)) {
        as_datetime(made)->fold = 1;  // nobody else has it
    }
    return made;
}

PyObject* call_showing(PyObject* type, Microseconds shown, PyObject* tzinfo, int fold) {
    const Microseconds days = shown / kDay;
    if (shown < 0 || days >= kLastOrdinal) {
        PyErr_SetString(PyExc_OverflowError, "date value out of range");
        return nullptr;
    }
    return call_with(type, day_of(static_cast<int>(days) + 1), clock_of(shown % kDay), tzinfo,
                     fold);
}

PyObject* type_of(PyObject* op) {
    return reinterpret_cast<PyObject*>(Py_TYPE(op));
}

constexpr const char* kNames[] = {"year",   "month",       "day",    "hour", "minute",
                                  "second", "microsecond", "tzinfo", "fold", nullptr};

PyObject* datetime_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    Day day;
    Clock clock{};
    PyObject* tzinfo = Py_None;
    int fold = 0;
    return PyArg_ParseTupleAndKeywords(args, kwargs, "iii|iiiiO$i", kNames, &day.year, &day.month,
                                       &day.day, &clock.hour, &clock.minute, &clock.second,
                                       &clock.microsecond, &tzinfo, &fold) == 0
               ? nullptr
               : new_datetime(day, clock, tzinfo, fold, type);
}

PyObject* replace(PyObject* op, PyObject* args, PyObject* kwargs) {
    Day day = day_in(op);
    Clock clock = clock_in(op);
    PyObject* tzinfo = tzinfo_of(op);
    int fold = fold_of(op);
    return PyArg_ParseTupleAndKeywords(args, kwargs, "|iiiiiiiO$i:replace", kNames, &day.year,
                                       &day.month, &day.day, &clock.hour, &clock.minute,
                                       &clock.second, &clock.microsecond, &tzinfo, &fold) == 0
               ? nullptr
               : call_with(type_of(op), day, clock, tzinfo, fold);
}

PyObject* datetime_repr(PyObject* op) {
    const Day day = day_in(op);
    return with_zone(std::string(Py_TYPE(op)->tp_name) + "(" + std::to_string(day.year) + ", " +
                         std::to_string(day.month) + ", " + std::to_string(day.day) + ", " +
                         arguments_of(clock_in(op)),
                     op);
}

PyObject* in_iso(PyObject* op, std::string_view separator, std::string_view timespec) {
    std::string clock;
    Microseconds offset;
    if (!text_of_clock(clock_in(op), timespec, &clock)) {
        return nullptr;
    }
    const Offset has = offset_of(op, op, &offset);
    return has == Offset::kFailed
               ? nullptr
               : new_text(text_of_day(day_in(op)) + std::string(separator) + clock +
                          (has == Offset::kSome ? text_of_offset(offset) : ""));
}

PyObject* isoformat(PyObject* op, PyObject* args, PyObject* kwargs) {
    PyObject* given[2] = {};
    const char* separator;
    const char* timespec;
    if (!call::take_arguments("isoformat", {"sep", "timespec"}, args, kwargs, given) ||
        !call::take_text("isoformat", "sep", given[0], &separator) ||
        !call::take_text("isoformat", "timespec", given[1], &timespec)) {
        return nullptr;
    }
    if (given[0] != nullptr && PyUnicode_GetLength(given[0]) != 1) {
        PyErr_SetString(PyExc_TypeError,
                        "isoformat() argument 1 must be a unicode character, not str");
        return nullptr;
    }
    return in_iso(op, separator == nullptr ? "T" : separator,
                  timespec == nullptr ? "auto" : timespec);
}

PyObject* datetime_str(PyObject* op) {
    return PyObject_CallMethod(op, "isoformat", "s", " ");
}

PyObject* datetime_compare(PyObject* a, PyObject* b, int operation) {
    if (is_datetime(b)) {
        return compare_zoned(a, a, shown_in(a), b, b, shown_in(b), operation, "datetimes");
    }
    if (is_date(b) && operation != Py_EQ && operation != Py_NE) {
        return PyErr_Format(PyExc_TypeError, "can't compare %s to %s", Py_TYPE(a)->tp_name,
                            Py_TYPE(b)->tp_name);
    }
    return is_date(b) ? PyBool_FromLong(operation == Py_NE) : Py_NewRef(Py_NotImplemented);
}

Py_hash_t datetime_hash(PyObject* op) {
    Microseconds offset;
    // As the earlier of two times that a clock shows, for they may be equal.
    const Own first(fold_of(op) == 0 ? Py_NewRef(op)
                                     : new_datetime(day_in(op), clock_in(op), tzinfo_of(op), 0));
    if (!first || offset_of(first.get(), first.get(), &offset) == Offset::kFailed) {
        return -1;
    }
    const Own value(int_of(shown_in(op) - offset));
    return value ? PyObject_Hash(value.get()) : -1;
}

PyObject* datetime_add(PyObject* a, PyObject* b) {
    PyObject* op = is_datetime(a) ? a : b;
    PyObject* delta = is_datetime(a) ? b : a;
    return is_datetime(op) && is_delta(delta)
               ? call_showing(type_of(op), shown_in(op) + microseconds_in(delta), tzinfo_of(op), 0)
               : Py_NewRef(Py_NotImplemented);
}

PyObject* datetime_subtract(PyObject* a, PyObject* b) {
    if (!is_datetime(a)) {
        return Py_NewRef(Py_NotImplemented);
    }
    if (is_delta(b)) {
        return call_showing(type_of(a), shown_in(a) - microseconds_in(b), tzinfo_of(a), 0);
    }
    if (!is_datetime(b)) {
        return Py_NewRef(Py_NotImplemented);
    }
    Microseconds offset_a = 0;
    Microseconds offset_b = 0;
    if (tzinfo_of(a) != tzinfo_of(b)) {
        const Offset has_a = offset_of(a, a, &offset_a);
        const Offset has_b = has_a == Offset::kFailed ? has_a : offset_of(b, b, &offset_b);
        if (has_b == Offset::kFailed) {
            return nullptr;
        }
        if (has_a != has_b) {
            PyErr_SetString(PyExc_TypeError,
                            "can't subtract offset-naive and offset-aware datetimes");
            return nullptr;
        }
    }
    return new_delta(shown_in(a) - offset_a - (shown_in(b) - offset_b));
}

// The seconds, rounded down, and what is left.
int64_t whole_seconds(Microseconds since_epoch, int* rest) {
    auto seconds = static_cast<int64_t>(since_epoch / kSecond);
    *rest = static_cast<int>(since_epoch % kSecond);
    if (*rest < 0) {
        *rest += static_cast<int>(kSecond);
        --seconds;
    }
    return seconds;
}

constexpr Microseconds kShownAtEpoch = (kEpoch - 1) * kDay;

// Of microseconds since the Epoch: as a clock in a zone shows it, or, without one, as one here does.
PyObject* at(PyObject* type, Microseconds since_epoch, PyObject* zone) {
    if (zone != Py_None) {
        const Own utc_time(call_showing(type, kShownAtEpoch + since_epoch, zone, 0));
        return utc_time ? PyObject_CallMethod(zone, "fromutc", "O", utc_time.get()) : nullptr;
    }
    Day day;
    Clock clock;
    int rest;
    if (!local_time(whole_seconds(since_epoch, &rest), &day, &clock)) {
        return nullptr;
    }
    clock.microsecond = rest;
    return call_with(type, day, clock, Py_None, 0);
}

Microseconds now_since_epoch() {
    PyTime_t time;
    (void)PyTime_TimeRaw(&time);
    return time / 1000;
}

PyObject* now(PyObject* type, PyObject* args, PyObject* kwargs) {
    PyObject* zone = Py_None;
    return call::take_arguments("now", {"tz"}, args, kwargs, &zone) && check_tzinfo(zone)
               ? at(type, now_since_epoch(), zone)
               : nullptr;
}

PyObject* utcnow(PyObject* type, PyObject*) {
    return call_showing(type, kShownAtEpoch + now_since_epoch(), Py_None, 0);
}

PyObject* from_timestamp(PyObject* type, PyObject* args, PyObject* kwargs) {
    static const char* const names[] = {"timestamp", "tz", nullptr};
    PyObject* timestamp;
    PyObject* zone = Py_None;
    Microseconds since_epoch;
    return PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:fromtimestamp", names, &timestamp,
                                       &zone) != 0 &&
                   check_tzinfo(zone) && take_timestamp(timestamp, &since_epoch)
               ? at(type, since_epoch, zone)
               : nullptr;
}

PyObject* utc_from_timestamp(PyObject* type, PyObject* timestamp) {
    Microseconds since_epoch;
    return take_timestamp(timestamp, &since_epoch)
               ? call_showing(type, kShownAtEpoch + since_epoch, Py_None, 0)
               : nullptr;
}

PyObject* combine(PyObject* type, PyObject* args, PyObject* kwargs) {
    static const char* const names[] = {"date", "time", "tzinfo", nullptr};
    PyObject* day;
    PyObject* time;
    PyObject* tzinfo = nullptr;
    if (PyArg_ParseTupleAndKeywords(args, kwargs, "O!O!|O:combine", names, &DateType, &day,
                                    &TimeType, &time, &tzinfo) == 0) {
        return nullptr;
    }
    return call_with(type, day_in(day), clock_in(time),
                     tzinfo == nullptr ? tzinfo_of(time) : tzinfo, fold_of(time));
}

PyObject* from_isoformat(PyObject* type, PyObject* text) {
    if (!PyUnicode_Check(text)) {
        PyErr_SetString(PyExc_TypeError, "fromisoformat: argument must be str");
        return nullptr;
    }
    const std::string_view all = text::text_in(text);
    const size_t days = all.size() > 4 && all[4] == '-' ? 10 : 8;
    Day day;
    ClockAndOffset read{};
    if (!read_day(all.substr(0, days), &day) ||
        (all.size() > days && !read_clock(all.substr(days + 1), &read))) {
        return PyErr_Format(PyExc_ValueError, "Invalid isoformat string: %R", text);
    }
    const Own zone(zone_of(read));
    return zone ? call_with(type, day, read.clock, zone.get(), 0) : nullptr;
}

PyObject* get_date(PyObject* op, PyObject*) {
    return new_date(day_in(op));
}
PyObject* get_time(PyObject* op, PyObject*) {
    return new_time(clock_in(op), Py_None, fold_of(op));
}
PyObject* get_timetz(PyObject* op, PyObject*) {
    return new_time(clock_in(op), tzinfo_of(op), fold_of(op));
}

// What a clock here shows as a moment: its offset from UTC in seconds, and the zone's name.
bool local_offset(PyObject* op, Microseconds* offset, std::string* name) {
    const Day day = day_in(op);
    const Clock clock = clock_in(op);
    tm fields{};
    fields.tm_year = day.year - 1900;
    fields.tm_mon = day.month - 1;
    fields.tm_mday = day.day;
    fields.tm_hour = clock.hour;
    fields.tm_min = clock.minute;
    fields.tm_sec = clock.second;
    fields.tm_isdst = fold_of(op) != 0 ? 0 : -1;
    const time_t seconds = mktime(&fields);
    tm shown{};
    if (localtime_r(&seconds, &shown) == nullptr) {
        PyErr_SetFromErrno(PyExc_OSError);
        return false;
    }
    *offset = Microseconds{shown.tm_gmtoff} * kSecond;
    *name = shown.tm_zone;
    return true;
}

PyObject* timestamp(PyObject* op, PyObject*) {
    Microseconds offset;
    std::string name;
    const Offset has = offset_of(op, op, &offset);
    if (has == Offset::kFailed || (has == Offset::kNone && !local_offset(op, &offset, &name))) {
        return nullptr;
    }
    const Own microseconds(int_of(shown_in(op) - offset - kShownAtEpoch));
    const Own million(PyLong_FromLong(1'000'000));
    return microseconds && million ? PyNumber_TrueDivide(microseconds.get(), million.get())
                                   : nullptr;
}

PyObject* as_timezone(PyObject* op, PyObject* args, PyObject* kwargs) {
    PyObject* given = Py_None;
    if (!call::take_arguments("astimezone", {"tz"}, args, kwargs, &given) || !check_tzinfo(given)) {
        return nullptr;
    }
    Own zone(Py_NewRef(given));
    if (zone.get() != Py_None && zone.get() == tzinfo_of(op)) {
        return Py_NewRef(op);
    }
    Microseconds offset;
    std::string name;
    const Offset has = offset_of(op, op, &offset);
    if (has == Offset::kFailed || (has == Offset::kNone && !local_offset(op, &offset, &name))) {
        return nullptr;
    }
    const Microseconds moment = shown_in(op) - offset;
    if (zone.get() == Py_None) {
        // That of here, at that moment.
        const Own local(
            at(reinterpret_cast<PyObject*>(&DateTimeType), moment - kShownAtEpoch, Py_None));
        if (!local || !local_offset(local.get(), &offset, &name)) {
            return nullptr;
        }
        const Own distance(new_delta(offset));
        const Own text(new_text(name));
        zone.reset(distance && text ? new_timezone(distance.get(), text.get()) : nullptr);
    }
    const Own utc_time(zone ? call_showing(type_of(op), moment, zone.get(), 0) : nullptr);
    return utc_time ? PyObject_CallMethod(zone.get(), "fromutc", "O", utc_time.get()) : nullptr;
}

PyObject* strftime(PyObject* op, PyObject* args, PyObject* kwargs) {
    PyObject* format = nullptr;
    if (!call::take_arguments("strftime", {"format"}, args, kwargs, &format)) {
        return nullptr;
    }
    return format == nullptr ? call::check_count("strftime", 0, 1, 1),
           nullptr           : format_by(op, format, day_in(op), clock_in(op));
}

PyObject* utcoffset(PyObject* op, PyObject*) {
    return offset_by(tzinfo_of(op), "utcoffset", op);
}
PyObject* dst(PyObject* op, PyObject*) {
    return offset_by(tzinfo_of(op), "dst", op);
}
PyObject* tzname(PyObject* op, PyObject*) {
    return name_of_zone(op, op);
}

constexpr int kNamed = METH_VARARGS | METH_KEYWORDS;

PyMethodDef methods[] = {
    {"now", _PyCFunction_CAST(now), kNamed | METH_CLASS, PyDoc_STR("Now, here or in a zone.")},
    {"utcnow", utcnow, METH_NOARGS | METH_CLASS, PyDoc_STR("Now, as a clock in UTC shows it.")},
    {"fromtimestamp", _PyCFunction_CAST(from_timestamp), kNamed | METH_CLASS,
     PyDoc_STR("Of seconds since 1970.")},
    {"utcfromtimestamp", utc_from_timestamp, METH_O | METH_CLASS,
     PyDoc_STR("The same as a clock in UTC shows it.")},
    {"combine", _PyCFunction_CAST(combine), kNamed | METH_CLASS,
     PyDoc_STR("Of a date and a time.")},
    {"fromisoformat", from_isoformat, METH_O | METH_CLASS, PyDoc_STR("Of text.")},
    {"date", get_date, METH_NOARGS, PyDoc_STR("The day.")},
    {"time", get_time, METH_NOARGS, PyDoc_STR("What the clock shows.")},
    {"timetz", get_timetz, METH_NOARGS, PyDoc_STR("The same, with the zone.")},
    {"timestamp", timestamp, METH_NOARGS, PyDoc_STR("Seconds since 1970.")},
    {"astimezone", _PyCFunction_CAST(as_timezone), kNamed, PyDoc_STR("The same moment in a zone.")},
    {"isoformat", _PyCFunction_CAST(isoformat), kNamed, PyDoc_STR("As text.")},
    {"replace", _PyCFunction_CAST(replace), kNamed, PyDoc_STR("With other fields.")},
    {"strftime", _PyCFunction_CAST(strftime), kNamed, PyDoc_STR("As text by a format.")},
    {"utcoffset", utcoffset, METH_NOARGS, PyDoc_STR("How far it is from UTC.")},
    {"dst", dst, METH_NOARGS, PyDoc_STR("How much of that is summer time.")},
    {"tzname", tzname, METH_NOARGS, PyDoc_STR("What its zone is called.")},
    {nullptr, nullptr, 0, nullptr},
};

PyNumberMethods as_number = {.nb_add = datetime_add, .nb_subtract = datetime_subtract};

}  // namespace

PyTypeObject date::DateTimeType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "datetime.datetime",
    .tp_basicsize = sizeof(PyDateTime_DateTime),
    .tp_dealloc = datetime_dealloc,
    .tp_repr = datetime_repr,
    .tp_as_number = &as_number,
    .tp_hash = datetime_hash,
    .tp_str = datetime_str,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_richcompare = datetime_compare,
    .tp_methods = methods,
    .tp_getset = clock_getset,
    .tp_base = &DateType,
    .tp_new = datetime_new,
};

Microseconds date::shown_in(PyObject* op) {
    return (ordinal_of(day_in(op)) - 1) * kDay + microseconds_of(clock_in(op));
}

PyObject* date::new_datetime(Day day, Clock clock, PyObject* tzinfo, int fold, PyTypeObject* type) {
    PyObject* op = check_day(day) && check_clock(clock, fold) && check_tzinfo(tzinfo)
                       ? type->tp_alloc(type, 0)
                       : nullptr;
    if (op != nullptr) {
        as_datetime(op)->hashcode = -1;
        as_datetime(op)->hastzinfo = tzinfo != Py_None ? 1 : 0;
        as_datetime(op)->tzinfo = tzinfo != Py_None ? Py_NewRef(tzinfo) : nullptr;
        as_datetime(op)->fold = static_cast<unsigned char>(fold);
        write_day(day, as_datetime(op)->data);
        write_clock(clock, as_datetime(op)->data + 4);
    }
    return op;
}

PyObject* date::datetime_showing(Microseconds shown, PyObject* tzinfo, int fold,
                                 PyTypeObject* type) {
    return call_showing(reinterpret_cast<PyObject*>(type), shown, tzinfo, fold);
}
