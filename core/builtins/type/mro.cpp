#include "core/builtins/type/mro.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace ouro::type {
namespace {

using Line = std::vector<PyTypeObject*>;

PyTypeObject* type_at(PyObject* tuple, Py_ssize_t i) {
    return reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(tuple, i));
}

Line line_of(PyObject* tuple) {
    Line line;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
        line.push_back(type_at(tuple, i));
    }
    return line;
}

// The first head of a line that is in the tail of none; nullptr if there is none.
PyTypeObject* next_of(const std::vector<Line>& lines) {
    for (const Line& line : lines) {
        PyTypeObject* head = line.front();
        const bool waits = std::ranges::any_of(lines, [head](const Line& other) {
            return std::find(other.begin() + 1, other.end(), head) != other.end();
        });
        if (!waits) {
            return head;
        }
    }
    return nullptr;
}

bool refuse(const std::vector<Line>& lines) {
    std::string names;
    Line said;
    for (const Line& line : lines) {
        if (std::ranges::find(said, line.front()) == said.end()) {
            said.push_back(line.front());
            names += (names.empty() ? " " : ", ") + std::string(line.front()->tp_name);
        }
    }
    PyErr_Format(PyExc_TypeError,
                 "Cannot create a consistent method resolution\norder (MRO) for bases%s",
                 names.c_str());
    return false;
}

bool merge(std::vector<Line> lines, Line* order) {
    for (;;) {
        std::erase_if(lines, [](const Line& line) { return line.empty(); });
        if (lines.empty()) {
            return true;
        }
        PyTypeObject* next = next_of(lines);
        if (next == nullptr) {
            return refuse(lines);
        }
        order->push_back(next);
        for (Line& line : lines) {
            if (line.front() == next) {
                line.erase(line.begin());
            }
        }
    }
}

bool order_of(PyTypeObject* type, Line* order) {
    order->push_back(type);
    PyObject* bases = type->tp_bases;
    std::vector<Line> lines;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(bases); ++i) {
        lines.push_back(line_of(type_at(bases, i)->tp_mro));
    }
    Line direct = line_of(bases);
    for (auto base = direct.begin(); base != direct.end(); ++base) {
        if (std::find(base + 1, direct.end(), *base) != direct.end()) {
            PyErr_Format(PyExc_TypeError, "duplicate base class %s", (*base)->tp_name);
            return false;
        }
    }
    lines.push_back(std::move(direct));
    return merge(std::move(lines), order);
}

}  // namespace

PyObject* resolution_order(PyTypeObject* type) {
    try {
        Line order;
        if (!order_of(type, &order)) {
            return nullptr;
        }
        PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(order.size()));
        for (size_t i = 0; tuple != nullptr && i < order.size(); ++i) {
            PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), Py_NewRef(order[i]));
        }
        return tuple;
    } catch (const std::bad_alloc&) {
        return PyErr_NoMemory();
    }
}

}  // namespace ouro::type
