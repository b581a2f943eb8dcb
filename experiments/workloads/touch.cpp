// A large live structure whose objects are used all the time, beside garbage: what is hard on a collector that searches
// where references were dropped, because nearly all that are dropped leave what they referred to alive.

#include <new>

#include "experiments/workloads/churn.hpp"
#include "experiments/workloads/description.hpp"
#include "experiments/workloads/instance.hpp"

namespace ouro::workloads {
namespace {

constexpr Py_ssize_t kGarbage = 4;  // containers of each operation's ring

class Touch final : public Load {
public:
    // A ring of `live` containers, every one of which reaches all others. Throws std::bad_alloc.
    Touch(uint32_t live, uint32_t touches, uint64_t seed)
        : type_(instance_type(kRingSlots)), touches_(touches), random_(seed),
          all_(PyList_New(live)) {
        if (type_ == nullptr || all_ == nullptr) {
            throw std::bad_alloc();
        }
        for (uint32_t i = 0; i < live; ++i) {
            PyObject* op = new_instance(type_);
            if (op == nullptr) {
                throw std::bad_alloc();
            }
            PyList_SET_ITEM(all_, i, op);
        }
        for (uint32_t i = 0; i < live; ++i) {
            link_ring(PyList_GET_ITEM(all_, i), PyList_GET_ITEM(all_, i + 1 < live ? i + 1 : 0));
        }
    }
    ~Touch() override { drop_all(); }

    // Between two allocations an object of the structure is taken hold of and let go.
    void step() override {
        PyObject* first = nullptr;
        PyObject* last = nullptr;
        for (Py_ssize_t i = 0; i < kGarbage; ++i) {
            for (uint32_t k = 0; k < touches_; ++k) {
                PyObject* touched = PyList_GET_ITEM(
                    all_, random_.below(static_cast<uint32_t>(PyList_GET_SIZE(all_))));
                Py_INCREF(touched);
                Py_DECREF(touched);
            }
            PyObject* op = new_instance(type_);
            if (op == nullptr) {
                throw std::bad_alloc();
            }
            if (first == nullptr) {
                first = op;
            } else {
                link_ring(last, op);
                Py_DECREF(op);
            }
            last = op;
        }
        link_ring(last, first);
        Py_DECREF(first);
        unreachable_.add(kGarbage);
    }
    void drop() override { drop_all(); }

    size_t live() const override {
        return all_ == nullptr ? 0 : static_cast<size_t>(PyList_GET_SIZE(all_));
    }
    size_t unreachable() const override { return unreachable_.get(); }

private:
    void drop_all() {
        unreachable_.add(live());
        Py_CLEAR(all_);
    }

    PyTypeObject* type_;
    uint32_t touches_;
    Random random_;
    PyObject* all_;
    OwnCount unreachable_;
};

const Described touch({
    .name = "touch",
    .summary = "a live structure of one component, touched between any two allocations",
    .parameters = {Parameter::live(),
                   Parameter::number("touches", 1, 0, 1000, "objects touched for each allocation")},
    .size = "live",
    .make = [](const Values& values, uint64_t seed) -> std::unique_ptr<Load> {
        return std::make_unique<Touch>(values.at("live"), values.at("touches"), seed);
    },
    .bytes = [](Kind, const Values& values) { return 44 * values.at("live").get<double>(); },
    .not_covered = "made against one engine; its garbage is young",
});

}  // namespace
}  // namespace ouro::workloads
