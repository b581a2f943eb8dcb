// The module datetime, and its capsule for C code.
#include "core/builtins/date/module.hpp"
#include "core/builtins/date/date.hpp"

using namespace ouro;
using namespace ouro::date;
using object::Own;

namespace {

PyObject* from_date(int year, int month, int day, PyTypeObject* type) {
    return new_date({year, month, day}, type);
}

PyObject* from_date_and_time_and_fold(int year, int month, int day, int hour, int minute,
                                      int second, int microsecond, PyObject* tzinfo, int fold,
                                      PyTypeObject* type) {
    return new_datetime({year, month, day}, {hour, minute, second, microsecond}, tzinfo, fold,
                        type);
}

PyObject* from_date_and_time(int year, int month, int day, int hour, int minute, int second,
                             int microsecond, PyObject* tzinfo, PyTypeObject* type) {
    return from_date_and_time_and_fold(year, month, day, hour, minute, second, microsecond, tzinfo,
                                       0, type);
}

PyObject* from_time_and_fold(int hour, int minute, int second, int microsecond, PyObject* tzinfo,
                             int fold, PyTypeObject* type) {
    return new_time({hour, minute, second, microsecond}, tzinfo, fold, type);
}

PyObject* from_time(int hour, int minute, int second, int microsecond, PyObject* tzinfo,
                    PyTypeObject* type) {
    return from_time_and_fold(hour, minute, second, microsecond, tzinfo, 0, type);
}

// Not normalized the parts are in their ranges already: the result is the same.
PyObject* from_delta(int days, int seconds, int microseconds, int, PyTypeObject* type) {
    return new_delta(days * kDay + seconds * kSecond + microseconds, type);
}

PyObject* datetime_from_timestamp(PyObject* type, PyObject* args, PyObject* kwargs) {
    const Own method(PyObject_GetAttrString(type, "fromtimestamp"));
    return method ? PyObject_Call(method.get(), args, kwargs) : nullptr;
}

PyObject* date_from_timestamp(PyObject* type, PyObject* args) {
    return datetime_from_timestamp(type, args, nullptr);
}

PyDateTime_CAPI api = {
    .DateType = &DateType,
    .DateTimeType = &DateTimeType,
    .TimeType = &TimeType,
    .DeltaType = &DeltaType,
    .TZInfoType = &TzinfoType,
    .TimeZone_UTC = nullptr,
    .Date_FromDate = from_date,
    .DateTime_FromDateAndTime = from_date_and_time,
    .Time_FromTime = from_time,
    .Delta_FromDelta = from_delta,
    .TimeZone_FromTimeZone = new_timezone,
    .DateTime_FromTimestamp = datetime_from_timestamp,
    .Date_FromTimestamp = date_from_timestamp,
    .DateTime_FromDateAndTimeAndFold = from_date_and_time_and_fold,
    .Time_FromTimeAndFold = from_time_and_fold,
};

// The bounds of the types: constants, as the types are.
#define OURO_DELTA(days, seconds, microseconds) \
    { PyObject_HEAD_INIT(&DeltaType) - 1, days, seconds, microseconds }
constinit PyDateTime_Delta deltas[] = {
    OURO_DELTA(-999999999, 0, 0),
    OURO_DELTA(999999999, 86399, 999999),
    OURO_DELTA(0, 0, 1),
    OURO_DELTA(1, 0, 0),
};
#undef OURO_DELTA
constinit PyDateTime_Date dates[] = {
    {PyObject_HEAD_INIT(&DateType) - 1, 0, {0, 1, 1, 1}},
    {PyObject_HEAD_INIT(&DateType) - 1, 0, {0x27, 0x0F, 12, 31}},
};
constinit PyDateTime_Time times[] = {
    {PyObject_HEAD_INIT(&TimeType) - 1, 0, {0, 0, 0, 0, 0, 0}, 0, nullptr},
    {PyObject_HEAD_INIT(&TimeType) - 1, 0, {23, 59, 59, 0x0F, 0x42, 0x3F}, 0, nullptr},
};
constinit PyDateTime_DateTime datetimes[] = {
    {PyObject_HEAD_INIT(&DateTimeType) - 1, 0, {0, 1, 1, 1, 0, 0, 0, 0, 0, 0}, 0, nullptr},
    {PyObject_HEAD_INIT(&DateTimeType) - 1,
     0,
     {0x27, 0x0F, 12, 31, 23, 59, 59, 0x0F, 0x42, 0x3F},
     0,
     nullptr},
};

struct Constant {
    PyTypeObject* type;
    const char* name;
    PyObject* value;
};

template <class T>
PyObject* object(T* op) {
    return &op->ob_base;
}

int add_constants() {
    const Constant constants[] = {
        {&DeltaType, "min", object(&deltas[0])},
        {&DeltaType, "max", object(&deltas[1])},
        {&DeltaType, "resolution", object(&deltas[2])},
        {&DateType, "min", object(&dates[0])},
        {&DateType, "max", object(&dates[1])},
        {&DateType, "resolution", object(&deltas[3])},
        {&TimeType, "min", object(&times[0])},
        {&TimeType, "max", object(&times[1])},
        {&TimeType, "resolution", object(&deltas[2])},
        {&DateTimeType, "min", object(&datetimes[0])},
        {&DateTimeType, "max", object(&datetimes[1])},
        {&DateTimeType, "resolution", object(&deltas[2])},
        {&TimezoneType, "utc", utc()},
    };
    for (const Constant& each : constants) {
        if (PyDict_SetItemString(each.type->tp_dict, each.name, each.value) < 0) {
            return -1;
        }
        PyType_Modified(each.type);
    }
    return 0;
}

int execute(PyObject* self) {
    PyTypeObject* const types[] = {&DeltaType,    &DateType,   &TimeType,
                                   &DateTimeType, &TzinfoType, &TimezoneType};
    for (PyTypeObject* type : types) {
        if (PyModule_AddType(self, type) < 0) {
            return -1;
        }
    }
    api.TimeZone_UTC = utc();
    const Own capsule(PyCapsule_New(&api, PyDateTime_CAPSULE_NAME, nullptr));
    return capsule && add_constants() == 0 &&
                   PyModule_AddObjectRef(self, "datetime_CAPI", capsule.get()) == 0 &&
                   PyModule_AddObjectRef(self, "UTC", utc()) == 0 &&
                   PyModule_AddIntConstant(self, "MINYEAR", kFirstYear) == 0 &&
                   PyModule_AddIntConstant(self, "MAXYEAR", kLastYear) == 0
               ? 0
               : -1;
}

PyModuleDef_Slot slots[] = {
    {Py_mod_exec, reinterpret_cast<void*>(execute)},
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
    {0, nullptr},
};

PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "datetime",
    .m_doc = PyDoc_STR("Dates, times and zones."),
    .m_slots = slots,
};

}  // namespace

PyObject* date::init_datetime() {
    return PyModuleDef_Init(&definition);
}
