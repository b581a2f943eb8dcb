// date.
#include <cstring>
#include <ctime>

#include "core/builtins/call/new_arguments.hpp"
#include "core/builtins/date/date.hpp"
#include "core/builtins/text/unicode.hpp"

using namespace ouro;
using namespace ouro::date;
using object::Own;

namespace {

PyDateTime_Date* as_date(PyObject* op) {
    return reinterpret_cast<PyDateTime_Date*>(op);
}

bool is_plain_date(PyObject* op) {
    return is_date(op) && !is_datetime(op);
}

PyObject* as_type(PyTypeObject* type) {
    return reinterpret_cast<PyObject*>(type);
}

// An object of a class that may be derived from date, by calling it.
PyObject* call_with(PyObject* type, Day day) {
    return type == as_type(&DateType)
               ? new_date(day)
               : PyObject_CallFunction(type, "iii", day.year, day.month, day.day);
}

PyObject* date_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    static const char* const names[] = {"year", "month", "day", nullptr};
    Day day;
    return PyArg_ParseTupleAndKeywords(args, kwargs, "iii", names, &day.year, &day.month,
                                       &day.day) == 0
               ? nullptr
               : new_date(day, type);
}

PyObject* date_repr(PyObject* op) {
    const Day day = day_in(op);
    return PyUnicode_FromFormat("%s(%d, %d, %d)", Py_TYPE(op)->tp_name, day.year, day.month,
                                day.day);
}

PyObject* isoformat(PyObject* op, PyObject*) {
    return new_text(text_of_day(day_in(op)));
}

PyObject* date_str(PyObject* op) {
    return PyObject_CallMethod(op, "isoformat", nullptr);
}

PyObject* date_compare(PyObject* a, PyObject* b, int operation) {
    if (!is_plain_date(a) || !is_plain_date(b)) {
        if (is_date(b) && operation != Py_EQ && operation != Py_NE) {
            return PyErr_Format(PyExc_TypeError, "can't compare %s to %s", Py_TYPE(a)->tp_name,
                                Py_TYPE(b)->tp_name);
        }
        return is_date(b) ? PyBool_FromLong(operation == Py_NE) : Py_NewRef(Py_NotImplemented);
    }
    return compare(ordinal_of(day_in(a)), ordinal_of(day_in(b)), operation);
}

Py_hash_t date_hash(PyObject* op) {
    return Py_HashBuffer(as_date(op)->data, sizeof as_date(op)->data);
}

// A date so many days later.
PyObject* days_later(PyObject* op, Microseconds days) {
    const Microseconds ordinal = ordinal_of(day_in(op)) + days;
    if (ordinal < 1 || ordinal > kLastOrdinal) {
        PyErr_SetString(PyExc_OverflowError, "date value out of range");
        return nullptr;
    }
    return call_with(as_type(Py_TYPE(op)), day_of(static_cast<int>(ordinal)));
}

PyObject* date_add(PyObject* a, PyObject* b) {
    if (is_datetime(a) || is_datetime(b)) {
        return Py_NewRef(Py_NotImplemented);
    }
    return is_date(a) && is_delta(b)   ? days_later(a, delta(b)->days)
           : is_delta(a) && is_date(b) ? days_later(b, delta(a)->days)
                                       : Py_NewRef(Py_NotImplemented);
}

PyObject* date_subtract(PyObject* a, PyObject* b) {
    if (!is_plain_date(a) || is_datetime(b)) {
        return Py_NewRef(Py_NotImplemented);
    }
    return is_date(b)    ? new_delta((ordinal_of(day_in(a)) - ordinal_of(day_in(b))) * kDay)
           : is_delta(b) ? days_later(a, -Microseconds{delta(b)->days})
                         : Py_NewRef(Py_NotImplemented);
}

PyObject* from_timestamp(PyObject* type, PyObject* timestamp) {
    Microseconds since_epoch;
    Day day;
    Clock clock;
    return take_timestamp(timestamp, &since_epoch) &&
                   local_time(static_cast<int64_t>(since_epoch / kSecond -
                                                   (since_epoch % kSecond < 0 ? 1 : 0)),
                              &day, &clock)
               ? call_with(type, day)
               : nullptr;
}

PyObject* today(PyObject* type, PyObject*) {
    const Own now(PyFloat_FromDouble(static_cast<double>(time(nullptr))));
    return now ? PyObject_CallMethod(type, "fromtimestamp", "O", now.get()) : nullptr;
}

PyObject* from_ordinal(PyObject* type, PyObject* number) {
    const int ordinal = PyLong_AsInt(number);
    if (ordinal == -1 && PyErr_Occurred() != nullptr) {
        return nullptr;
    }
    if (ordinal < 1 || ordinal > kLastOrdinal) {
        PyErr_SetString(PyExc_ValueError,
                        ordinal < 1 ? "ordinal must be >= 1" : "year is out of range");
        return nullptr;
    }
    return call_with(type, day_of(ordinal));
}

PyObject* from_isoformat(PyObject* type, PyObject* text) {
    if (!PyUnicode_Check(text)) {
        PyErr_SetString(PyExc_TypeError, "fromisoformat: argument must be str");
        return nullptr;
    }
    Day day;
    if (!read_day(text::text_in(text), &day)) {
        return PyErr_Format(PyExc_ValueError, "Invalid isoformat string: %R", text);
    }
    return call_with(type, day);
}

PyObject* to_ordinal(PyObject* op, PyObject*) {
    return PyLong_FromLong(ordinal_of(day_in(op)));
}
PyObject* weekday(PyObject* op, PyObject*) {
    return PyLong_FromLong((ordinal_of(day_in(op)) + 6) % 7);
}
PyObject* isoweekday(PyObject* op, PyObject*) {
    return PyLong_FromLong((ordinal_of(day_in(op)) + 6) % 7 + 1);
}

PyStructSequence_Field iso_fields[] = {
    {"year", nullptr}, {"week", nullptr}, {"weekday", nullptr}, {nullptr, nullptr}};
PyStructSequence_Desc iso_desc = {"datetime.IsoCalendarDate", "A year, a week and a day of it.",
                                  iso_fields, 3};
PyTypeObject iso_type;

// The ordinal of the Monday that begins the first week, which has the year's first Thursday.
int first_monday(int year) {
    const int first = ordinal_of({year, 1, 1});
    const int day = (first + 6) % 7;
    return first - day + (day > 3 ? 7 : 0);
}

PyObject* isocalendar(PyObject* op, PyObject*) {
    const Day day = day_in(op);
    const int ordinal = ordinal_of(day);
    int year = day.year;
    if (ordinal < first_monday(year)) {
        --year;
    } else if (ordinal >= first_monday(year + 1)) {
        ++year;
    }
    const int since = ordinal - first_monday(year);
    if (PyStructSequence_InitType2(&iso_type, &iso_desc) < 0) {
        return nullptr;
    }
    Own made(PyStructSequence_New(&iso_type));
    const int parts[] = {year, since / 7 + 1, since % 7 + 1};
    for (int i = 0; made && i < 3; ++i) {
        PyObject* number = PyLong_FromLong(parts[i]);
        if (number == nullptr) {
            return nullptr;
        }
        PyStructSequence_SetItem(made.get(), i, number);
    }
    return made.release();
}

PyObject* replace(PyObject* op, PyObject* args, PyObject* kwargs) {
    static const char* const names[] = {"year", "month", "day", nullptr};
    Day day = day_in(op);
    return PyArg_ParseTupleAndKeywords(args, kwargs, "|iii:replace", names, &day.year, &day.month,
                                       &day.day) == 0
               ? nullptr
               : call_with(as_type(Py_TYPE(op)), day);
}

PyObject* strftime(PyObject* op, PyObject* args, PyObject* kwargs) {
    PyObject* format = nullptr;
    if (!call::take_arguments("strftime", {"format"}, args, kwargs, &format)) {
        return nullptr;
    }
    return format == nullptr ? call::check_count("strftime", 0, 1, 1),
           nullptr           : format_by(op, format, day_in(op), {});
}

PyObject* format_as(PyObject* op, PyObject* format) {
    if (!PyUnicode_Check(format)) {
        return PyErr_Format(PyExc_TypeError, "__format__() argument 1 must be str, not %.200s",
                            Py_TYPE(format)->tp_name);
    }
    return PyUnicode_GetLength(format) == 0 ? PyObject_Str(op)
                                            : PyObject_CallMethod(op, "strftime", "O", format);
}

PyObject* ctime(PyObject* op, PyObject*) {
    const Own format(PyUnicode_FromString("%a %b %e %H:%M:%S %Y"));
    return format
               ? format_by(op, format.get(), day_in(op), is_datetime(op) ? clock_in(op) : Clock{})
               : nullptr;
}

PyObject* date_reduce(PyObject* op, PyObject*) {
    const Day day = day_in(op);
    return Py_BuildValue("(O(iii))", Py_TYPE(op), day.year, day.month, day.day);
}

PyObject* get_year(PyObject* op, void*) {
    return PyLong_FromLong(day_in(op).year);
}
PyObject* get_month(PyObject* op, void*) {
    return PyLong_FromLong(day_in(op).month);
}
PyObject* get_day(PyObject* op, void*) {
    return PyLong_FromLong(day_in(op).day);
}

PyGetSetDef getset[] = {
    {"year", get_year, nullptr, nullptr, nullptr},
    {"month", get_month, nullptr, nullptr, nullptr},
    {"day", get_day, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMethodDef methods[] = {
    {"fromtimestamp", from_timestamp, METH_O | METH_CLASS, PyDoc_STR("Of seconds since 1970.")},
    {"today", today, METH_NOARGS | METH_CLASS, PyDoc_STR("The day that it is here.")},
    {"fromordinal", from_ordinal, METH_O | METH_CLASS, PyDoc_STR("Of a number of days.")},
    {"fromisoformat", from_isoformat, METH_O | METH_CLASS, PyDoc_STR("Of text, YYYY-MM-DD.")},
    {"isoformat", isoformat, METH_NOARGS, PyDoc_STR("As text, YYYY-MM-DD.")},
    {"toordinal", to_ordinal, METH_NOARGS, PyDoc_STR("Days, the first day of year 1 being 1.")},
    {"weekday", weekday, METH_NOARGS, PyDoc_STR("Monday is 0.")},
    {"isoweekday", isoweekday, METH_NOARGS, PyDoc_STR("Monday is 1.")},
    {"isocalendar", isocalendar, METH_NOARGS, PyDoc_STR("Year, week and day of the week.")},
    {"replace", _PyCFunction_CAST(replace), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("With other fields.")},
    {"strftime", _PyCFunction_CAST(strftime), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("As text by a format.")},
    {"ctime", ctime, METH_NOARGS, PyDoc_STR("As text, as C's function has it.")},
    {"__format__", format_as, METH_O, nullptr},
    {"__reduce__", date_reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyNumberMethods as_number = {.nb_add = date_add, .nb_subtract = date_subtract};

}  // namespace

PyTypeObject date::DateType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "datetime.date",
    .tp_basicsize = sizeof(PyDateTime_Date),
    .tp_repr = date_repr,
    .tp_as_number = &as_number,
    .tp_hash = date_hash,
    .tp_str = date_str,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_richcompare = date_compare,
    .tp_methods = methods,
    .tp_getset = getset,
    .tp_new = date_new,
};

Day date::day_in(PyObject* op) {
    return {PyDateTime_GET_YEAR(op), PyDateTime_GET_MONTH(op), PyDateTime_GET_DAY(op)};
}

PyObject* date::new_date(Day day, PyTypeObject* type) {
    PyObject* op = check_day(day) ? type->tp_alloc(type, 0) : nullptr;
    if (op != nullptr) {
        as_date(op)->hashcode = -1;
        as_date(op)->hastzinfo = 0;
        write_day(day, as_date(op)->data);
    }
    return op;
}
