#include "experiments/workloads/server.hpp"

#include <memory>
#include <new>

#include "experiments/workloads/description.hpp"
#include "experiments/workloads/instance.hpp"

namespace ouro::workloads {
namespace {

struct DropReference {
    void operator()(PyObject* op) const { Py_DECREF(op); }
};
using Owned = std::unique_ptr<PyObject, DropReference>;

Owned required(PyObject* op) {
    if (op == nullptr) {
        throw std::bad_alloc();
    }
    return Owned(op);
}

void set(const Owned& dict, const char* key, const Owned& value) {
    if (PyDict_SetItemString(dict.get(), key, value.get()) < 0) {
        throw std::bad_alloc();
    }
}

Owned text(const char* words) {
    return required(PyUnicode_FromString(words));
}

Owned number(uint64_t value) {
    return required(PyLong_FromLong(static_cast<long>(value)));
}

}  // namespace

Server::Server(const ServerParameters& parameters)
    : random_(parameters.seed), sessions_(parameters.live / 2),
      cyclic_percent_(parameters.cyclic_percent), state_type_(instance_type(2, "workload.Session")),
      part_type_(instance_type(3, "workload.Part")), cache_(PyList_New(sessions_)) {
    if (state_type_ == nullptr || part_type_ == nullptr || cache_ == nullptr) {
        throw std::bad_alloc();
    }
    for (uint32_t i = 0; i < sessions_; ++i) {
        PyList_SET_ITEM(cache_, i, new_session(i));
    }
}

// A dict and an instance that refer to each other.
PyObject* Server::new_session(uint64_t id) {
    Owned session = required(PyDict_New());
    const Owned state = required(new_instance(state_type_));
    fill_slot(state.get(), 0, Py_NewRef(session.get()));
    fill_slot(state.get(), 1, number(id).release());
    set(session, "state", state);
    set(session, "user", text("somebody"));
    return session.release();
}

// {method, path, headers: {...}, body: [part, ...]}; a part has a dict of fields and, in a cyclic
// request, refers to the request.
PyObject* Server::parse(uint64_t id, bool cyclic) {
    Owned request = required(PyDict_New());
    set(request, "method", text("POST"));
    set(request, "path", text("/things/of/somebody"));
    const Owned headers = required(PyDict_New());
    set(headers, "host", text("example.test"));
    set(headers, "accept", text("*/*"));
    set(headers, "length", number(id));
    set(request, "headers", headers);
    const Owned body = required(PyList_New(0));
    for (uint32_t i = 0; i < kParts; ++i) {
        const Owned part = required(new_instance(part_type_));
        const Owned fields = required(PyDict_New());
        set(fields, "number", number(i));
        fill_slot(part.get(), 1, Py_NewRef(fields.get()));
        fill_slot(part.get(), 2, number(id).release());
        if (cyclic) {
            fill_slot(part.get(), 0, Py_NewRef(request.get()));
        }
        if (PyList_Append(body.get(), part.get()) < 0) {
            throw std::bad_alloc();
        }
    }
    set(request, "body", body);
    return request.release();
}

void Server::step() {
    const uint64_t id = ++requests_;
    const Owned request(parse(id, random_.below(100) < cyclic_percent_));
    for (uint32_t i = 0; i < kTouched; ++i) {
        const Owned session = required(PyList_GetItemRef(cache_, random_.below(sessions_)));
        PyObject* state = nullptr;
        const Owned key = text("state");
        if (PyDict_GetItemRef(session.get(), key.get(), &state) < 0) {
            throw std::bad_alloc();
        }
        Py_XDECREF(state);
    }
    if (random_.below(100) < kReplacePercent) {
        PyList_SetItem(cache_, random_.below(sessions_), new_session(id));
        unreachable_.add(1);
    }
    unreachable_.add(kParts);
}

void Server::drop_all() {
    if (cache_ != nullptr) {
        Py_CLEAR(cache_);
        unreachable_.add(sessions_);
    }
}

namespace {

const Described server({
    .name = "server",
    .summary = "requests: each builds a small graph, looks at sessions, and drops it",
    .parameters = {Parameter::live(),
                   Parameter::number("cyclic", 25, 0, 100,
                                     "per cent of the requests whose graphs have cycles")},
    .size = "live",
    .least = {2},
    .make = [](const Values& values, uint64_t seed) -> std::unique_ptr<Load> {
        return std::make_unique<Server>(ServerParameters{
            .live = values.at("live"), .cyclic_percent = values.at("cyclic"), .seed = seed});
    },
    .bytes = [](Kind, const Values& values) { return 210 * values.at("live").get<double>(); },
    .not_covered = "requests of one kind, without input or output, without locks between requests",
});

}  // namespace

}  // namespace ouro::workloads
