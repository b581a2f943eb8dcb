// datetime.h: the capsule gives C code dates, times, differences and zones, which are immutable and equal where they are
// the same moment. Source: "DateTime Objects" in the C API documentation; "datetime" in the library reference.

#include "tests/contract/modules.hpp"
#include "tests/contract/text.hpp"

#include <datetime.h>

namespace ouro::test {
namespace {

class Dates : public ModuleTest {
protected:
    void SetUp() override {
        ModuleTest::SetUp();
        PyDateTime_IMPORT;
        ASSERT_NE(PyDateTimeAPI, nullptr);
    }
    static PyObject* at(int hour, PyObject* zone) {
        return PyDateTimeAPI->DateTime_FromDateAndTime(2020, 2, 29, hour, 30, 0, 5, zone,
                                                       PyDateTimeAPI->DateTimeType);
    }
};

TEST_P(Dates, HaveFields) {
    Kept kept;
    PyObject* date = kept(PyDate_FromDate(1999, 12, 31));
    EXPECT_TRUE(PyDate_CheckExact(date));
    EXPECT_FALSE(PyDateTime_Check(date));
    EXPECT_EQ(PyDateTime_GET_YEAR(date), 1999);
    EXPECT_EQ(PyDateTime_GET_MONTH(date), 12);
    EXPECT_EQ(PyDateTime_GET_DAY(date), 31);
    PyObject* time = kept(PyTime_FromTimeAndFold(1, 2, 3, 456789, 1));
    EXPECT_TRUE(PyTime_CheckExact(time));
    EXPECT_EQ(PyDateTime_TIME_GET_HOUR(time), 1);
    EXPECT_EQ(PyDateTime_TIME_GET_MINUTE(time), 2);
    EXPECT_EQ(PyDateTime_TIME_GET_SECOND(time), 3);
    EXPECT_EQ(PyDateTime_TIME_GET_MICROSECOND(time), 456789);
    EXPECT_EQ(PyDateTime_TIME_GET_FOLD(time), 1);
    EXPECT_EQ(PyDateTime_TIME_GET_TZINFO(time), Py_None);
    PyObject* both = kept(at(23, PyDateTime_TimeZone_UTC));
    EXPECT_TRUE(PyDate_Check(both));
    EXPECT_TRUE(PyDateTime_CheckExact(both));
    EXPECT_EQ(PyDateTime_GET_DAY(both), 29);
    EXPECT_EQ(PyDateTime_DATE_GET_HOUR(both), 23);
    EXPECT_EQ(PyDateTime_DATE_GET_MICROSECOND(both), 5);
    EXPECT_EQ(PyDateTime_DATE_GET_TZINFO(both), PyDateTime_TimeZone_UTC);
    PyObject* delta = kept(PyDelta_FromDSU(0, -1, 0));
    EXPECT_TRUE(PyDelta_CheckExact(delta));
    EXPECT_EQ(PyDateTime_DELTA_GET_DAYS(delta), -1);
    EXPECT_EQ(PyDateTime_DELTA_GET_SECONDS(delta), 86399);
    EXPECT_EQ(PyDateTime_DELTA_GET_MICROSECONDS(delta), 0);
    EXPECT_TRUE(PyTZInfo_Check(PyDateTime_TimeZone_UTC));
}

TEST_P(Dates, AreRefusedWhereThereIsNone) {
    EXPECT_EQ(PyDate_FromDate(2019, 2, 29), nullptr);
    EXPECT_EQ(take_error().type, "ValueError");
    EXPECT_EQ(PyTime_FromTime(24, 0, 0, 0), nullptr);
    EXPECT_EQ(take_error().type, "ValueError");
    EXPECT_EQ(PyDelta_FromDSU(1000000000, 0, 0), nullptr);
    EXPECT_EQ(take_error().type, "OverflowError");
    EXPECT_EQ(at(1, Py_True), nullptr);
    EXPECT_EQ(take_error().type, "TypeError");
}

TEST_P(Dates, InZonesAreMoments) {
    Kept kept;
    PyObject* zone =
        kept(PyTimeZone_FromOffsetAndName(kept(PyDelta_FromDSU(0, 7200, 0)), kept.str("E")));
    PyObject* here = kept(at(12, PyDateTime_TimeZone_UTC));
    PyObject* there = kept(at(14, zone));
    EXPECT_EQ(PyObject_RichCompareBool(here, there, Py_EQ), 1);
    EXPECT_EQ(PyObject_Hash(here), PyObject_Hash(there));
    EXPECT_EQ(shown(PyNumber_Subtract(there, here)), "datetime.timedelta(0)");
    EXPECT_EQ(shown(PyObject_Str(there)), "'2020-02-29 14:30:00.000005+02:00'");
    EXPECT_EQ(kept(PyTimeZone_FromOffset(kept(PyDelta_FromDSU(0, 0, 0)))), PyDateTime_TimeZone_UTC);
    PyObject* args = kept(Py_BuildValue("(iO)", 0, PyDateTime_TimeZone_UTC));
    EXPECT_EQ(shown(PyDateTime_FromTimestamp(args)),
              "datetime.datetime(1970, 1, 1, 0, 0, tzinfo=datetime.timezone.utc)");
    PyObject* day = kept(PyDate_FromTimestamp(kept(Py_BuildValue("(i)", 500000))));
    EXPECT_EQ(PyDateTime_GET_YEAR(day), 1970);
}

// A zone dies with the last time in it.
TEST_P(Dates, KeepTheirZones) {
    PyObject* offset = PyDelta_FromDSU(0, 3600, 0);
    PyObject* zone = PyTimeZone_FromOffset(offset);
    PyObject* op = at(1, zone);
    EXPECT_EQ(Py_REFCNT(zone), 2);
    PyObject* time = PyObject_CallMethod(op, "timetz", nullptr);
    EXPECT_EQ(Py_REFCNT(zone), 3);
    Py_DECREF(op);
    Py_DECREF(time);
    EXPECT_EQ(Py_REFCNT(zone), 1);
    Py_DECREF(zone);
    EXPECT_EQ(Py_REFCNT(offset), 1);
    Py_DECREF(offset);
}

EVERY_WAY_OF_COUNTING(Dates);

}  // namespace
}  // namespace ouro::test
