// What the program's threads do with objects, at random.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>

#include "tests/soak/objects.hpp"
#include "tests/soak/tally.hpp"

namespace ouro::soak {

inline constexpr size_t kHeld = 64;        // objects that a thread holds
inline constexpr Py_ssize_t kPlaces = 32;  // for objects that threads share

inline PyObject* count_call(PyObject*, PyObject*) {
    ++tally.called;
    return Py_NewRef(Py_None);
}
inline PyMethodDef count_call_method = {"count_call", count_call, METH_O, nullptr};

// What all threads reach.
struct Shared {
    PyObject* list = PyList_New(0);
    PyObject* dict = PyDict_New();
    PyObject* callback = PyCFunction_New(&count_call_method, nullptr);
    std::array<PyObject*, static_cast<size_t>(kPlaces)> keys{};

    Shared() {
        for (size_t i = 0; i < keys.size(); ++i) {
            PyList_Append(list, Py_None);
            keys[i] = PyLong_FromLong(1000 + static_cast<long>(i));
        }
    }
    ~Shared() {
        Py_DECREF(list);
        Py_DECREF(dict);
        Py_DECREF(callback);
        for (PyObject* key : keys) {
            Py_DECREF(key);
        }
    }
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;

    void check_all() const {
        for (Py_ssize_t i = 0; i < kPlaces; ++i) {
            check_whole(PyList_GET_ITEM(list, i));
        }
        PyObject *key = nullptr, *value = nullptr;
        for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &key, &value) != 0;) {
            check_whole(value);
        }
    }
};

// What one thread holds. What it shares it changes no more.
class Player {
public:
    Player(const Shared& shared, uint64_t seed) : shared_(shared), random_(seed) {}
    ~Player() {
        for (PyObject* op : held_) {
            check_whole(op);
            Py_XDECREF(op);
        }
        for (PyObject* weak : weak_) {
            Py_XDECREF(weak);
        }
    }
    Player(const Player&) = delete;
    Player& operator=(const Player&) = delete;

    void step() {
        const size_t i = random_() % kHeld, k = random_() % kHeld;
        switch (random_() % 16) {
            case 0:
            case 1:
            case 2:
                hold(i, make());
                break;
            case 3:
            case 4:
                ring(i);
                break;
            case 5:
            case 6:
                if (held_[i] != nullptr && held_[k] != nullptr && !given_[i]) {
                    link(held_[i], random_() % 2, held_[k]);
                }
                break;
            case 7:
                watch(i, k);
                break;
            case 8:
                give(i);
                break;
            case 9:
                take(i);
                break;
            case 10:
                wrap(i);
                break;
            case 11:
                texts();
                break;
            case 12:
                hold(i, nullptr);
                break;
            case 13:
                if (random_() % 512 == 0) {
                    check_call(PyGC_Collect() < 0);
                }
                break;
            default:
                check_whole(held_[i]);
                break;
        }
        check_call(Py_MakePendingCalls() != 0);
    }

private:
    PyObject* make() {
        const uint64_t kind = random_() % 8;
        return make_node(kind == 0 ? &FinalNodeType : kind == 1 ? &PlainNodeType : &NodeType);
    }
    // Takes the reference.
    void hold(size_t i, PyObject* op) {
        given_[i] = false;
        Py_XSETREF(held_[i], op);
    }
    void ring(size_t i) {
        PyObject* const first = make();
        if (first == nullptr) {
            return;
        }
        PyObject* last = Py_NewRef(first);
        for (uint64_t n = random_() % 6; n > 0; --n) {
            PyObject* const next = make();
            if (next == nullptr) {
                break;
            }
            link(last, 0, next);
            Py_SETREF(last, next);
        }
        link(last, 0, first);
        Py_DECREF(last);
        hold(i, first);
    }
    void watch(size_t i, size_t k) {
        if (held_[i] != nullptr) {
            PyObject* weak = PyWeakref_NewRef(held_[i], random_() % 2 ? shared_.callback : nullptr);
            if (!check_call(weak == nullptr)) {
                Py_XSETREF(weak_[k], weak);
            }
        }
        if (weak_[i] != nullptr) {
            PyObject* op = nullptr;
            check_call(PyWeakref_GetRef(weak_[i], &op) < 0);
            check_whole(op);
            Py_XDECREF(op);
        }
    }
    void give(size_t i) {
        if (held_[i] == nullptr) {
            return;
        }
        // What is reached from it is shared, too, and may not change: all that is held is given up.
        std::fill(given_.begin(), given_.end(), true);
        const size_t place = random_() % kPlaces;
        if (random_() % 2) {
            check_call(PyList_SetItem(shared_.list, static_cast<Py_ssize_t>(place),
                                      Py_NewRef(held_[i])) != 0);
        } else if (random_() % 4) {
            check_call(PyDict_SetItem(shared_.dict, shared_.keys[place], held_[i]) != 0);
        } else {
            PyObject* old = nullptr;
            check_call(PyDict_Pop(shared_.dict, shared_.keys[place], &old) < 0);
            check_whole(old);
            Py_XDECREF(old);
        }
    }
    void take(size_t i) {
        PyObject* op = nullptr;
        const size_t place = random_() % kPlaces;
        if (random_() % 2) {
            op = PyList_GetItemRef(shared_.list, static_cast<Py_ssize_t>(place));
            check_call(op == nullptr);
        } else {
            check_call(PyDict_GetItemRef(shared_.dict, shared_.keys[place], &op) < 0);
        }
        if (op != nullptr && is_node(op)) {
            check_whole(op);
            hold(i, op);
            given_[i] = true;
        } else {
            Py_XDECREF(op);
        }
    }
    // A list, a dict and a tuple around it, in a cycle.
    void wrap(size_t i) {
        PyObject* const list = PyList_New(0);
        if (check_call(list == nullptr)) {
            return;
        }
        PyObject* const dict = PyDict_New();
        if (!check_call(dict == nullptr)) {
            PyObject* const pair = PyTuple_Pack(2, list, held_[i] != nullptr ? held_[i] : Py_None);
            if (!check_call(pair == nullptr)) {
                check_call(PyDict_SetItemString(dict, "pair", pair) != 0);
                check_call(PyList_Append(list, dict) != 0);
                Py_DECREF(pair);
            }
            Py_DECREF(dict);
        }
        Py_DECREF(list);
    }
    void texts() {
        PyObject* const text =
            PyUnicode_FromFormat("%d and %zd", 17, static_cast<Py_ssize_t>(random_() % 1000));
        if (!check_call(text == nullptr)) {
            Py_DECREF(text);
        }
        // One in 64 is large, and makes the heap grow.
        const uint64_t size = random_() % (random_() % 64 == 0 ? 8 << 20 : 20'000);
        PyObject* const bytes = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size));
        if (!check_call(bytes == nullptr)) {
            Py_DECREF(bytes);
        }
    }

    const Shared& shared_;
    std::mt19937_64 random_;
    std::array<PyObject*, kHeld> held_{};
    std::array<bool, kHeld> given_{};
    std::array<PyObject*, kHeld> weak_{};
};

}  // namespace ouro::soak
