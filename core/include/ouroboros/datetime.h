/* Dates and times: the C API of the module datetime. Not included by Python.h; a source includes datetime.h, runs
 * PyDateTime_IMPORT once, and uses the rest after that. Source: "DateTime Objects" in the C API documentation. */
#ifndef OURO_DATETIME_H
#define OURO_DATETIME_H

#include "Python.h"

OURO_BEGIN_C

/* The fields are read by the macros below alone; no object changes. */
typedef struct {
    PyObject_HEAD
    Py_hash_t hashcode; /* -1 until it is computed */
    int days;           /* -999999999 to 999999999 */
    int seconds;        /* 0 to 86399 */
    int microseconds;   /* 0 to 999999 */
} PyDateTime_Delta;

typedef struct {
    PyObject_HEAD
} PyDateTime_TZInfo;

typedef struct {
    PyObject_HEAD
    Py_hash_t hashcode;
    char hastzinfo;        /* 0 */
    unsigned char data[4]; /* year in two bytes, the high one first; month; day */
} PyDateTime_Date;

typedef struct {
    PyObject_HEAD
    Py_hash_t hashcode;
    char hastzinfo;
    unsigned char data[6]; /* hour, minute, second, microsecond in three bytes */
    unsigned char fold;
    PyObject* tzinfo; /* a reference; meaningless where hastzinfo is 0 */
} PyDateTime_Time;

typedef struct {
    PyObject_HEAD
    Py_hash_t hashcode;
    char hastzinfo;
    unsigned char data[10]; /* as of a date, then as of a time */
    unsigned char fold;
    PyObject* tzinfo;
} PyDateTime_DateTime;

/* What the capsule datetime.datetime_CAPI points to. Each function returns a new reference, or NULL with ValueError,
 * OverflowError or TypeError. A tzinfo is None or of a class derived from tzinfo. */
typedef struct {
    PyTypeObject* DateType;
    PyTypeObject* DateTimeType;
    PyTypeObject* TimeType;
    PyTypeObject* DeltaType;
    PyTypeObject* TZInfoType;
    PyObject* TimeZone_UTC;
    PyObject* (*Date_FromDate)(int year, int month, int day, PyTypeObject* type);
    PyObject* (*DateTime_FromDateAndTime)(int year, int month, int day, int hour, int minute,
                                          int second, int microsecond, PyObject* tzinfo,
                                          PyTypeObject* type);
    PyObject* (*Time_FromTime)(int hour, int minute, int second, int microsecond, PyObject* tzinfo,
                               PyTypeObject* type);
    PyObject* (*Delta_FromDelta)(int days, int seconds, int microseconds, int normalize,
                                 PyTypeObject* type);
    PyObject* (*TimeZone_FromTimeZone)(PyObject* offset, PyObject* name);
    PyObject* (*DateTime_FromTimestamp)(PyObject* type, PyObject* args, PyObject* kwargs);
    PyObject* (*Date_FromTimestamp)(PyObject* type, PyObject* args);
    PyObject* (*DateTime_FromDateAndTimeAndFold)(int year, int month, int day, int hour, int minute,
                                                 int second, int microsecond, PyObject* tzinfo,
                                                 int fold, PyTypeObject* type);
    PyObject* (*Time_FromTimeAndFold)(int hour, int minute, int second, int microsecond,
                                      PyObject* tzinfo, int fold, PyTypeObject* type);
} PyDateTime_CAPI;

#define PyDateTime_CAPSULE_NAME "datetime.datetime_CAPI"

/* Of each source: NULL until PyDateTime_IMPORT, and after it if there is an exception. */
static PyDateTime_CAPI* PyDateTimeAPI __attribute__((unused)) = NULL;
#define PyDateTime_IMPORT \
    (PyDateTimeAPI = OURO_CAST(PyDateTime_CAPI*, PyCapsule_Import(PyDateTime_CAPSULE_NAME, 0)))
#define PyDateTime_TimeZone_UTC (PyDateTimeAPI->TimeZone_UTC)

#define PyDate_Check(op) PyObject_TypeCheck((op), PyDateTimeAPI->DateType)
#define PyDate_CheckExact(op) Py_IS_TYPE((op), PyDateTimeAPI->DateType)
#define PyDateTime_Check(op) PyObject_TypeCheck((op), PyDateTimeAPI->DateTimeType)
#define PyDateTime_CheckExact(op) Py_IS_TYPE((op), PyDateTimeAPI->DateTimeType)
#define PyTime_Check(op) PyObject_TypeCheck((op), PyDateTimeAPI->TimeType)
#define PyTime_CheckExact(op) Py_IS_TYPE((op), PyDateTimeAPI->TimeType)
#define PyDelta_Check(op) PyObject_TypeCheck((op), PyDateTimeAPI->DeltaType)
#define PyDelta_CheckExact(op) Py_IS_TYPE((op), PyDateTimeAPI->DeltaType)
#define PyTZInfo_Check(op) PyObject_TypeCheck((op), PyDateTimeAPI->TZInfoType)
#define PyTZInfo_CheckExact(op) Py_IS_TYPE((op), PyDateTimeAPI->TZInfoType)

#define PyDate_FromDate(year, month, day) \
    (PyDateTimeAPI->Date_FromDate((year), (month), (day), PyDateTimeAPI->DateType))
#define PyDateTime_FromDateAndTime(year, month, day, hour, minute, second, microsecond)          \
    (PyDateTimeAPI->DateTime_FromDateAndTime((year), (month), (day), (hour), (minute), (second), \
                                             (microsecond), Py_None, PyDateTimeAPI->DateTimeType))
#define PyDateTime_FromDateAndTimeAndFold(year, month, day, hour, minute, second, microsecond, \
                                          fold)                                                \
    (PyDateTimeAPI->DateTime_FromDateAndTimeAndFold((year), (month), (day), (hour), (minute),  \
                                                    (second), (microsecond), Py_None, (fold),  \
                                                    PyDateTimeAPI->DateTimeType))
#define PyTime_FromTime(hour, minute, second, microsecond)                            \
    (PyDateTimeAPI->Time_FromTime((hour), (minute), (second), (microsecond), Py_None, \
                                  PyDateTimeAPI->TimeType))
#define PyTime_FromTimeAndFold(hour, minute, second, microsecond, fold)                      \
    (PyDateTimeAPI->Time_FromTimeAndFold((hour), (minute), (second), (microsecond), Py_None, \
                                         (fold), PyDateTimeAPI->TimeType))
#define PyDelta_FromDSU(days, seconds, microseconds) \
    (PyDateTimeAPI->Delta_FromDelta((days), (seconds), (microseconds), 1, PyDateTimeAPI->DeltaType))
#define PyTimeZone_FromOffset(offset) (PyDateTimeAPI->TimeZone_FromTimeZone((offset), NULL))
#define PyTimeZone_FromOffsetAndName(offset, name) \
    (PyDateTimeAPI->TimeZone_FromTimeZone((offset), (name)))
/* `args` is a tuple: a timestamp and perhaps a tzinfo. */
#define PyDateTime_FromTimestamp(args)                                                        \
    (PyDateTimeAPI->DateTime_FromTimestamp(OURO_CAST(PyObject*, PyDateTimeAPI->DateTimeType), \
                                           (args), NULL))
#define PyDate_FromTimestamp(args) \
    (PyDateTimeAPI->Date_FromTimestamp(OURO_CAST(PyObject*, PyDateTimeAPI->DateType), (args)))

/* Fields. Unchecked. The first three of a date or a datetime. */
#define PyDateTime_GET_YEAR(op) \
    (OURO_CAST(PyDateTime_Date*, (op))->data[0] << 8 | OURO_CAST(PyDateTime_Date*, (op))->data[1])
#define PyDateTime_GET_MONTH(op) (OURO_CAST(PyDateTime_Date*, (op))->data[2])
#define PyDateTime_GET_DAY(op) (OURO_CAST(PyDateTime_Date*, (op))->data[3])
#define OURO_MICROSECOND_AT(data) ((data)[0] << 16 | (data)[1] << 8 | (data)[2])
#define PyDateTime_DATE_GET_HOUR(op) (OURO_CAST(PyDateTime_DateTime*, (op))->data[4])
#define PyDateTime_DATE_GET_MINUTE(op) (OURO_CAST(PyDateTime_DateTime*, (op))->data[5])
#define PyDateTime_DATE_GET_SECOND(op) (OURO_CAST(PyDateTime_DateTime*, (op))->data[6])
#define PyDateTime_DATE_GET_MICROSECOND(op) \
    OURO_MICROSECOND_AT(OURO_CAST(PyDateTime_DateTime*, (op))->data + 7)
#define PyDateTime_DATE_GET_FOLD(op) (OURO_CAST(PyDateTime_DateTime*, (op))->fold)
/* Borrowed; None where there is none. */
#define PyDateTime_DATE_GET_TZINFO(op)                   \
    (OURO_CAST(PyDateTime_DateTime*, (op))->hastzinfo    \
         ? OURO_CAST(PyDateTime_DateTime*, (op))->tzinfo \
         : Py_None)
#define PyDateTime_TIME_GET_HOUR(op) (OURO_CAST(PyDateTime_Time*, (op))->data[0])
#define PyDateTime_TIME_GET_MINUTE(op) (OURO_CAST(PyDateTime_Time*, (op))->data[1])
#define PyDateTime_TIME_GET_SECOND(op) (OURO_CAST(PyDateTime_Time*, (op))->data[2])
#define PyDateTime_TIME_GET_MICROSECOND(op) \
    OURO_MICROSECOND_AT(OURO_CAST(PyDateTime_Time*, (op))->data + 3)
#define PyDateTime_TIME_GET_FOLD(op) (OURO_CAST(PyDateTime_Time*, (op))->fold)
#define PyDateTime_TIME_GET_TZINFO(op)                                                        \
    (OURO_CAST(PyDateTime_Time*, (op))->hastzinfo ? OURO_CAST(PyDateTime_Time*, (op))->tzinfo \
                                                  : Py_None)
#define PyDateTime_DELTA_GET_DAYS(op) (OURO_CAST(PyDateTime_Delta*, (op))->days)
#define PyDateTime_DELTA_GET_SECONDS(op) (OURO_CAST(PyDateTime_Delta*, (op))->seconds)
#define PyDateTime_DELTA_GET_MICROSECONDS(op) (OURO_CAST(PyDateTime_Delta*, (op))->microseconds)

OURO_END_C

#endif
