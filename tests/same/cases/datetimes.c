/* The C API of datetime, and what its objects are to Python. */
#include "tests/same/same.h"

#include <datetime.h>

#define CALL(op, name, ...) PyObject_CallMethod(op, name, __VA_ARGS__)

static PyObject* delta(int days, int seconds, int microseconds) {
    return T(PyDelta_FromDSU(days, seconds, microseconds));
}
#define DATE ((PyObject*)PyDateTimeAPI->DateType)
#define DATETIME ((PyObject*)PyDateTimeAPI->DateTimeType)
#define TIME ((PyObject*)PyDateTimeAPI->TimeType)
#define DELTA ((PyObject*)PyDateTimeAPI->DeltaType)

/* What every case begins with. */
static void begin(void) {
    PyDateTime_IMPORT;
    if (PyDateTimeAPI == NULL) {
        raised("import");
        T(NULL);
    }
}

static PyObject* zone(int hours, const char* name) {
    PyObject* offset = delta(0, hours * 3600, 0);
    return T(name == NULL ? PyTimeZone_FromOffset(offset)
                          : PyTimeZone_FromOffsetAndName(offset, S(name)));
}

CASE(dates_and_times_are_made_by_c) {
    begin();
    PyObject* date = T(PyDate_FromDate(2020, 2, 29));
    see("date", date);
    say("%d %d %d", PyDateTime_GET_YEAR(date), PyDateTime_GET_MONTH(date),
        PyDateTime_GET_DAY(date));
    got("no day", PyDate_FromDate(2019, 2, 29));
    got("no month", PyDate_FromDate(2019, 13, 1));
    got("no year", PyDate_FromDate(0, 1, 1));
    PyObject* at = T(PyDateTime_FromDateAndTime(2020, 2, 29, 23, 59, 58, 123456));
    see("datetime", at);
    say("%d %d %d %d %d", PyDateTime_DATE_GET_HOUR(at), PyDateTime_DATE_GET_MINUTE(at),
        PyDateTime_DATE_GET_SECOND(at), PyDateTime_DATE_GET_MICROSECOND(at),
        PyDateTime_DATE_GET_FOLD(at));
    see("zone", PyDateTime_DATE_GET_TZINFO(at));
    got("no hour", PyDateTime_FromDateAndTime(2020, 2, 29, 24, 0, 0, 0));
    got("no microsecond", PyDateTime_FromDateAndTime(2020, 2, 29, 2, 0, 0, 1000000));
    got("fold", PyDateTime_FromDateAndTimeAndFold(2020, 2, 29, 2, 0, 0, 0, 1));
    got("no fold", PyDateTime_FromDateAndTimeAndFold(2020, 2, 29, 2, 0, 0, 0, 2));
    PyObject* time = T(PyTime_FromTime(1, 2, 3, 4));
    see("time", time);
    say("%d %d %d %d", PyDateTime_TIME_GET_HOUR(time), PyDateTime_TIME_GET_MINUTE(time),
        PyDateTime_TIME_GET_SECOND(time), PyDateTime_TIME_GET_MICROSECOND(time));
    see("zone", PyDateTime_TIME_GET_TZINFO(time));
    got("fold", PyTime_FromTimeAndFold(1, 2, 0, 0, 1));
    got("no minute", PyTime_FromTime(1, 60, 0, 0));
    PyObject* difference = T(PyDelta_FromDSU(1, 90000, -1));
    see("delta", difference);
    say("%d %d %d", PyDateTime_DELTA_GET_DAYS(difference), PyDateTime_DELTA_GET_SECONDS(difference),
        PyDateTime_DELTA_GET_MICROSECONDS(difference));
    got("too large", PyDelta_FromDSU(1000000000, 0, 0));
    PyObject* aware = T(PyDateTimeAPI->DateTime_FromDateAndTime(
        2020, 1, 1, 0, 0, 0, 0, zone(2, "X"), PyDateTimeAPI->DateTimeType));
    see("aware", aware);
    got("no zone", PyDateTimeAPI->DateTime_FromDateAndTime(2020, 1, 1, 0, 0, 0, 0, S("x"),
                                                           PyDateTimeAPI->DateTimeType));
    see("UTC", PyDateTime_TimeZone_UTC);
    got("of a timestamp", PyDateTime_FromTimestamp(V("(iO)", 1000000000, PyDateTime_TimeZone_UTC)));
    got("of half a second", PyDateTime_FromTimestamp(V("(dO)", -0.5, PyDateTime_TimeZone_UTC)));
}

CASE(dates_and_times_are_known_by_their_types) {
    begin();
    PyObject* const all[] = {
        T(PyDate_FromDate(2020, 1, 1)), T(PyDateTime_FromDateAndTime(2020, 1, 1, 0, 0, 0, 0)),
        T(PyTime_FromTime(0, 0, 0, 0)), delta(0, 0, 0),
        PyDateTime_TimeZone_UTC,        Py_None};
    for (int i = 0; i < 6; ++i) {
        say("date %d %d, datetime %d %d, time %d %d, delta %d %d, zone %d %d", PyDate_Check(all[i]),
            PyDate_CheckExact(all[i]), PyDateTime_Check(all[i]), PyDateTime_CheckExact(all[i]),
            PyTime_Check(all[i]), PyTime_CheckExact(all[i]), PyDelta_Check(all[i]),
            PyDelta_CheckExact(all[i]), PyTZInfo_Check(all[i]), PyTZInfo_CheckExact(all[i]));
    }
}

CASE(deltas_are_computed_with) {
    begin();
    PyObject* a = delta(1, 3600, 5);
    PyObject* b = delta(0, 7200, 0);
    see_text("str", a);
    see_text("str", delta(-1, 0, 1));
    see_text("str", delta(0, 0, 0));
    see("repr", delta(0, 0, 0));
    see("repr", delta(-2, 5, 0));
    got("sum", PyNumber_Add(a, b));
    got("difference", PyNumber_Subtract(b, a));
    got("negative", PyNumber_Negative(a));
    got("absolute", PyNumber_Absolute(delta(-1, 1, 0)));
    got("twice", PyNumber_Multiply(a, I(2)));
    got("by a float", PyNumber_Multiply(F(0.1), a));
    got("by a float", PyNumber_Multiply(delta(0, 0, 3), F(0.5)));
    got("by a float", PyNumber_Multiply(delta(0, 0, 5), F(0.5)));
    say("too large: %d", PyNumber_Multiply(a, F(1e300)) == NULL);
    PyErr_Clear();
    got("half", PyNumber_TrueDivide(delta(0, 0, 5), I(2)));
    got("half", PyNumber_TrueDivide(delta(0, 0, 7), I(2)));
    got("by a float", PyNumber_TrueDivide(a, F(0.25)));
    got("ratio", PyNumber_TrueDivide(a, b));
    got("floor", PyNumber_FloorDivide(a, b));
    got("floor", PyNumber_FloorDivide(delta(0, 0, -7), I(2)));
    got("rest", PyNumber_Remainder(delta(0, 0, -7), delta(0, 0, 3)));
    got("both", PyNumber_Divmod(a, b));
    got("by zero", PyNumber_FloorDivide(a, delta(0, 0, 0)));
    got("by zero", PyNumber_TrueDivide(a, I(0)));
    got("by a str", PyNumber_Multiply(a, S("x")));
    got("with a number", PyNumber_Add(a, I(1)));
    got("less", PyObject_RichCompare(b, a, Py_LT));
    got("equal", PyObject_RichCompare(a, delta(1, 3600, 5), Py_EQ));
    got("a number", PyObject_RichCompare(a, I(1), Py_EQ));
    got("order", PyObject_RichCompare(a, I(1), Py_LT));
    say("hash: %d", PyObject_Hash(a) == PyObject_Hash(delta(1, 3600, 5)));
    done("truth", PyObject_IsTrue(delta(0, 0, 0)));
    got("seconds", CALL(a, "total_seconds", NULL));
    got("min", PyObject_GetAttrString(DELTA, "min"));
    got("max", PyObject_GetAttrString(DELTA, "max"));
    got("beyond", PyNumber_Add(T(PyObject_GetAttrString(DELTA, "max")), delta(0, 0, 1)));
    got("resolution", PyObject_GetAttrString(DELTA, "resolution"));
    got("days", PyObject_GetAttrString(a, "days"));
    done("set", PyObject_SetAttrString(a, "days", I(1)));
    got("made", PyObject_Call(DELTA, V("()"),
                              V("{s:i,s:d,s:d}", "weeks", 1, "hours", 1.5, "minutes", 0.1)));
    got("made", PyObject_CallFunction(DELTA, "ddd", 0.5, 0.5, 0.5));
    got("made", PyObject_CallFunction(DELTA, "iid", 0, 0, 1.5));
    got("of a str", PyObject_CallFunction(DELTA, "s", "x"));
}

CASE(dates_are_computed_with) {
    begin();
    PyObject* a = T(PyDate_FromDate(2020, 2, 28));
    see_text("str", a);
    got("later", PyNumber_Add(a, delta(2, 0, 0)));
    got("later", PyNumber_Add(delta(366, 0, 0), a));
    got("earlier", PyNumber_Subtract(a, delta(59, 0, 0)));
    got("between", PyNumber_Subtract(a, T(PyDate_FromDate(2000, 1, 1))));
    got("too late", PyNumber_Add(T(PyObject_GetAttrString(DATE, "max")), delta(1, 0, 0)));
    got("with a number", PyNumber_Add(a, I(1)));
    got("less", PyObject_RichCompare(a, T(PyDate_FromDate(2020, 3, 1)), Py_LT));
    got("equal", PyObject_RichCompare(a, T(PyDate_FromDate(2020, 2, 28)), Py_EQ));
    got("a datetime",
        PyObject_RichCompare(a, T(PyDateTime_FromDateAndTime(2020, 2, 28, 0, 0, 0, 0)), Py_EQ));
    got("a datetime",
        PyObject_RichCompare(a, T(PyDateTime_FromDateAndTime(2020, 2, 28, 0, 0, 0, 0)), Py_LT));
    got("a str", PyObject_RichCompare(a, S("x"), Py_LT));
    say("hash: %d", PyObject_Hash(a) == PyObject_Hash(T(PyDate_FromDate(2020, 2, 28))));
    got("iso", CALL(a, "isoformat", NULL));
    got("ordinal", CALL(a, "toordinal", NULL));
    got("of an ordinal", CALL(DATE, "fromordinal", "i", 730120));
    got("of none", CALL(DATE, "fromordinal", "i", 0));
    got("of text", CALL(DATE, "fromisoformat", "s", "1999-12-31"));
    got("of text", CALL(DATE, "fromisoformat", "s", "19991231"));
    got("of none", CALL(DATE, "fromisoformat", "s", "1999-1-1"));
    got("of no day", CALL(DATE, "fromisoformat", "s", "1999-02-29"));
    got("weekday", CALL(a, "weekday", NULL));
    got("isoweekday", CALL(a, "isoweekday", NULL));
    got("calendar", CALL(a, "isocalendar", NULL));
    got("calendar", CALL(T(PyDate_FromDate(2021, 1, 3)), "isocalendar", NULL));
    got("calendar", CALL(T(PyDate_FromDate(2018, 12, 31)), "isocalendar", NULL));
    got("replaced",
        PyObject_Call(T(PyObject_GetAttrString(a, "replace")), V("()"), V("{s:i}", "day", 1)));
    got("formatted", CALL(a, "strftime", "s", "%Y/%m/%d %j %a %% %q %H"));
    got("formatted", CALL(a, "__format__", "s", "%d.%m."));
    got("ctime", CALL(a, "ctime", NULL));
    got("min", PyObject_GetAttrString(DATE, "min"));
    got("max", PyObject_GetAttrString(DATE, "max"));
    got("year", PyObject_GetAttrString(a, "year"));
    got("made", PyObject_CallFunction(DATE, "iii", 2020, 1, 1));
    got("made of little", PyObject_CallFunction(DATE, "ii", 2020, 1));
    got("made of a str", PyObject_CallFunction(DATE, "sii", "2020", 1, 1));
    for (int year = 1; year <= 9999; year += 7) {
        PyObject* date = PyDate_FromDate(year, 1 + year % 12, 1 + year % 28);
        PyObject* ordinal = CALL(date, "toordinal", NULL);
        PyObject* again = CALL(DATE, "fromordinal", "O", ordinal);
        if (PyObject_RichCompareBool(date, again, Py_EQ) != 1) {
            say("%d", year);
        }
        Py_DECREF(date);
        Py_DECREF(ordinal);
        Py_DECREF(again);
    }
}

CASE(datetimes_are_computed_with) {
    begin();
    PyObject* a = T(PyDateTime_FromDateAndTime(2020, 2, 29, 12, 30, 0, 5));
    PyObject* utc = PyDateTime_TimeZone_UTC;
    PyObject* aware = T(
        PyObject_Call(T(PyObject_GetAttrString(a, "replace")), V("()"), V("{s:O}", "tzinfo", utc)));
    PyObject* east = T(CALL(aware, "astimezone", "O", zone(5, NULL)));
    see("naive", a);
    see_text("str", a);
    see("aware", aware);
    see_text("str", aware);
    see("east", east);
    see_text("str", east);
    got("later", PyNumber_Add(a, delta(0, 86400, 1)));
    got("earlier", PyNumber_Subtract(a, delta(0, 45001, 0)));
    got("between", PyNumber_Subtract(a, T(PyDateTime_FromDateAndTime(2020, 1, 1, 0, 0, 0, 0))));
    got("between zones", PyNumber_Subtract(aware, east));
    got("between kinds", PyNumber_Subtract(a, aware));
    got("equal in zones", PyObject_RichCompare(aware, east, Py_EQ));
    got("equal of kinds", PyObject_RichCompare(a, aware, Py_EQ));
    got("order of kinds", PyObject_RichCompare(a, aware, Py_LT));
    say("hash: %d", PyObject_Hash(aware) == PyObject_Hash(east));
    got("timestamp", CALL(aware, "timestamp", NULL));
    got("timestamp", CALL(east, "timestamp", NULL));
    got("of a timestamp", CALL(DATETIME, "fromtimestamp", "dO", 1e9 + 0.25, zone(-3, "W")));
    got("in UTC", CALL(DATETIME, "utcfromtimestamp", "i", 86400));
    got("iso", CALL(east, "isoformat", NULL));
    got("iso", CALL(a, "isoformat", "ss", " ", "minutes"));
    got("iso", CALL(a, "isoformat", "ss", "_", "milliseconds"));
    got("iso", CALL(a, "isoformat", "ss", "T", "years"));
    got("of text", CALL(DATETIME, "fromisoformat", "s", "2020-01-02T03:04:05.678+01:30"));
    got("of text", CALL(DATETIME, "fromisoformat", "s", "2020-01-02 03:04"));
    got("of text", CALL(DATETIME, "fromisoformat", "s", "2020-01-02"));
    got("of text", CALL(DATETIME, "fromisoformat", "s", "20200102T030405Z"));
    got("of none", CALL(DATETIME, "fromisoformat", "s", "2020-01-02T"));
    got("of none", CALL(DATETIME, "fromisoformat", "s", "yesterday"));
    got("date", CALL(a, "date", NULL));
    got("time", CALL(a, "time", NULL));
    got("timetz", CALL(east, "timetz", NULL));
    got("combined",
        CALL(DATETIME, "combine", "OO", T(CALL(a, "date", NULL)), T(CALL(east, "timetz", NULL))));
    got("utcoffset", CALL(east, "utcoffset", NULL));
    got("utcoffset", CALL(a, "utcoffset", NULL));
    got("tzname", CALL(east, "tzname", NULL));
    got("dst", CALL(east, "dst", NULL));
    got("formatted", CALL(east, "strftime", "s", "%Y %H:%M:%S.%f %z %Z"));
    got("formatted", CALL(a, "strftime", "s", "%z|%Z|%f"));
    got("ctime", CALL(a, "ctime", NULL));
    got("fold",
        PyObject_Call(T(PyObject_GetAttrString(a, "replace")), V("()"), V("{s:i}", "fold", 1)));
    got("min", PyObject_GetAttrString(DATETIME, "min"));
    got("max", PyObject_GetAttrString(DATETIME, "max"));
    got("too late", PyNumber_Add(T(PyObject_GetAttrString(DATETIME, "max")), delta(0, 0, 1)));
    got("made", PyObject_CallFunction(DATETIME, "iiiiiiiO", 2020, 1, 1, 1, 1, 1, 1, utc));
    got("made of little", PyObject_CallFunction(DATETIME, "i", 2020));
    say("today is not before 2020: %d",
        PyObject_RichCompareBool(T(CALL(DATETIME, "now", NULL)), a, Py_GT));
    say("now is aware: %d",
        T(PyObject_GetAttrString(T(CALL(DATETIME, "now", "O", utc)), "tzinfo")) == utc);
}

CASE(times_and_zones) {
    begin();
    PyObject* a = T(PyTime_FromTime(1, 2, 3, 0));
    see_text("str", a);
    got("iso", CALL(a, "isoformat", "s", "microseconds"));
    got("of text", CALL(TIME, "fromisoformat", "s", "04:05:06.5"));
    got("of text", CALL(TIME, "fromisoformat", "s", "T0405+00:00"));
    got("of none", CALL(TIME, "fromisoformat", "s", "4:5"));
    got("less", PyObject_RichCompare(a, T(PyTime_FromTime(1, 2, 4, 0)), Py_LT));
    got("replaced",
        PyObject_Call(T(PyObject_GetAttrString(a, "replace")), V("()"), V("{s:i}", "hour", 9)));
    got("aware", PyObject_Call(T(PyObject_GetAttrString(a, "replace")), V("()"),
                               V("{s:O}", "tzinfo", PyDateTime_TimeZone_UTC)));
    got("formatted", CALL(a, "strftime", "s", "%H-%M-%S %Y"));
    got("min", PyObject_GetAttrString(TIME, "min"));
    got("max", PyObject_GetAttrString(TIME, "max"));
    got("adding", PyNumber_Add(a, delta(0, 1, 0)));
    done("truth", PyObject_IsTrue(T(PyTime_FromTime(0, 0, 0, 0))));
    PyObject* east = zone(5, NULL);
    see("zone", east);
    see_text("str", east);
    see("named", zone(-5, "EST"));
    see_text("str", zone(-5, "EST"));
    say("zero is UTC: %d", zone(0, NULL) == PyDateTime_TimeZone_UTC);
    see("named zero", zone(0, "Z"));
    got("equal", PyObject_RichCompare(east, zone(5, "X"), Py_EQ));
    got("offset", CALL(east, "utcoffset", "O", Py_None));
    got("name", CALL(east, "tzname", "O", Py_None));
    got("dst", CALL(east, "dst", "O", Py_None));
    got("of a str", CALL(east, "utcoffset", "s", "x"));
    got("too far", PyTimeZone_FromOffset(delta(1, 0, 0)));
    PyObject* base = T(PyObject_CallNoArgs((PyObject*)PyDateTimeAPI->TZInfoType));
    got("base", CALL(base, "utcoffset", "O", Py_None));
    got("base", CALL(base, "tzname", "O", Py_None));
    PyObject* odd = T(PyDateTimeAPI->DateTime_FromDateAndTime(2020, 1, 1, 0, 0, 0, 0, base,
                                                              PyDateTimeAPI->DateTimeType));
    got("of the base", CALL(odd, "isoformat", NULL));
}
