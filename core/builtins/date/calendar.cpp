// The calendar, the clock, and both as text.
#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <ctime>

#include "core/builtins/date/date.hpp"

namespace ouro::date {

namespace {

constexpr std::array<int, 13> kDaysBefore = {0,   0,   31,  59,  90,  120, 151,
                                             181, 212, 243, 273, 304, 334};

int days_before_year(int year) {
    const int y = year - 1;
    return y * 365 + y / 4 - y / 100 + y / 400;
}

int days_before_month(int year, int month) {
    return kDaysBefore[static_cast<size_t>(month)] + (month > 2 && is_leap(year) ? 1 : 0);
}

bool refuse(const char* message) {
    PyErr_SetString(PyExc_ValueError, message);
    return false;
}

std::string digits(int value, size_t width) {
    std::string text = std::to_string(value);
    return text.size() < width ? std::string(width - text.size(), '0') + text : text;
}

// Reads `count` digits from the front of a text.
bool take_digits(std::string_view* text, size_t count, int* value) {
    if (text->size() < count ||
        !std::all_of(text->begin(), text->begin() + static_cast<std::ptrdiff_t>(count),
                     [](char c) { return c >= '0' && c <= '9'; })) {
        return false;
    }
    *value = 0;
    for (size_t i = 0; i < count; ++i) {
        *value = *value * 10 + ((*text)[i] - '0');
    }
    text->remove_prefix(count);
    return true;
}

bool take(std::string_view* text, char c) {
    if (!text->starts_with(c)) {
        return false;
    }
    text->remove_prefix(1);
    return true;
}

// hh[:mm[:ss[.f...]]], the colons in all places or in none.
bool take_clock(std::string_view* text, Clock* clock) {
    *clock = {};
    if (!take_digits(text, 2, &clock->hour)) {
        return false;
    }
    const bool has_colons = text->starts_with(':');
    for (int* part : {&clock->minute, &clock->second}) {
        if (has_colons ? !take(text, ':') : text->empty() || std::isdigit(text->front()) == 0) {
            return true;
        }
        if (!take_digits(text, 2, part)) {
            return false;
        }
    }
    if (!text->starts_with('.') && !text->starts_with(',')) {
        return true;
    }
    text->remove_prefix(1);
    size_t count = 0;
    for (; !text->empty() && std::isdigit(text->front()) != 0; text->remove_prefix(1), ++count) {
        if (count < 6) {
            clock->microsecond = clock->microsecond * 10 + (text->front() - '0');
        }
    }
    for (size_t i = count; i < 6; ++i) {
        clock->microsecond *= 10;
    }
    return count > 0;
}

}  // namespace

bool is_leap(int year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int days_in_month(int year, int month) {
    return month == 12 ? 31 : days_before_month(year, month + 1) - days_before_month(year, month);
}

int ordinal_of(Day day) {
    return days_before_year(day.year) + days_before_month(day.year, day.month) + day.day;
}

Day day_of(int ordinal) {
    // A first guess that is never too late, and a few steps.
    int year = std::max(1, static_cast<int>((int64_t{ordinal} * 400) / 146097));
    while (days_before_year(year + 1) < ordinal) {
        ++year;
    }
    int rest = ordinal - days_before_year(year);
    int month = std::min(12, (rest + 50) >> 5);
    if (days_before_month(year, month) >= rest) {
        --month;
    }
    return {year, month, rest - days_before_month(year, month)};
}

Microseconds microseconds_of(Clock clock) {
    return (Microseconds{clock.hour} * 3600 + clock.minute * 60 + clock.second) * kSecond +
           clock.microsecond;
}

Clock clock_of(Microseconds since_midnight) {
    const auto seconds = static_cast<int>(since_midnight / kSecond);
    return {seconds / 3600, seconds / 60 % 60, seconds % 60,
            static_cast<int>(since_midnight % kSecond)};
}

bool check_day(Day day) {
    if (day.year < kFirstYear || day.year > kLastYear) {
        PyErr_Format(PyExc_ValueError, "year %i is out of range", day.year);
        return false;
    }
    if (day.month < 1 || day.month > 12) {
        return refuse("month must be in 1..12");
    }
    return (day.day >= 1 && day.day <= days_in_month(day.year, day.month)) ||
           refuse("day is out of range for month");
}

bool check_clock(Clock clock, int fold) {
    if (clock.hour < 0 || clock.hour > 23) {
        return refuse("hour must be in 0..23");
    }
    if (clock.minute < 0 || clock.minute > 59) {
        return refuse("minute must be in 0..59");
    }
    if (clock.second < 0 || clock.second > 59) {
        return refuse("second must be in 0..59");
    }
    if (clock.microsecond < 0 || clock.microsecond > 999999) {
        return refuse("microsecond must be in 0..999999");
    }
    return fold == 0 || fold == 1 || refuse("fold must be either 0 or 1");
}

std::string text_of_day(Day day) {
    return digits(day.year, 4)
        .append("-")
        .append(digits(day.month, 2))
        .append("-")
        .append(digits(day.day, 2));
}

std::string text_of_offset(Microseconds offset) {
    std::string text = offset < 0 ? "-" : "+";
    const Clock clock = clock_of(offset < 0 ? -offset : offset);
    text.append(digits(clock.hour, 2)).append(":").append(digits(clock.minute, 2));
    if (clock.second != 0 || clock.microsecond != 0) {
        text.append(":").append(digits(clock.second, 2));
    }
    if (clock.microsecond != 0) {
        text.append(".").append(digits(clock.microsecond, 6));
    }
    return text;
}

bool text_of_clock(Clock clock, std::string_view timespec, std::string* text) {
    if (timespec == "auto") {
        timespec = clock.microsecond != 0 ? "microseconds" : "seconds";
    }
    static constexpr std::array<std::string_view, 5> kWords = {"hours", "minutes", "seconds",
                                                               "milliseconds", "microseconds"};
    const auto* found = std::ranges::find(kWords, timespec);
    if (found == kWords.end()) {
        return refuse("Unknown timespec value");
    }
    const auto parts = found - kWords.begin();
    *text = digits(clock.hour, 2);
    if (parts >= 1) {
        text->append(":").append(digits(clock.minute, 2));
    }
    if (parts >= 2) {
        text->append(":").append(digits(clock.second, 2));
    }
    if (parts == 3) {
        text->append(".").append(digits(clock.microsecond / 1000, 3));
    } else if (parts == 4) {
        text->append(".").append(digits(clock.microsecond, 6));
    }
    return true;
}

bool read_day(std::string_view text, Day* day) {
    const bool has_lines = text.size() == 10;
    return (text.size() == 10 || text.size() == 8) && take_digits(&text, 4, &day->year) &&
           (!has_lines || take(&text, '-')) && take_digits(&text, 2, &day->month) &&
           (!has_lines || take(&text, '-')) && take_digits(&text, 2, &day->day) && text.empty();
}

bool read_clock(std::string_view text, ClockAndOffset* read) {
    *read = {};
    if (!take_clock(&text, &read->clock)) {
        return false;
    }
    if (text.empty()) {
        return true;
    }
    read->has_offset = true;
    if (text == "Z") {
        return true;
    }
    const bool is_minus = text.starts_with('-');
    Clock offset;
    if ((!is_minus && !text.starts_with('+')) ||
        (text.remove_prefix(1), !take_clock(&text, &offset)) || !text.empty()) {
        return false;
    }
    read->offset = microseconds_of(offset);
    read->offset = is_minus ? -read->offset : read->offset;
    return true;
}

PyObject* new_text(const std::string& text) {
    return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
}

bool take_timestamp(PyObject* op, Microseconds* since_epoch) {
    if (!PyFloat_Check(op)) {
        const object::Own number(PyNumber_Index(op));
        const long long seconds = number ? PyLong_AsLongLong(number.get()) : -1;
        if (seconds == -1 && PyErr_Occurred() != nullptr) {
            return false;
        }
        *since_epoch = Microseconds{seconds} * kSecond;
        return true;
    }
    const double seconds = PyFloat_AsDouble(op);
    if (std::isnan(seconds)) {
        return refuse("Invalid value NaN (not a number)");
    }
    double whole;
    const double rest = std::modf(seconds, &whole);
    if (std::fabs(whole) > 1e15) {
        PyErr_SetString(PyExc_OverflowError, "timestamp out of range for platform time_t");
        return false;
    }
    *since_epoch = Microseconds{static_cast<int64_t>(whole)} * kSecond +
                   static_cast<int64_t>(std::nearbyint(rest * 1e6));
    return true;
}

bool local_time(int64_t seconds, Day* day, Clock* clock) {
    const time_t at = seconds;
    tm shown{};
    errno = 0;
    if (localtime_r(&at, &shown) == nullptr) {
        if (errno == EOVERFLOW) {
            PyErr_Format(PyExc_ValueError, "year is out of range");
        } else {
            PyErr_SetFromErrno(PyExc_OSError);
        }
        return false;
    }
    *day = {shown.tm_year + 1900, shown.tm_mon + 1, shown.tm_mday};
    *clock = {shown.tm_hour, shown.tm_min, std::min(shown.tm_sec, 59), 0};
    return true;
}

}  // namespace ouro::date
