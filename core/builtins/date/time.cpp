// time, and what strftime makes of a format.
#include <cstring>
#include <ctime>

#include "core/builtins/call/new_arguments.hpp"
#include "core/builtins/date/date.hpp"
#include "core/builtins/date/zoned.hpp"
#include "core/builtins/text/text_buffer.hpp"
#include "core/builtins/text/unicode.hpp"

using namespace ouro;
using namespace ouro::date;
using object::Own;

namespace {

PyDateTime_Time* as_time(PyObject* op) {
    return reinterpret_cast<PyDateTime_Time*>(op);
}

bool is_time(PyObject* op) {
    return PyObject_TypeCheck(op, &TimeType);
}

void time_dealloc(PyObject* op) {
    if (as_time(op)->hastzinfo != 0) {
        Py_DECREF(as_time(op)->tzinfo);
    }
    Py_TYPE(op)->tp_free(op);
}

PyObject* time_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    static const char* const names[] = {"hour",   "minute", "second", "microsecond",
                                        "tzinfo", "fold",   nullptr};
    Clock clock{};
    PyObject* tzinfo = Py_None;
    int fold = 0;
    return PyArg_ParseTupleAndKeywords(args, kwargs, "|iiiiO$i", names, &clock.hour, &clock.minute,
                                       &clock.second, &clock.microsecond, &tzinfo, &fold) == 0
               ? nullptr
               : new_time(clock, tzinfo, fold, type);
}

PyObject* time_repr(PyObject* op) {
    return with_zone(std::string(Py_TYPE(op)->tp_name) + "(" + arguments_of(clock_in(op)), op);
}

PyObject* isoformat(PyObject* op, PyObject* args, PyObject* kwargs) {
    PyObject* given = nullptr;
    const char* timespec;
    std::string text;
    Microseconds offset;
    if (!call::take_arguments("isoformat", {"timespec"}, args, kwargs, &given) ||
        !call::take_text("isoformat", "timespec", given, &timespec) ||
        !text_of_clock(clock_in(op), timespec == nullptr ? "auto" : timespec, &text)) {
        return nullptr;
    }
    const Offset has = offset_of(op, Py_None, &offset);
    return has == Offset::kFailed
               ? nullptr
               : new_text(has == Offset::kSome ? text + text_of_offset(offset) : text);
}

PyObject* time_str(PyObject* op) {
    return PyObject_CallMethod(op, "isoformat", nullptr);
}

PyObject* time_compare(PyObject* a, PyObject* b, int operation) {
    if (!is_time(b)) {
        return Py_NewRef(Py_NotImplemented);
    }
    const Microseconds x = microseconds_of(clock_in(a));
    const Microseconds y = microseconds_of(clock_in(b));
    return compare_zoned(a, Py_None, x, b, Py_None, y, operation, "times");
}

Py_hash_t time_hash(PyObject* op) {
    Microseconds offset;
    const Offset has = offset_of(op, Py_None, &offset);
    if (has == Offset::kFailed) {
        return -1;
    }
    const Own value(int_of(microseconds_of(clock_in(op)) - offset));
    return value ? PyObject_Hash(value.get()) : -1;
}

PyObject* replace(PyObject* op, PyObject* args, PyObject* kwargs) {
    static const char* const names[] = {"hour",   "minute", "second", "microsecond",
                                        "tzinfo", "fold",   nullptr};
    Clock clock = clock_in(op);
    PyObject* tzinfo = tzinfo_of(op);
    int fold = fold_of(op);
    if (PyArg_ParseTupleAndKeywords(args, kwargs, "|iiiiO$i:replace", names, &clock.hour,
                                    &clock.minute, &clock.second, &clock.microsecond, &tzinfo,
                                    &fold) == 0) {
        return nullptr;
    }
    return new_time(clock, tzinfo, fold, Py_TYPE(op));
}

PyObject* from_isoformat(PyObject* type, PyObject* text) {
    if (!PyUnicode_Check(text)) {
        PyErr_SetString(PyExc_TypeError, "fromisoformat: argument must be str");
        return nullptr;
    }
    std::string_view rest = text::text_in(text);
    if (rest.starts_with('T')) {
        rest.remove_prefix(1);
    }
    ClockAndOffset read;
    if (!read_clock(rest, &read)) {
        return PyErr_Format(PyExc_ValueError, "Invalid isoformat string: %R", text);
    }
    const Own zone(zone_of(read));
    return zone ? new_time(read.clock, zone.get(), 0, reinterpret_cast<PyTypeObject*>(type))
                : nullptr;
}

PyObject* strftime(PyObject* op, PyObject* args, PyObject* kwargs) {
    PyObject* format = nullptr;
    if (!call::take_arguments("strftime", {"format"}, args, kwargs, &format)) {
        return nullptr;
    }
    return format == nullptr ? call::check_count("strftime", 0, 1, 1),
           nullptr           : format_by(op, format, {1900, 1, 1}, clock_in(op));
}

PyObject* format_as(PyObject* op, PyObject* format) {
    if (!PyUnicode_Check(format)) {
        return PyErr_Format(PyExc_TypeError, "__format__() argument 1 must be str, not %.200s",
                            Py_TYPE(format)->tp_name);
    }
    return PyUnicode_GetLength(format) == 0 ? PyObject_Str(op)
                                            : PyObject_CallMethod(op, "strftime", "O", format);
}

PyObject* utcoffset(PyObject* op, PyObject*) {
    return offset_by(tzinfo_of(op), "utcoffset", Py_None);
}
PyObject* dst(PyObject* op, PyObject*) {
    return offset_by(tzinfo_of(op), "dst", Py_None);
}
PyObject* tzname(PyObject* op, PyObject*) {
    return name_of_zone(op, Py_None);
}

PyMethodDef methods[] = {
    {"isoformat", _PyCFunction_CAST(isoformat), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("As text, HH:MM:SS.")},
    {"fromisoformat", from_isoformat, METH_O | METH_CLASS, PyDoc_STR("Of text, HH:MM:SS.")},
    {"replace", _PyCFunction_CAST(replace), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("With other fields.")},
    {"strftime", _PyCFunction_CAST(strftime), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("As text by a format.")},
    {"__format__", format_as, METH_O, nullptr},
    {"utcoffset", utcoffset, METH_NOARGS, PyDoc_STR("How far it is from UTC.")},
    {"dst", dst, METH_NOARGS, PyDoc_STR("How much of that is summer time.")},
    {"tzname", tzname, METH_NOARGS, PyDoc_STR("What its zone is called.")},
    {nullptr, nullptr, 0, nullptr},
};

// Appends what C's strftime makes of one piece.
bool append_piece(text::TextBuffer* out, const std::string& piece, const tm& fields) {
    char room[256];
    // A space in front tells an empty result from one that does not fit.
    const size_t size = std::strftime(room, sizeof room, (" " + piece).c_str(), &fields);
    if (size == 0) {
        PyErr_SetString(PyExc_ValueError, "Invalid format string");
        return false;
    }
    out->append(std::string_view(room + 1, size - 1));
    return true;
}

// What %z, %:z and %Z are; false with an exception.
bool append_zone(text::TextBuffer* out, PyObject* op, bool is_name, bool has_colon) {
    if (!is_datetime(op) && !is_time(op)) {
        return true;
    }
    PyObject* argument = is_datetime(op) ? op : Py_None;
    if (is_name) {
        const Own name(name_of_zone(op, argument));
        if (name && name.get() != Py_None) {
            out->append(text::text_in(name.get()));
        }
        return static_cast<bool>(name);
    }
    Microseconds offset;
    const Offset has = offset_of(op, argument, &offset);
    if (has == Offset::kSome) {
        for (const char c : text_of_offset(offset)) {
            if (c != ':' || has_colon) {
                out->append(c);
            }
        }
    }
    return has != Offset::kFailed;
}

}  // namespace

constinit PyGetSetDef date::clock_getset[] = {
    {"hour", [](PyObject* op, void*) { return PyLong_FromLong(clock_in(op).hour); }, nullptr,
     nullptr, nullptr},
    {"minute", [](PyObject* op, void*) { return PyLong_FromLong(clock_in(op).minute); }, nullptr,
     nullptr, nullptr},
    {"second", [](PyObject* op, void*) { return PyLong_FromLong(clock_in(op).second); }, nullptr,
     nullptr, nullptr},
    {"microsecond", [](PyObject* op, void*) { return PyLong_FromLong(clock_in(op).microsecond); },
     nullptr, nullptr, nullptr},
    {"tzinfo", [](PyObject* op, void*) { return Py_NewRef(tzinfo_of(op)); }, nullptr, nullptr,
     nullptr},
    {"fold", [](PyObject* op, void*) { return PyLong_FromLong(fold_of(op)); }, nullptr, nullptr,
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyTypeObject date::TimeType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "datetime.time",
    .tp_basicsize = sizeof(PyDateTime_Time),
    .tp_dealloc = time_dealloc,
    .tp_repr = time_repr,
    .tp_hash = time_hash,
    .tp_str = time_str,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_richcompare = time_compare,
    .tp_methods = methods,
    .tp_getset = clock_getset,
    .tp_new = time_new,
};

Clock date::clock_in(PyObject* op) {
    return is_datetime(op)
               ? Clock{PyDateTime_DATE_GET_HOUR(op), PyDateTime_DATE_GET_MINUTE(op),
                       PyDateTime_DATE_GET_SECOND(op), PyDateTime_DATE_GET_MICROSECOND(op)}
               : Clock{PyDateTime_TIME_GET_HOUR(op), PyDateTime_TIME_GET_MINUTE(op),
                       PyDateTime_TIME_GET_SECOND(op), PyDateTime_TIME_GET_MICROSECOND(op)};
}

PyObject* date::tzinfo_of(PyObject* op) {
    return is_datetime(op) ? PyDateTime_DATE_GET_TZINFO(op) : PyDateTime_TIME_GET_TZINFO(op);
}

int date::fold_of(PyObject* op) {
    return is_datetime(op) ? PyDateTime_DATE_GET_FOLD(op) : PyDateTime_TIME_GET_FOLD(op);
}

PyObject* date::new_time(Clock clock, PyObject* tzinfo, int fold, PyTypeObject* type) {
    PyObject* op =
        check_clock(clock, fold) && check_tzinfo(tzinfo) ? type->tp_alloc(type, 0) : nullptr;
    if (op != nullptr) {
        as_time(op)->hashcode = -1;
        as_time(op)->hastzinfo = tzinfo != Py_None ? 1 : 0;
        as_time(op)->tzinfo = tzinfo != Py_None ? Py_NewRef(tzinfo) : nullptr;
        as_time(op)->fold = static_cast<unsigned char>(fold);
        write_clock(clock, as_time(op)->data);
    }
    return op;
}

PyObject* date::format_by(PyObject* op, PyObject* format, Day day, Clock clock) {
    if (!PyUnicode_Check(format)) {
        return PyErr_Format(PyExc_TypeError, "strftime() argument 1 must be str, not %.200s",
                            Py_TYPE(format)->tp_name);
    }
    tm fields{};
    fields.tm_year = day.year - 1900;
    fields.tm_mon = day.month - 1;
    fields.tm_mday = day.day;
    fields.tm_hour = clock.hour;
    fields.tm_min = clock.minute;
    fields.tm_sec = clock.second;
    fields.tm_wday = ordinal_of(day) % 7;
    fields.tm_yday = ordinal_of(day) - ordinal_of({day.year, 1, 1});
    fields.tm_isdst = -1;
    text::TextBuffer out;
    const std::string_view text = text::text_in(format);
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%' || i + 1 == text.size()) {
            out.append(text[i]);
            continue;
        }
        const bool has_colon = text.substr(i + 1).starts_with(":z");
        const char letter = has_colon ? 'z' : text[i + 1];
        bool done;
        if (letter == 'f') {
            char digits[16];
            std::snprintf(digits, sizeof digits, "%06d", clock.microsecond);
            out.append(digits);
            done = true;
        } else if (letter == 'z' || letter == 'Z') {
            done = append_zone(&out, op, letter == 'Z', has_colon);
        } else {
            done = append_piece(&out, std::string(text.substr(i, 2)), fields);
        }
        if (!done) {
            return nullptr;
        }
        i += has_colon ? 2 : 1;
    }
    return out.to_str();
}

std::string date::arguments_of(Clock clock) {
    std::string text = std::to_string(clock.hour) + ", " + std::to_string(clock.minute);
    if (clock.second != 0 || clock.microsecond != 0) {
        text += ", " + std::to_string(clock.second);
    }
    return clock.microsecond != 0 ? text + ", " + std::to_string(clock.microsecond) : text;
}

PyObject* date::with_zone(std::string text, PyObject* op) {
    if (fold_of(op) != 0) {
        text += ", fold=1";
    }
    return tzinfo_of(op) == Py_None
               ? new_text(text + ")")
               : PyUnicode_FromFormat("%s, tzinfo=%R)", text.c_str(), tzinfo_of(op));
}

PyObject* date::compare_zoned(PyObject* a, PyObject* argument_a, Microseconds x, PyObject* b,
                              PyObject* argument_b, Microseconds y, int operation,
                              const char* kind) {
    if (tzinfo_of(a) == tzinfo_of(b)) {
        return compare(x, y, operation);
    }
    Microseconds offset_a, offset_b;
    const Offset has_a = offset_of(a, argument_a, &offset_a);
    const Offset has_b = has_a == Offset::kFailed ? has_a : offset_of(b, argument_b, &offset_b);
    if (has_b == Offset::kFailed) {
        return nullptr;
    }
    if (has_a != has_b) {
        return operation == Py_EQ || operation == Py_NE
                   ? PyBool_FromLong(operation == Py_NE)
                   : PyErr_Format(PyExc_TypeError, "can't compare offset-naive and offset-aware %s",
                                  kind);
    }
    return compare(x - offset_a, y - offset_b, operation);
}

PyObject* date::name_of_zone(PyObject* op, PyObject* argument) {
    if (tzinfo_of(op) == Py_None) {
        return Py_NewRef(Py_None);
    }
    Own name(PyObject_CallMethod(tzinfo_of(op), "tzname", "O", argument));
    if (name && name.get() != Py_None && !PyUnicode_Check(name.get())) {
        return PyErr_Format(PyExc_TypeError,
                            "tzinfo.tzname() must return None or a string, not '%.200s'",
                            Py_TYPE(name.get())->tp_name);
    }
    return name.release();
}

PyObject* date::zone_of(const ClockAndOffset& read) {
    if (!read.has_offset) {
        return Py_NewRef(Py_None);
    }
    const Own offset(new_delta(read.offset));
    return offset ? new_timezone(offset.get(), nullptr) : nullptr;
}
