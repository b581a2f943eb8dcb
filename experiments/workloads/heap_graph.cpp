#include "experiments/workloads/heap_graph.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "experiments/workloads/edges.hpp"
#include "experiments/workloads/instance.hpp"

namespace ouro::workloads {
namespace {

// Hashing a nest of tuples calls itself as often as the nest is deep. Programs have a few levels.
constexpr uint32_t kDeepestKey = 1000;

PyObject* required(PyObject* op) {
    if (op == nullptr) {
        throw std::bad_alloc();
    }
    return op;
}

std::string object_name(uint32_t i) {
    return "object " + std::to_string(i);
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

// A str of so many bytes as CPython counts them, and longer where others would have the same text: it may be a key.
PyObject* new_text(uint32_t number, uint32_t bytes) {
    constexpr Py_ssize_t header = 49;  // sys.getsizeof(""), 3.11
    constexpr Py_ssize_t digits = 5;   // of any number, to the base of the printable characters
    const Py_ssize_t length = std::max(Py_ssize_t{bytes} - header, digits);
    std::string text(static_cast<size_t>(length), ' ');
    for (size_t k = 0; number != 0; ++k, number /= 95) {
        text[k] = static_cast<char>(' ' + number % 95);
    }
    return PyUnicode_FromStringAndSize(text.data(), length);
}

bool is_hashed_by_content(HeapKind kind) {
    return kind == HeapKind::kTuple || kind == HeapKind::kFrozenset;
}

class Rebuilder {
public:
    explicit Rebuilder(const HeapFile& file, const RebuildParameters& parameters)
        : file_(file),
          order_(root_order(file.object_count(), parameters.shuffled, parameters.seed)),
          objects_(file.object_count()), hash_depth_(file.object_count()) {}
    Rebuilder(const Rebuilder&) = delete;
    Rebuilder& operator=(const Rebuilder&) = delete;
    // Of a heap that could not be built, garbage is left at most.
    ~Rebuilder() {
        Py_XDECREF(root_);
        if (held_) {
            drop_objects();
        }
    }

    RebuiltHeap build() {
        for (const uint32_t i : order_) {
            objects_[i] = required(make(i));
        }
        // What is hashed by its content first: it must be whole when it becomes a key.
        for (const uint32_t i : order_) {
            if (is_hashed_by_content(file_.kinds[i])) {
                fill_with_content(i);
            }
        }
        for (const uint32_t i : order_) {
            if (!is_hashed_by_content(file_.kinds[i])) {
                fill(i);
            }
        }
        make_root();
        for (uint32_t i = 0; i < file_.object_count(); ++i) {
            if (file_.kinds[i] != HeapKind::kLeaf && !file_.is_tracked(i)) {
                PyObject_GC_UnTrack(objects_[i]);
                rebuilt_.untracked.push_back(objects_[i]);
            }
        }
        drop_objects();  // the references of their making: the graph's own keep them now
        check();
        rebuilt_.types = types_.size();
        RebuiltHeap rebuilt = rebuilt_;
        rebuilt.heap.root = std::exchange(root_, nullptr);
        return rebuilt;
    }

private:
    PyTypeObject* type_of(uint32_t i) {
        const size_t slots = file_.references_of(i).size();
        PyTypeObject*& type = types_[uint64_t{file_.type_of[i]} << 32 | slots];
        if (type == nullptr) {
            type = instance_type(slots, file_.types[file_.type_of[i]]);
        }
        return type;
    }

    bool is_text(uint32_t i) const {
        return file_.kinds[i] == HeapKind::kLeaf && file_.types[file_.type_of[i]] == "str";
    }

    PyObject* make(uint32_t i) {
        const auto size = static_cast<Py_ssize_t>(file_.references_of(i).size());
        switch (file_.kinds[i]) {
            case HeapKind::kLeaf: {
                if (is_text(i)) {
                    return new_text(i, file_.sizes[i]);
                }
                const auto bytes = static_cast<Py_ssize_t>(file_.sizes[i]);
                const auto header = static_cast<Py_ssize_t>(sizeof(PyVarObject));
                return &PyObject_NewVar(PyVarObject, leaf_type(),
                                        std::max<Py_ssize_t>(bytes, header) - header)
                            ->ob_base;
            }
            case HeapKind::kList:
                return PyList_New(size);
            case HeapKind::kTuple:
                // Not PyTuple_New: there is one empty tuple, but each in the file is an object of its own.
                return PyTuple_Type.tp_alloc(&PyTuple_Type, size);
            case HeapKind::kDict:
                return PyDict_New();
            case HeapKind::kSet:
                return PySet_New(nullptr);
            case HeapKind::kFrozenset:
                return PyFrozenSet_New(nullptr);
            case HeapKind::kInstance:
                break;
        }
        PyTypeObject* type = type_of(i);
        return type == nullptr ? nullptr : new_instance(type);
    }

    // Fills a tuple or frozenset after those that it contains, to any depth.
    void fill_with_content(uint32_t object) {
        constexpr uint32_t kBegun = UINT32_MAX;
        if (hash_depth_[object] != 0) {
            return;
        }
        struct Level {
            uint32_t object;
            uint32_t next;     // position among its references
            uint32_t deepest;  // of those before
        };
        hash_depth_[object] = kBegun;
        std::vector<Level> path = {{object, 0, 0}};
        while (!path.empty()) {
            Level& level = path.back();
            const std::span<const uint32_t> targets = file_.references_of(level.object);
            if (level.next == targets.size()) {
                fill(level.object);
                hash_depth_[level.object] = level.deepest + 1;
                path.pop_back();
                continue;
            }
            const uint32_t target = targets[level.next];
            uint32_t& depth = hash_depth_[target];
            if (!is_hashed_by_content(file_.kinds[target])) {
                ++level.next;
            } else if (depth == kBegun) {
                throw std::runtime_error(object_name(target) + " is nested in itself");
            } else if (depth == 0) {
                depth = kBegun;
                path.push_back({target, 0, 0});
            } else {
                level.deepest = std::max(level.deepest, depth);
                ++level.next;
            }
        }
    }

    void fill(uint32_t i) {
        PyObject* op = objects_[i];
        const std::span<const uint32_t> targets = file_.references_of(i);
        const auto target = [&](size_t k) { return objects_[targets[k]]; };
        switch (file_.kinds[i]) {
            case HeapKind::kLeaf:
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
            case HeapKind::kDict:
                for (size_t k = 0; k + 1 < targets.size(); k += 2) {
                    done(i, PyDict_SetItem(op, key(targets[k]), target(k + 1)));
                }
                return;
            case HeapKind::kSet:
            case HeapKind::kFrozenset:
                for (const uint32_t element : targets) {
                    done(i, PySet_Add(op, key(element)));
                }
                return;
            case HeapKind::kInstance:
                for (size_t k = 0; k < targets.size(); ++k) {
                    fill_slot(op, k, Py_NewRef(target(k)));
                }
        }
    }

    PyObject* key(uint32_t i) const {
        if (hash_depth_[i] > kDeepestKey) {
            throw std::runtime_error(object_name(i) + ", a key, is a nest of more than " +
                                     std::to_string(kDeepestKey) + " tuples");
        }
        return objects_[i];
    }

    static void done(uint32_t i, int result) {
        if (result < 0) {
            const bool out_of_memory = PyErr_ExceptionMatches(PyExc_MemoryError) != 0;
            PyErr_Clear();
            if (out_of_memory) {
                throw std::bad_alloc();
            }
            throw std::runtime_error(object_name(i) + " has a key that cannot be hashed");
        }
    }

    void make_root() {
        root_ = required(PyList_New(0));
        for (uint32_t i = 0; i < file_.object_count(); ++i) {
            if (file_.is_root(i) && PyList_Append(root_, objects_[i]) < 0) {
                throw std::bad_alloc();
            }
        }
    }

    void drop_objects() {
        held_ = false;
        for (PyObject* op : objects_) {
            Py_XDECREF(op);
        }
    }

    // ---- what was built against the file ------------------------------------------------------

    const PyTypeObject* expected_type(uint32_t i) {
        switch (file_.kinds[i]) {
            case HeapKind::kLeaf:
                return is_text(i) ? &PyUnicode_Type : leaf_type();
            case HeapKind::kList:
                return &PyList_Type;
            case HeapKind::kDict:
                return &PyDict_Type;
            case HeapKind::kTuple:
                return &PyTuple_Type;
            case HeapKind::kSet:
                return &PySet_Type;
            case HeapKind::kFrozenset:
                return &PyFrozenSet_Type;
            case HeapKind::kInstance:
                break;
        }
        return type_of(i);
    }

    void check() {
        std::vector<uint32_t> expected(file_.object_count());
        for (const uint32_t target : file_.references) {
            ++expected[target];
        }
        std::vector<PyObject*> visited;
        for (uint32_t i = 0; i < file_.object_count(); ++i) {
            PyObject* op = objects_[i];
            const auto name = [&] { return object_name(i); };
            if (Py_TYPE(op) != expected_type(i)) {
                throw std::runtime_error(name() + " is a " + Py_TYPE(op)->tp_name);
            }
            const uint32_t count = expected[i] + (file_.is_root(i) ? 1 : 0);
            if (Py_REFCNT(op) != count) {
                throw std::runtime_error(name() + " has " + std::to_string(Py_REFCNT(op)) +
                                         " references, the file has " + std::to_string(count));
            }
            const bool tracked = PyObject_GC_IsTracked(op) != 0;
            if (tracked != file_.is_tracked(i)) {
                throw std::runtime_error(name() + (tracked ? " is" : " is not") + " tracked");
            }
            check_references(i, visited);
            ++rebuilt_.objects_of_kind[static_cast<size_t>(file_.kinds[i])];
            rebuilt_.tracked += tracked ? 1 : 0;
            rebuilt_.heap.objects += file_.kinds[i] != HeapKind::kLeaf ? 1 : 0;
        }
        if (rebuilt_.heap.references != file_.references.size()) {
            throw std::runtime_error(
                "the containers hold " + std::to_string(rebuilt_.heap.references) +
                " references, the file has " + std::to_string(file_.references.size()));
        }
    }

    // A container holds exactly the file's references, and visits them in their order (a tuple from
    // its end; each of a dict's values before its key); a dict all of whose keys are str leaves them out.
    void check_references(uint32_t i, std::vector<PyObject*>& found) {
        const std::span<const uint32_t> targets = file_.references_of(i);
        expected_.clear();
        const bool is_set =
            file_.kinds[i] == HeapKind::kSet || file_.kinds[i] == HeapKind::kFrozenset;
        if (is_set || file_.kinds[i] == HeapKind::kDict) {
            rebuilt_.heap.references += check_keys(i);
            bool visits_keys = false;
            for (size_t k = 0; k < targets.size(); k += 2) {
                visits_keys = visits_keys || !is_text(targets[k]);
            }
            for (size_t k = 0; k < targets.size(); ++k) {
                if (is_set) {
                    expected_.push_back(objects_[targets[k]]);
                } else if (k % 2 == 1) {
                    expected_.push_back(objects_[targets[k]]);
                    if (visits_keys) {
                        expected_.push_back(objects_[targets[k - 1]]);
                    }
                }
            }
        } else {
            for (const uint32_t target : targets) {
                expected_.push_back(objects_[target]);
            }
            rebuilt_.heap.references += targets.size();
        }
        found.clear();
        PyObject* op = objects_[i];
        if (Py_TYPE(op)->tp_traverse != nullptr) {
            const visitproc record = [](PyObject* target, void* arg) {
                static_cast<std::vector<PyObject*>*>(arg)->push_back(target);
                return 0;
            };
            Py_TYPE(op)->tp_traverse(op, record, &found);
        }
        rebuilt_.visited += found.size();
        if (found != expected_ &&
            !std::equal(found.rbegin(), found.rend(), expected_.begin(), expected_.end())) {
            throw std::runtime_error(object_name(i) + " visits " + std::to_string(found.size()) +
                                     " references, not the " + std::to_string(expected_.size()) +
                                     " that the file has for it");
        }
    }

    // What a dict or set holds, asked of it and not of its traversal; -> how many references.
    size_t check_keys(uint32_t i) {
        const std::span<const uint32_t> targets = file_.references_of(i);
        PyObject* op = objects_[i];
        size_t held = 0;
        bool same = true;
        if (file_.kinds[i] == HeapKind::kDict) {
            PyObject* key;
            PyObject* value;
            Py_ssize_t position = 0;
            for (; PyDict_Next(op, &position, &key, &value) != 0; held += 2) {
                same = same && held < targets.size() && key == objects_[targets[held]] &&
                       value == objects_[targets[held + 1]];
            }
        } else {
            held = static_cast<size_t>(PySet_GET_SIZE(op));
            for (const uint32_t target : targets) {
                same = same && PySet_Contains(op, objects_[target]) == 1;
            }
        }
        if (!same || held != targets.size()) {
            throw std::runtime_error(object_name(i) +
                                     " holds other keys or values than the file's");
        }
        return held;
    }

    const HeapFile& file_;
    const std::vector<uint32_t> order_;
    std::vector<PyObject*> objects_;
    // Of tuples and frozensets that are filled: how deeply they are nested. 0: not filled yet.
    std::vector<uint32_t> hash_depth_;
    std::unordered_map<uint64_t, PyTypeObject*> types_;  // by type << 32 | slots
    std::vector<PyObject*> expected_;
    PyObject* root_ = nullptr;
    bool held_ = true;  // each object of objects_ by one reference
    RebuiltHeap rebuilt_;
};

}  // namespace

RebuiltHeap rebuild_heap(const HeapFile& file, const RebuildParameters& parameters) {
    return Rebuilder(file, parameters).build();
}

}  // namespace ouro::workloads
