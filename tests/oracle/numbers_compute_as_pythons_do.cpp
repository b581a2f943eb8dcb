// Every operation on random ints, floats and bools has the result, to the last digit, or the exception, to
// the last word, that Debian's /usr/bin/python3 has; so has reading random text as a number. What is left
// out: complex numbers, which are not here.

#include <bit>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>

#include <unistd.h>

#include "tests/contract/numbers.hpp"
#include "tests/support/scale.hpp"

namespace ouro::test {
namespace {

// One line of it: an operation and its operands as Python writes them, with tabs between.
struct Question {
    std::string text;
    std::string answer;  // ours
};

constexpr const char* kProgram = R"(
import operator, sys
names = {"inf": float("inf"), "nan": float("nan")}
operations = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv,
    "%": operator.mod, "/": operator.truediv, "divmod": divmod, "**": pow, "<<": operator.lshift,
    ">>": operator.rshift, "&": operator.and_, "|": operator.or_, "^": operator.xor,
    "<": operator.lt, "==": operator.eq, ">=": operator.ge, "pow": pow, "neg": operator.neg,
    "pos": operator.pos, "abs": abs, "~": operator.invert, "int": int, "float": float, "bool": bool,
    "hash": hash, "bin": bin, "oct": oct, "hex": hex, "repr": lambda x: x,
}
read = {
    "read int": int, "read literal": lambda text: int(text, 0),
    "read hex": lambda text: int(text, 16), "read base 36": lambda text: int(text, 36),
    "read float": float,
}
for line in sys.stdin:
    name, *operands = line.rstrip("\n").split("\t")
    try:
        if name in read:
            result = read[name](operands[0])
        else:
            result = operations[name](*[eval(text, names) for text in operands])
        print(result)
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
)";

// What Python answers, a line a question.
std::vector<std::string> ask(const std::vector<Question>& questions) {
    const std::string base =
        std::filesystem::temp_directory_path() / ("ouro-numbers-" + std::to_string(getpid()));
    {
        std::ofstream(base + ".py") << kProgram;
        std::ofstream input(base + ".in");
        for (const Question& question : questions) {
            input << question.text << '\n';
        }
    }
    FILE* pipe = popen(("/usr/bin/python3 " + base + ".py < " + base + ".in").c_str(), "r");
    std::vector<std::string> answers(1);
    for (int c; (c = std::fgetc(pipe)) != EOF;) {
        if (c == '\n') {
            answers.emplace_back();
        } else {
            answers.back() += static_cast<char>(c);
        }
    }
    EXPECT_EQ(pclose(pipe), 0);
    answers.pop_back();
    std::filesystem::remove(base + ".py");
    std::filesystem::remove(base + ".in");
    return answers;
}

void compare(const std::vector<Question>& questions) {
    const std::vector<std::string> answers = ask(questions);
    ASSERT_EQ(answers.size(), questions.size());
    for (size_t i = 0; i < questions.size(); ++i) {
        // An error of the C library has two arguments, of which a test sees nothing.
        if (answers[i].find(": (34, ") != std::string::npos) {
            EXPECT_EQ(questions[i].answer.find("OverflowError: "), 0u) << questions[i].text;
        } else {
            EXPECT_EQ(questions[i].answer, answers[i]) << questions[i].text;
        }
    }
}

class Numbers : public Things {
protected:
    void SetUp() override {
        Things::SetUp();
        random_.seed(seed());
    }

    size_t below(size_t bound) {
        return std::uniform_int_distribution<size_t>(0, bound - 1)(random_);
    }

    // Of any size, more often near where something ends.
    PyObject* random_int() {
        if (below(3) == 0) {
            return PyLong_FromLong(static_cast<long>(below(41)) - 20);
        }
        // The sum or difference of some powers of two.
        PyObject* sum = PyLong_FromLong(static_cast<long>(below(3)) - 1);
        const size_t most = below(5) == 0 ? 1200 : 140;
        for (size_t terms = 1 + below(6); terms > 0; --terms) {
            PyObject* exponent = PyLong_FromLong(static_cast<long>(below(most)));
            PyObject* power = PyNumber_Lshift(PyLong_FromLong(1), exponent);
            PyObject* next =
                below(2) == 0 ? PyNumber_Add(sum, power) : PyNumber_Subtract(sum, power);
            drop({exponent, power, sum});
            sum = next;
        }
        return sum;
    }

    PyObject* random_float() {
        static const double kSpecial[] = {
            0.0,  -0.0,   1.0,   -1.0,   0.5, 1e16, 1e15,  1e22,     1e23,      1e-5,
            1e-4, 5e-324, 1e308, -1e308, NAN, 0.1,  -2.75, HUGE_VAL, -HUGE_VAL, 4503599627370496.5};
        switch (below(4)) {
            case 0:
                return PyFloat_FromDouble(kSpecial[below(std::size(kSpecial))]);
            case 1:
                return PyFloat_FromDouble(static_cast<double>(below(2000)) / 8 - 100);
            case 2:  // any bits
                return PyFloat_FromDouble(std::bit_cast<double>(uint64_t{random_()}));
            default:
                return PyFloat_FromDouble(
                    std::ldexp(static_cast<double>(random_()), static_cast<int>(below(200)) - 130));
        }
    }

    PyObject* random_number() {
        return below(12) == 0  ? PyBool_FromLong(static_cast<long>(below(2)))
               : below(3) == 0 ? random_float()
                               : random_int();
    }

    std::mt19937_64 random_;
};

std::string text_of(PyObject* op) {
    return take_text(Py_NewRef(op));
}

PyObject* compared(PyObject* x, PyObject* y, int operation) {
    const int result = PyObject_RichCompareBool(x, y, operation);
    return result < 0 ? nullptr : PyBool_FromLong(result);
}

using Binary = PyObject* (*)(PyObject*, PyObject*);
const std::pair<const char*, Binary> kBinary[] = {
    {"+", PyNumber_Add},
    {"-", PyNumber_Subtract},
    {"*", PyNumber_Multiply},
    {"//", PyNumber_FloorDivide},
    {"%", PyNumber_Remainder},
    {"/", PyNumber_TrueDivide},
    {"divmod", PyNumber_Divmod},
    {"&", PyNumber_And},
    {"|", PyNumber_Or},
    {"^", PyNumber_Xor},
    {"<", [](PyObject* x, PyObject* y) { return compared(x, y, Py_LT); }},
    {"==", [](PyObject* x, PyObject* y) { return compared(x, y, Py_EQ); }},
    {">=", [](PyObject* x, PyObject* y) { return compared(x, y, Py_GE); }},
};

using Unary = PyObject* (*)(PyObject*);
const std::pair<const char*, Unary> kUnary[] = {
    {"neg", PyNumber_Negative},
    {"pos", PyNumber_Positive},
    {"abs", PyNumber_Absolute},
    {"~", PyNumber_Invert},
    {"int", PyNumber_Long},
    {"float", PyNumber_Float},
    {"bool", [](PyObject* x) { return PyBool_FromLong(Py_TYPE(x)->tp_as_number->nb_bool(x)); }},
    {"hash", [](PyObject* x) { return PyLong_FromSsize_t(PyObject_Hash(x)); }},
    {"bin", [](PyObject* x) { return PyNumber_ToBase(x, 2); }},
    {"oct", [](PyObject* x) { return PyNumber_ToBase(x, 8); }},
    {"hex", [](PyObject* x) { return PyNumber_ToBase(x, 16); }},
    {"repr", [](PyObject* x) { return Py_NewRef(x); }},
};

TEST_P(Numbers, HaveTheSameBinaryOperations) {
    std::vector<Question> questions;
    for (size_t i = 0; i < scaled(6000); ++i) {
        const auto& [name, operation] = kBinary[below(std::size(kBinary))];
        PyObject* x = random_number();
        PyObject* y = random_number();
        const std::string text = std::string(name) + '\t' + text_of(x) + '\t' + text_of(y);
        questions.push_back({text, apply(operation, x, y)});
    }
    compare(questions);
}

TEST_P(Numbers, HaveTheSameUnaryOperations) {
    std::vector<Question> questions;
    for (size_t i = 0; i < scaled(4000); ++i) {
        const auto& [name, operation] = kUnary[below(std::size(kUnary))];
        PyObject* x = random_number();
        if (std::string(name) == "hash" && text_of(x) == "nan") {
            Py_SETREF(x, PyLong_FromLong(0));  // each NaN has a hash of its own
        }
        const std::string text = std::string(name) + '\t' + text_of(x);
        questions.push_back({text, apply(operation, x)});
    }
    compare(questions);
}

TEST_P(Numbers, HaveTheSameShifts) {
    std::vector<Question> questions;
    for (size_t i = 0; i < scaled(2000); ++i) {
        PyObject* x = random_int();
        PyObject* y = below(20) == 0 ? integer("1180591620717411303424")
                                     : PyLong_FromLong(static_cast<long>(below(300)) - 5);
        const bool left = below(2) == 0;
        const std::string text =
            std::string(left ? "<<" : ">>") + '\t' + text_of(x) + '\t' + text_of(y);
        questions.push_back({text, apply(left ? PyNumber_Lshift : PyNumber_Rshift, x, y)});
    }
    compare(questions);
}

TEST_P(Numbers, HaveTheSamePowers) {
    std::vector<Question> questions;
    for (size_t i = 0; i < scaled(3000); ++i) {
        PyObject* x = random_number();
        PyObject* y =
            below(2) == 0 ? random_float() : PyLong_FromLong(static_cast<long>(below(60)) - 20);
        PyObject* modulus = Py_NewRef(Py_None);
        if (below(2) == 0) {
            Py_SETREF(x, random_int());
            Py_SETREF(y, random_int());
            Py_SETREF(modulus, random_int());
        } else if (const double exponent = PyFloat_AsDouble(y); exponent != std::floor(exponent)) {
            Py_SETREF(x, PyNumber_Absolute(x));
        }
        std::string text = "pow\t" + text_of(x) + '\t' + text_of(y) + '\t';
        text += modulus == Py_None ? "None" : text_of(modulus);
        questions.push_back({text, take_text(PyNumber_Power(x, y, modulus))});
        drop({x, y, modulus});
    }
    compare(questions);
}

TEST_P(Numbers, AreReadFromTheSameText) {
    const std::pair<const char*, PyObject* (*)(PyObject*)> readers[] = {
        {"read int", [](PyObject* text) { return PyLong_FromUnicodeObject(text, 10); }},
        {"read literal", [](PyObject* text) { return PyLong_FromUnicodeObject(text, 0); }},
        {"read hex", [](PyObject* text) { return PyLong_FromUnicodeObject(text, 16); }},
        {"read base 36", [](PyObject* text) { return PyLong_FromUnicodeObject(text, 36); }},
        {"read float", PyFloat_FromString},
    };
    const std::string letters[] = {"0123456789", "00112233_.-+ eE", "0_xXbBoO19afAF", "infatyNI."};
    std::vector<Question> questions;
    for (size_t i = 0; i < scaled(6000); ++i) {
        std::string text;
        const size_t most = 1 + below(below(4) == 0 ? 60 : 8);
        while (text.size() < most) {
            const std::string& from = letters[below(4) == 0 ? below(std::size(letters)) : below(2)];
            text += from[below(from.size())];
        }
        const auto& [name, reader] = readers[below(std::size(readers))];
        questions.push_back(
            {std::string(name) + '\t' + text, apply(reader, PyUnicode_FromString(text.c_str()))});
    }
    compare(questions);
}

INSTANTIATE_TEST_SUITE_P(Counts, Numbers, testing::Values(kOwnedCounts), runtime_name);

}  // namespace
}  // namespace ouro::test
