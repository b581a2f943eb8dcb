// A heap file's objects, rebuilt: each is of its type, holds what the file says in that order, is
// tracked as it was, and is kept by as many references; in the captured order and shuffled. What no
// heap can be is refused, and nothing is left of it.

#include <gmock/gmock.h>

#include <algorithm>

#include "experiments/workloads/heap_graph.hpp"
#include "experiments/workloads/instance.hpp"
#include "tests/oracle/runtime_test.hpp"

namespace ouro::test {
namespace {

using testing::HasSubstr;
using workloads::HeapFile;
using workloads::HeapKind;
using workloads::RebuiltHeap;

// A file, object by object. Every object is a root unless it is said not to be, so that the root list
// has them in the order of their numbers.
struct File : HeapFile {
    File() {
        types = {"leaf", "a.Thing", "b.Thing", "str"};
        first_reference = {0};
    }
    uint32_t add(HeapKind kind, std::vector<uint32_t> targets, uint32_t type = 0,
                 uint8_t flags_of_it = kTracked, uint32_t roots = 1) {
        kinds.push_back(kind);
        flags.push_back(kind == HeapKind::kLeaf ? flags_of_it & ~kTracked : flags_of_it);
        type_of.push_back(type);
        sizes.push_back(50);
        external.push_back(roots);
        references.insert(references.end(), targets.begin(), targets.end());
        first_reference.push_back(static_cast<uint32_t>(references.size()));
        metadata.tracked_objects += is_tracked(object_count() - 1) ? 1 : 0;
        return object_count() - 1;
    }
};

// One of everything: 0 and 1 leaves, then containers.
File one_of_everything() {
    File file;
    file.add(HeapKind::kLeaf, {});
    file.add(HeapKind::kLeaf, {});
    file.add(HeapKind::kList, {0, 2, 3, 1, 0});
    file.add(HeapKind::kDict, {0, 2, 4, 1, 5, 3});  // keys: a leaf, a tuple, a frozenset
    file.add(HeapKind::kTuple, {5, 1, 6});
    file.add(HeapKind::kFrozenset, {1, 10, 7});
    file.add(HeapKind::kInstance, {6, 2, 8}, 1);
    file.add(HeapKind::kInstance, {2}, 1);
    file.add(HeapKind::kInstance, {1, 1, 1}, 2);
    file.add(HeapKind::kSet, {4, 0, 6});
    file.add(HeapKind::kTuple, {0, 11}, 0, 0);  // not tracked
    file.add(HeapKind::kTuple, {}, 0, 0);
    file.add(HeapKind::kInstance, {}, 2);
    return file;
}

class Rebuilt : public RuntimeTest {
protected:
    // What the objects of the root list refer to, by their numbers.
    static std::vector<std::vector<uint32_t>> references_of(PyObject* root) {
        std::vector<std::vector<uint32_t>> found;
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(root); ++i) {
            PyObject* op = PyList_GET_ITEM(root, i);
            std::vector<PyObject*> visited;
            if (Py_TYPE(op)->tp_traverse != nullptr) {
                Py_TYPE(op)->tp_traverse(
                    op,
                    [](PyObject* target, void* arg) {
                        static_cast<std::vector<PyObject*>*>(arg)->push_back(target);
                        return 0;
                    },
                    &visited);
            }
            if (PyTuple_Check(op)) {
                std::ranges::reverse(visited);
            }
            if (PyDict_Check(op) && visited.size() == 2 * static_cast<size_t>(PyDict_Size(op))) {
                for (size_t k = 0; k < visited.size(); k += 2) {
                    std::swap(visited[k], visited[k + 1]);
                }
            }
            found.emplace_back();
            for (PyObject* target : visited) {
                Py_ssize_t k = 0;
                while (PyList_GET_ITEM(root, k) != target) {
                    ++k;
                }
                found.back().push_back(static_cast<uint32_t>(k));
            }
        }
        return found;
    }

    void expect_refused(const File& file, const char* message) {
        try {
            const RebuiltHeap rebuilt = workloads::rebuild_heap(file);
            Py_DECREF(rebuilt.heap.root);
            ADD_FAILURE() << "not refused: " << message;
        } catch (const std::runtime_error& error) {
            EXPECT_THAT(error.what(), HasSubstr(message));
        }
        EXPECT_EQ(PyErr_Occurred(), nullptr);
        PyGC_Collect();
        EXPECT_EQ(tracked(), 0u) << "something of it is left";
    }
};

TEST_P(Rebuilt, IsWhatItWas) {
    const File file = one_of_everything();
    for (const workloads::RebuildParameters parameters :
         {workloads::RebuildParameters{}, {true, 1}, {true, 2}}) {
        const RebuiltHeap rebuilt = workloads::rebuild_heap(file, parameters);
        PyObject* root = rebuilt.heap.root;
        ASSERT_EQ(PyList_GET_SIZE(root), file.object_count());
        const auto object = [&](Py_ssize_t i) { return PyList_GET_ITEM(root, i); };
        const std::vector<PyTypeObject*> types = {&PyList_Type, &PyDict_Type, &PyTuple_Type,
                                                  &PyFrozenSet_Type};
        for (size_t i = 0; i < types.size(); ++i) {
            EXPECT_EQ(Py_TYPE(object(static_cast<Py_ssize_t>(i) + 2)), types[i]);
        }
        EXPECT_EQ(Py_TYPE(object(9)), &PySet_Type);

        // Instances: a type for each of the file's types and number of slots.
        EXPECT_STREQ(Py_TYPE(object(6))->tp_name, "a.Thing");
        EXPECT_STREQ(Py_TYPE(object(8))->tp_name, "b.Thing");
        EXPECT_NE(Py_TYPE(object(6)), Py_TYPE(object(7)));
        EXPECT_NE(Py_TYPE(object(6)), Py_TYPE(object(8)));
        EXPECT_EQ(Py_TYPE(object(6))->tp_basicsize,
                  static_cast<Py_ssize_t>(sizeof(PyObject) + 3 * sizeof(PyObject*)));
        EXPECT_EQ(rebuilt.types, 4u);

        const std::vector<std::vector<uint32_t>> found = references_of(root);
        size_t references = 0;
        for (uint32_t i = 0; i < file.object_count(); ++i) {
            EXPECT_EQ(found[i], std::vector<uint32_t>(file.references_of(i).begin(),
                                                      file.references_of(i).end()));
            references += found[i].size();
            EXPECT_EQ(PyObject_GC_IsTracked(object(i)), file.is_tracked(i) ? 1 : 0) << i;
            EXPECT_EQ(Py_REFCNT(object(i)), 1 + std::ranges::count(file.references, i));
        }
        // Keys are found by what they are: by content, or by identity.
        EXPECT_EQ(PyDict_GetItem(object(3), object(4)), object(1));
        EXPECT_EQ(PyDict_GetItem(object(3), object(5)), object(3));
        EXPECT_EQ(PySet_Contains(object(5), object(10)), 1);
        EXPECT_EQ(PySet_Contains(object(9), object(1)), 0);

        EXPECT_EQ(rebuilt.heap.references, references);
        EXPECT_EQ(rebuilt.heap.objects, 11u);
        EXPECT_EQ(rebuilt.tracked, file.metadata.tracked_objects);
        EXPECT_THAT(rebuilt.objects_of_kind, testing::ElementsAre(2, 1, 1, 3, 1, 1, 4));
        EXPECT_EQ(tracked(), file.metadata.tracked_objects + 1);
        Py_DECREF(root);
        PyGC_Collect();
        EXPECT_EQ(tracked(), 0u);
    }
}

TEST_P(Rebuilt, LiesInTheCapturedOrderOrInAnother) {
    File file;
    for (uint32_t i = 0; i < 2000; ++i) {
        file.add(HeapKind::kInstance, {i});
    }
    const auto ascents = [&](bool shuffled) {
        PyObject* root = workloads::rebuild_heap(file, {shuffled, 5}).heap.root;
        int count = 0;
        for (Py_ssize_t i = 1; i < PyList_GET_SIZE(root); ++i) {
            count += PyList_GET_ITEM(root, i) > PyList_GET_ITEM(root, i - 1) ? 1 : 0;
        }
        Py_DECREF(root);
        PyGC_Collect();
        return count;
    };
    EXPECT_GT(ascents(false), 1990);
    EXPECT_GT(ascents(true), 900);
    EXPECT_LT(ascents(true), 1100);
}

TEST_P(Rebuilt, HasRootsForWhatIsReferredToFromOutsideAlone) {
    File file;
    file.add(HeapKind::kList, {1, 2}, 0, HeapFile::kTracked, 7);
    file.add(HeapKind::kInstance, {}, 1, HeapFile::kTracked, 0);
    file.add(HeapKind::kLeaf, {}, 0, HeapFile::kImmortal, 0);
    const RebuiltHeap rebuilt = workloads::rebuild_heap(file);
    PyObject* root = rebuilt.heap.root;
    ASSERT_EQ(PyList_GET_SIZE(root), 2);
    EXPECT_TRUE(PyList_CheckExact(PyList_GET_ITEM(root, 0)));
    EXPECT_EQ(Py_REFCNT(PyList_GET_ITEM(root, 0)), 1);
    EXPECT_EQ(Py_REFCNT(PyList_GET_ITEM(root, 1)), 2);
    Py_DECREF(root);
}

// As CPython's dicts do: keys are held, and not visited where all are str; those of a set always are.
TEST_P(Rebuilt, HoldsKeysThatItsTraversalLeavesOut) {
    File file;
    file.add(HeapKind::kLeaf, {}, 3);
    file.add(HeapKind::kLeaf, {}, 3);
    file.add(HeapKind::kDict, {0, 2, 1, 0});
    file.add(HeapKind::kDict, {0, 2, 2 + 2, 0});  // a tuple among the keys
    file.add(HeapKind::kTuple, {});
    file.add(HeapKind::kSet, {0, 1});
    const RebuiltHeap rebuilt = workloads::rebuild_heap(file);
    PyObject* root = rebuilt.heap.root;
    EXPECT_THAT(references_of(root),
                testing::ElementsAre(testing::IsEmpty(), testing::IsEmpty(),
                                     testing::ElementsAre(2, 0), testing::ElementsAre(0, 2, 4, 0),
                                     testing::IsEmpty(), testing::ElementsAre(0, 1)));
    EXPECT_EQ(rebuilt.heap.references, 10u);
    EXPECT_EQ(rebuilt.visited, 8u);
    EXPECT_EQ(Py_REFCNT(PyList_GET_ITEM(root, 0)), 6);
    EXPECT_EQ(Py_REFCNT(PyList_GET_ITEM(root, 1)), 3);
    Py_DECREF(root);
    PyGC_Collect();
}

TEST_P(Rebuilt, ANestOfTuplesIsFilledFromInside) {
    File file;
    const uint32_t depth = 900;
    for (uint32_t i = 0; i < depth; ++i) {  // the outermost first
        file.add(i % 2 == 0 ? HeapKind::kTuple : HeapKind::kFrozenset, {i + 1});
    }
    file.add(HeapKind::kTuple, {});
    file.add(HeapKind::kSet, {0, depth / 2});
    PyObject* root = workloads::rebuild_heap(file).heap.root;
    EXPECT_EQ(PySet_Contains(PyList_GET_ITEM(root, depth + 1), PyList_GET_ITEM(root, 0)), 1);
    Py_DECREF(root);
    PyGC_Collect();
}

TEST_P(Rebuilt, IsRefusedIfNoHeapCanBeSo) {
    File twice;  // a key
    twice.add(HeapKind::kLeaf, {});
    twice.add(HeapKind::kDict, {0, 0, 0, 1});
    expect_refused(twice, "object 0 has 2 references, the file has 4");

    File equal;  // two frozensets with one content are one key
    equal.add(HeapKind::kFrozenset, {});
    equal.add(HeapKind::kFrozenset, {});
    equal.add(HeapKind::kSet, {0, 1});
    expect_refused(equal, "object 1 has 1 references, the file has 2");

    File unhashable;
    unhashable.add(HeapKind::kList, {});
    unhashable.add(HeapKind::kTuple, {0});
    unhashable.add(HeapKind::kSet, {1});
    expect_refused(unhashable, "object 2 has a key that cannot be hashed");

    File nested;
    nested.add(HeapKind::kTuple, {1});
    nested.add(HeapKind::kFrozenset, {2});
    nested.add(HeapKind::kTuple, {0});
    expect_refused(nested, "is nested in itself");

    File deep;
    for (uint32_t i = 0; i < 1500; ++i) {
        deep.add(HeapKind::kTuple, {i + 1});
    }
    deep.add(HeapKind::kLeaf, {});
    deep.add(HeapKind::kSet, {0});
    expect_refused(deep, "object 0, a key, is a nest of more than 1000 tuples");
}

OURO_TEST_EACH_POLICY(Rebuilt);

}  // namespace
}  // namespace ouro::test
