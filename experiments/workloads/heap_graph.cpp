#include "experiments/workloads/heap_graph.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <vector>

#include "experiments/workloads/heap_file.hpp"
#include "experiments/workloads/instance.hpp"

namespace ouro::workloads {
namespace {

PyObject* required(PyObject* op) {
    if (op == nullptr) {
        throw std::bad_alloc();
    }
    return op;
}

PyTypeObject* leaf_type() {
    static PyTypeObject type = [] {
        PyTypeObject leaf{};
        leaf.ob_base = {{OURO_BIASED_IMMORTAL, 0, nullptr}, 0};
        leaf.tp_name = "workload.Leaf";
        leaf.tp_basicsize = sizeof(PyVarObject);
        leaf.tp_itemsize = 1;
        leaf.tp_flags = Py_TPFLAGS_DEFAULT;
        return leaf;
    }();
    if (PyType_Ready(&type) < 0) {
        throw std::bad_alloc();
    }
    return &type;
}

class Rebuilder {
public:
    explicit Rebuilder(const HeapFile& file) : file_(file), objects_(file.object_count()) {}

    BuiltHeap build() {
        for (uint32_t i = 0; i < file_.object_count(); ++i) {
            objects_[i] = required(make(i));
        }
        for (uint32_t i = 0; i < file_.object_count(); ++i) {
            fill(i);
        }
        // Last, because a key is hashed when it is put in: a tuple then has its items.
        for (uint32_t i = 0; i < file_.object_count(); ++i) {
            if (file_.kinds[i] == HeapKind::kDict) {
                fill_dict(i);
            }
        }
        const BuiltHeap heap{make_root(), containers_, file_.references.size()};
        for (uint32_t i = 0; i < file_.object_count(); ++i) {
            if (file_.kinds[i] != HeapKind::kLeaf && !file_.is_tracked(i)) {
                PyObject_GC_UnTrack(objects_[i]);
            }
            Py_DECREF(objects_[i]);  // the reference of its making: the graph's own keep it now
        }
        return heap;
    }

    // Each object's count against the number of references to it in the file.
    void check() const {
        std::vector<uint32_t> expected(file_.object_count());
        for (const uint32_t target : file_.references) {
            ++expected[target];
        }
        size_t tracked = 0;
        for (uint32_t i = 0; i < file_.object_count(); ++i) {
            expected[i] += file_.is_root(i) ? 1 : 0;
            if (Py_REFCNT(objects_[i]) != expected[i]) {
                throw std::runtime_error("object " + std::to_string(i) + " has " +
                                         std::to_string(Py_REFCNT(objects_[i])) +
                                         " references, the file has " +
                                         std::to_string(expected[i]));
            }
            tracked += PyObject_GC_IsTracked(objects_[i]) != 0 ? 1 : 0;
        }
        if (tracked != file_.metadata.tracked_objects) {
            throw std::runtime_error(std::to_string(tracked) +
                                     " objects are tracked, in the file " +
                                     std::to_string(file_.metadata.tracked_objects));
        }
    }

private:
    PyObject* make(uint32_t i) {
        const auto size = static_cast<Py_ssize_t>(file_.references_of(i).size());
        if (file_.kinds[i] == HeapKind::kLeaf) {
            const auto bytes = static_cast<Py_ssize_t>(file_.sizes[i]);
            const auto header = static_cast<Py_ssize_t>(sizeof(PyVarObject));
            return &PyObject_NewVar(PyVarObject, leaf_type(),
                                    std::max<Py_ssize_t>(bytes, header) - header)
                        ->ob_base;
        }
        ++containers_;
        switch (file_.kinds[i]) {
            case HeapKind::kList:
                return PyList_New(size);
            case HeapKind::kTuple:
                return PyTuple_New(size);
            case HeapKind::kDict:
                return PyDict_New();
            default:
                return new_instance(instance_type(static_cast<size_t>(size)));
        }
    }

    void fill(uint32_t i) {
        PyObject* op = objects_[i];
        const std::span<const uint32_t> targets = file_.references_of(i);
        const auto target = [&](size_t k) { return objects_[targets[k]]; };
        switch (file_.kinds[i]) {
            case HeapKind::kLeaf:
            case HeapKind::kDict:
                return;
            case HeapKind::kList:
                for (size_t k = 0; k < targets.size(); ++k) {
                    PyList_SET_ITEM(op, k, Py_NewRef(target(k)));
                }
                return;
            case HeapKind::kTuple:
                for (size_t k = 0; k < targets.size(); ++k) {
                    PyTuple_SET_ITEM(op, k, Py_NewRef(target(k)));
                }
                return;
            default:
                for (size_t k = 0; k < targets.size(); ++k) {
                    slots_of(op)[k] = Py_NewRef(target(k));
                }
        }
    }

    void fill_dict(uint32_t i) {
        const std::span<const uint32_t> targets = file_.references_of(i);
        for (size_t k = 0; k + 1 < targets.size(); k += 2) {
            if (PyDict_SetItem(objects_[i], objects_[targets[k]], objects_[targets[k + 1]]) < 0) {
                throw std::runtime_error("a dict's key cannot be hashed");
            }
        }
    }

    PyObject* make_root() const {
        PyObject* root = required(PyList_New(0));
        for (uint32_t i = 0; i < file_.object_count(); ++i) {
            if (file_.is_root(i) && PyList_Append(root, objects_[i]) < 0) {
                throw std::bad_alloc();
            }
        }
        return root;
    }

    const HeapFile& file_;
    std::vector<PyObject*> objects_;
    size_t containers_ = 0;
};

}  // namespace

RebuiltHeap rebuild_heap(const std::string& path) {
    const HeapFile file = read_heap_file(path);
    Rebuilder rebuilder(file);
    const BuiltHeap heap = rebuilder.build();
    rebuilder.check();
    return {heap, file.metadata.json};
}

}  // namespace ouro::workloads
