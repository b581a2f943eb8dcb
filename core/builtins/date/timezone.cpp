// tzinfo, and timezone: one whose offset never changes.
#include "core/builtins/call/new_arguments.hpp"
#include "core/builtins/date/date.hpp"
#include "core/builtins/text/unicode.hpp"

using namespace ouro;
using namespace ouro::date;
using object::Own;

namespace {

struct Timezone {
    PyObject ob_base;
    PyObject* offset;  // a timedelta
    PyObject* name;    // a str, or nullptr
};

Timezone* timezone_in(PyObject* op) {
    return reinterpret_cast<Timezone*>(op);
}

constinit PyDateTime_Delta no_offset = {PyObject_HEAD_INIT(&DeltaType) - 1, 0, 0, 0};
constinit Timezone utc_zone = {PyObject_HEAD_INIT(&TimezoneType) & no_offset.ob_base, nullptr};

PyObject* not_implemented(const char* method) {
    return PyErr_Format(PyExc_NotImplementedError, "a tzinfo subclass must implement %s()", method);
}

PyObject* base_utcoffset(PyObject*, PyObject*) {
    return not_implemented("utcoffset");
}
PyObject* base_tzname(PyObject*, PyObject*) {
    return not_implemented("tzname");
}
PyObject* base_dst(PyObject*, PyObject*) {
    return not_implemented("dst");
}

// From what a clock in UTC shows to what one here does: by both methods of the class.
PyObject* base_fromutc(PyObject* op, PyObject* of) {
    if (!is_datetime(of)) {
        PyErr_SetString(PyExc_TypeError, "fromutc: argument must be a datetime");
        return nullptr;
    }
    if (tzinfo_of(of) != op) {
        PyErr_SetString(PyExc_ValueError, "fromutc: dt.tzinfo is not self");
        return nullptr;
    }
    const Own offset(offset_by(op, "utcoffset", of));
    const Own summer(offset ? offset_by(op, "dst", of) : nullptr);
    if (!summer) {
        return nullptr;
    }
    if (offset.get() == Py_None || summer.get() == Py_None) {
        PyErr_Format(PyExc_ValueError, "fromutc: non-None %s() result required",
                     offset.get() == Py_None ? "utcoffset" : "dst");
        return nullptr;
    }
    const Microseconds standard = microseconds_in(offset.get()) - microseconds_in(summer.get());
    const Own shown(datetime_showing(shown_in(of) + standard, op, 0));
    const Own later(shown ? offset_by(op, "dst", shown.get()) : nullptr);
    if (!later) {
        return nullptr;
    }
    if (later.get() == Py_None) {
        PyErr_SetString(PyExc_ValueError,
                        "fromutc: tz.dst() gave inconsistent results; cannot convert");
        return nullptr;
    }
    return datetime_showing(shown_in(shown.get()) + microseconds_in(later.get()), op, 0);
}

PyMethodDef base_methods[] = {
    {"utcoffset", base_utcoffset, METH_O, PyDoc_STR("How far it is from UTC.")},
    {"tzname", base_tzname, METH_O, PyDoc_STR("What it is called.")},
    {"dst", base_dst, METH_O, PyDoc_STR("How much of that is summer time.")},
    {"fromutc", base_fromutc, METH_O, PyDoc_STR("What a clock here shows.")},
    {nullptr, nullptr, 0, nullptr},
};

void timezone_dealloc(PyObject* op) {
    Py_DECREF(timezone_in(op)->offset);
    Py_XDECREF(timezone_in(op)->name);
    Py_TYPE(op)->tp_free(op);
}

PyObject* timezone_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
    static const char* const names[] = {"offset", "name", nullptr};
    PyObject* offset;
    PyObject* name = nullptr;
    return PyArg_ParseTupleAndKeywords(args, kwargs, "O!|U:timezone", names, &DeltaType, &offset,
                                       &name) == 0
               ? nullptr
               : new_timezone(offset, name);
}

PyObject* timezone_str(PyObject* op) {
    if (timezone_in(op)->name != nullptr) {
        return Py_NewRef(timezone_in(op)->name);
    }
    const Microseconds offset = microseconds_in(timezone_in(op)->offset);
    return new_text(offset == 0 ? "UTC" : "UTC" + text_of_offset(offset));
}

PyObject* timezone_repr(PyObject* op) {
    const Timezone* self = timezone_in(op);
    return op == utc() ? PyUnicode_FromString("datetime.timezone.utc")
           : self->name != nullptr
               ? PyUnicode_FromFormat("%s(%R, %R)", Py_TYPE(op)->tp_name, self->offset, self->name)
               : PyUnicode_FromFormat("%s(%R)", Py_TYPE(op)->tp_name, self->offset);
}

PyObject* timezone_compare(PyObject* a, PyObject* b, int operation) {
    if ((operation != Py_EQ && operation != Py_NE) || !Py_IS_TYPE(b, &TimezoneType)) {
        return Py_NewRef(Py_NotImplemented);
    }
    return compare(microseconds_in(timezone_in(a)->offset), microseconds_in(timezone_in(b)->offset),
                   operation);
}

Py_hash_t timezone_hash(PyObject* op) {
    return PyObject_Hash(timezone_in(op)->offset);
}

bool check_argument(PyObject* op, const char* method) {
    if (op == Py_None || is_datetime(op)) {
        return true;
    }
    PyErr_Format(PyExc_TypeError, "%s(dt) argument must be a datetime instance or None, not %.200s",
                 method, Py_TYPE(op)->tp_name);
    return false;
}

PyObject* utcoffset(PyObject* op, PyObject* of) {
    return check_argument(of, "utcoffset") ? Py_NewRef(timezone_in(op)->offset) : nullptr;
}
PyObject* tzname(PyObject* op, PyObject* of) {
    return check_argument(of, "tzname") ? timezone_str(op) : nullptr;
}
PyObject* dst(PyObject*, PyObject* of) {
    return check_argument(of, "dst") ? Py_NewRef(Py_None) : nullptr;
}

PyObject* fromutc(PyObject* op, PyObject* of) {
    if (!is_datetime(of)) {
        PyErr_SetString(PyExc_TypeError, "fromutc() argument must be a datetime instance");
        return nullptr;
    }
    if (tzinfo_of(of) != op) {
        PyErr_SetString(PyExc_ValueError, "fromutc: dt.tzinfo is not self");
        return nullptr;
    }
    return datetime_showing(shown_in(of) + microseconds_in(timezone_in(op)->offset), op, 0);
}

PyMethodDef methods[] = {
    {"utcoffset", utcoffset, METH_O, PyDoc_STR("The offset.")},
    {"tzname", tzname, METH_O, PyDoc_STR("The name.")},
    {"dst", dst, METH_O, PyDoc_STR("None.")},
    {"fromutc", fromutc, METH_O, PyDoc_STR("What a clock here shows.")},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyTypeObject date::TzinfoType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "datetime.tzinfo",
    .tp_basicsize = sizeof(PyDateTime_TZInfo),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_methods = base_methods,
    .tp_new = PyType_GenericNew,
};

PyTypeObject date::TimezoneType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "datetime.timezone",
    .tp_basicsize = sizeof(Timezone),
    .tp_dealloc = timezone_dealloc,
    .tp_repr = timezone_repr,
    .tp_hash = timezone_hash,
    .tp_str = timezone_str,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_richcompare = timezone_compare,
    .tp_methods = methods,
    .tp_base = &TzinfoType,
    .tp_new = timezone_new,
};

PyObject* date::utc() {
    return &utc_zone.ob_base;
}

PyObject* date::new_timezone(PyObject* offset, PyObject* name) {
    if (!is_delta(offset)) {
        return PyErr_Format(PyExc_TypeError,
                            "timezone() argument 1 must be datetime.timedelta, not %.200s",
                            Py_TYPE(offset)->tp_name);
    }
    const Microseconds value = microseconds_in(offset);
    if (value <= -kDay || value >= kDay) {
        return PyErr_Format(PyExc_ValueError,
                            "offset must be a timedelta strictly between -timedelta(hours=24) and "
                            "timedelta(hours=24), not %R.",
                            offset);
    }
    if (value == 0 && name == nullptr) {
        return Py_NewRef(utc());
    }
    PyObject* op = TimezoneType.tp_alloc(&TimezoneType, 0);
    if (op != nullptr) {
        timezone_in(op)->offset = Py_NewRef(offset);
        timezone_in(op)->name = Py_XNewRef(name);
    }
    return op;
}

bool date::check_tzinfo(PyObject* tzinfo) {
    if (tzinfo == Py_None || PyObject_TypeCheck(tzinfo, &TzinfoType)) {
        return true;
    }
    PyErr_Format(PyExc_TypeError,
                 "tzinfo argument must be None or of a tzinfo subclass, not type '%s'",
                 Py_TYPE(tzinfo)->tp_name);
    return false;
}

PyObject* date::offset_by(PyObject* tzinfo, const char* method, PyObject* of) {
    if (tzinfo == Py_None) {
        return Py_NewRef(Py_None);
    }
    Own offset(PyObject_CallMethod(tzinfo, method, "O", of));
    if (!offset || offset.get() == Py_None) {
        return offset.release();
    }
    if (!is_delta(offset.get())) {
        return PyErr_Format(PyExc_TypeError,
                            "tzinfo.%s() must return None or a timedelta, not '%.200s'", method,
                            Py_TYPE(offset.get())->tp_name);
    }
    const Microseconds value = microseconds_in(offset.get());
    if (value <= -kDay || value >= kDay) {
        PyErr_SetString(PyExc_ValueError, "offset must be a timedelta strictly between "
                                          "-timedelta(hours=24) and timedelta(hours=24).");
        return nullptr;
    }
    return offset.release();
}

Offset date::offset_of(PyObject* op, PyObject* argument, Microseconds* offset) {
    const Own found(offset_by(tzinfo_of(op), "utcoffset", argument));
    if (!found || found.get() == Py_None) {
        *offset = 0;
        return found ? Offset::kNone : Offset::kFailed;
    }
    *offset = microseconds_in(found.get());
    return Offset::kSome;
}
