// A large live structure whose objects are used all the time, beside garbage: what is hard on a collector that searches
// where references were dropped, because nearly all that are dropped leave what they referred to alive. It is a ring, or
// the heap of a program.

#include <new>
#include <utility>
#include <vector>

#include "experiments/workloads/churn.hpp"
#include "experiments/workloads/description.hpp"
#include "experiments/workloads/heap_file.hpp"
#include "experiments/workloads/heap_graph.hpp"
#include "experiments/workloads/instance.hpp"

namespace ouro::workloads {
namespace {

constexpr Py_ssize_t kGarbage = 4;  // containers of each operation's ring

// What is touched: `all`, borrowed from what `root`, a new reference, keeps alive.
struct Structure {
    PyObject* root = nullptr;
    std::vector<PyObject*> all{};
    std::vector<PyObject*> untracked{};  // what no collection finds, if it is part of a cycle
    size_t instances = 0;                // among what dies with the root, when that is tracked, too
};

// A ring of `live` containers, every one of which reaches all others. Throws std::bad_alloc.
Structure ring(PyTypeObject* type, uint32_t live) {
    PyObject* list = PyList_New(live);
    if (list == nullptr) {
        throw std::bad_alloc();
    }
    Structure made{list, std::vector<PyObject*>(live), {}, live};
    for (uint32_t i = 0; i < live; ++i) {
        made.all[i] = new_instance(type);
        if (made.all[i] == nullptr) {
            throw std::bad_alloc();
        }
        PyList_SET_ITEM(list, i, made.all[i]);
    }
    for (uint32_t i = 0; i < live; ++i) {
        link_ring(made.all[i], made.all[i + 1 < live ? i + 1 : 0]);
    }
    return made;
}

// A captured heap: what is tracked. Throws what rebuild_heap does.
Structure captured(const std::string& file) {
    RebuiltHeap rebuilt = rebuild_heap(read_heap_file(file));
    Structure made{rebuilt.heap.root,
                   {},
                   std::move(rebuilt.untracked),
                   rebuilt.objects_of_kind[static_cast<size_t>(HeapKind::kInstance)]};
    PyUnstable_GC_VisitObjects(
        [](PyObject* op, void* arg) {
            static_cast<std::vector<PyObject*>*>(arg)->push_back(op);
            return 1;
        },
        &made.all);
    return made;
}

class Touch final : public Load {
public:
    // Throws std::bad_alloc. `structure(type)` makes what is touched.
    template <class Make>
    Touch(uint32_t touches, uint64_t seed, const Make& structure)
        : type_(instance_type(kRingSlots)), touches_(touches), random_(seed) {
        if (type_ == nullptr) {
            throw std::bad_alloc();
        }
        structure_ = structure(type_);
    }
    ~Touch() override { drop_all(); }

    // Between two allocations an object of the structure is taken hold of and let go.
    void step() override {
        PyObject* first = nullptr;
        PyObject* last = nullptr;
        for (Py_ssize_t i = 0; i < kGarbage; ++i) {
            for (uint32_t k = 0; k < touches_; ++k) {
                PyObject* touched =
                    structure_.all[random_.below(static_cast<uint32_t>(structure_.all.size()))];
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

    size_t live() const override { return structure_.all.size(); }
    size_t unreachable() const override { return unreachable_.get(); }

private:
    void drop_all() {
        unreachable_.add(std::exchange(structure_.instances, 0));
        structure_.all.clear();
        for (PyObject* op : std::exchange(structure_.untracked, {})) {
            PyObject_GC_Track(op);
        }
        Py_CLEAR(structure_.root);
    }

    PyTypeObject* type_;
    uint32_t touches_;
    Random random_;
    Structure structure_;
    OwnCount unreachable_;
};

std::string file_of(const Values& values) {
    const auto file = values.find("file");
    return file == values.end() || file->is_null() ? std::string() : file->get<std::string>();
}

const Described touch({
    .name = "touch",
    .summary = "a live structure of one component, touched between any two allocations",
    .parameters =
        {Parameter::live(),
         Parameter::number("touches", 1, 0, 1000, "objects touched for each allocation"),
         {.name = "file",
          .type = Parameter::Type::kText,
          .help = "a heap captured by experiments/capture/heapgraph.py instead of one component",
          .scope = Parameter::Scope::kCommand}},
    .size = "live",
    .make = [](const Values& values, uint64_t seed) -> std::unique_ptr<Load> {
        const std::string file = file_of(values);
        return std::make_unique<Touch>(values.at("touches"), seed, [&](PyTypeObject* type) {
            return file.empty() ? ring(type, values.at("live")) : captured(file);
        });
    },
    .bytes =
        [](Kind, const Values& values) {
            const std::string file = file_of(values);
            return file.empty() ? 44 * values.at("live").get<double>()
                                : static_cast<double>(heap_file_bytes(file));
        },
    .not_covered = "made against one engine; its garbage is young",
});

}  // namespace
}  // namespace ouro::workloads
