#include "experiments/workloads/btree.hpp"

#include <array>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "experiments/workloads/instance.hpp"

namespace ouro::workloads {
namespace {

constexpr size_t kRoot = 0;   // of a tree
constexpr size_t kItems = 0;  // of a node
constexpr size_t kNodes = 1;  // nothing in a leaf
constexpr Py_ssize_t kFull = 2 * kBTreeDegree - 1;
constexpr uint32_t kRemadePercent = 20;

enum Field : size_t { kNumber, kName, kBytes, kValue, kGroup, kChoice, kFields };
constexpr uint32_t kGroups = 31;

PyObject* required(PyObject* op) {
    if (op == nullptr) {
        throw std::bad_alloc();
    }
    return op;
}

void done(int status) {
    if (status < 0) {
        throw std::bad_alloc();
    }
}

PyObject* items_of(PyObject* node) {
    return slots_of(node)[kItems];
}
PyObject* nodes_of(PyObject* node) {
    return slots_of(node)[kNodes];
}
bool is_leaf(PyObject* node) {
    return nodes_of(node) == nullptr;
}
Py_ssize_t item_count(PyObject* node) {
    return PyList_GET_SIZE(items_of(node));
}
PyObject* child(PyObject* node, Py_ssize_t place) {
    return PyList_GET_ITEM(nodes_of(node), place);
}
long key_of(PyObject* item) {
    return PyLong_AsLong(PyTuple_GET_ITEM(item, 0));
}

void insert(PyObject* list, Py_ssize_t place, PyObject* op) {
    done(PyList_Insert(list, place, op));
}
void remove(PyObject* list, Py_ssize_t from, Py_ssize_t to) {
    done(PyList_SetSlice(list, from, to, nullptr));
}
// Takes an item out of a list and puts it into another.
void shift(PyObject* from, Py_ssize_t place, PyObject* to, Py_ssize_t to_place) {
    insert(to, to_place, PyList_GET_ITEM(from, place));
    remove(from, place, place + 1);
}
void put(PyObject* list, Py_ssize_t place, PyObject* op) {
    done(PyList_SetItem(list, place, Py_NewRef(op)));
}
void extend(PyObject* list, PyObject* more) {
    done(PyList_Extend(list, more));
}
// What is behind `place` goes to a new list.
PyObject* split_off(PyObject* list, Py_ssize_t place) {
    PyObject* rest = required(PyList_GetSlice(list, place, PyList_GET_SIZE(list)));
    remove(list, place, PyList_GET_SIZE(list));
    return rest;
}

// Steals both.
PyObject* new_node(PyObject* items, PyObject* nodes) {
    PyObject* node = required(new_instance(instance_type(2, "workload.BNode")));
    fill_slot(node, kItems, items);
    fill_slot(node, kNodes, nodes);
    return node;
}

// The first place whose key is not less, one after the other as pyperformance does it.
Py_ssize_t place_of(PyObject* node, long key) {
    Py_ssize_t place = 0;
    while (place < item_count(node) && key_of(PyList_GET_ITEM(items_of(node), place)) < key) {
        ++place;
    }
    return place;
}

bool is_key_at(PyObject* node, Py_ssize_t place, long key) {
    return place < item_count(node) && key_of(PyList_GET_ITEM(items_of(node), place)) == key;
}

// A full child becomes two, with its middle item between them.
void split_child(PyObject* node, Py_ssize_t place) {
    constexpr Py_ssize_t kMiddle = kBTreeDegree - 1;
    PyObject* full = child(node, place);
    PyObject* items = split_off(items_of(full), kMiddle + 1);
    PyObject* nodes = is_leaf(full) ? nullptr : split_off(nodes_of(full), kMiddle + 1);
    PyObject* bigger = new_node(items, nodes);
    insert(nodes_of(node), place + 1, bigger);
    Py_DECREF(bigger);
    shift(items_of(full), kMiddle, items_of(node), place);
}

// Pre: the node is not full.
void insert_item(PyObject* node, long key, PyObject* item) {
    Py_ssize_t place = place_of(node, key);
    while (!is_key_at(node, place, key) && !is_leaf(node)) {
        if (item_count(child(node, place)) == kFull) {
            split_child(node, place);
            place = place_of(node, key);
            continue;
        }
        node = child(node, place);
        place = place_of(node, key);
    }
    if (is_key_at(node, place, key)) {
        put(items_of(node), place, item);
    } else {
        insert(items_of(node), place, item);
    }
}

// The children at `place` and behind it become one, with the item between them.
void merge(PyObject* node, Py_ssize_t place) {
    PyObject* left = child(node, place);
    PyObject* right = child(node, place + 1);
    shift(items_of(node), place, items_of(left), item_count(left));
    extend(items_of(left), items_of(right));
    if (!is_leaf(left)) {
        extend(nodes_of(left), nodes_of(right));
    }
    remove(nodes_of(node), place + 1, place + 2);
}

bool is_big(PyObject* node) {
    return item_count(node) >= kBTreeDegree;
}

// Sees to it that the child has an item to spare; returns its place.
Py_ssize_t strengthen(PyObject* node, Py_ssize_t place) {
    PyObject* weak = child(node, place);
    if (is_big(weak)) {
        return place;
    }
    if (place > 0 && is_big(child(node, place - 1))) {
        PyObject* lower = child(node, place - 1);
        insert(items_of(weak), 0, PyList_GET_ITEM(items_of(node), place - 1));
        put(items_of(node), place - 1, PyList_GET_ITEM(items_of(lower), item_count(lower) - 1));
        remove(items_of(lower), item_count(lower) - 1, item_count(lower));
        if (!is_leaf(weak)) {
            shift(nodes_of(lower), PyList_GET_SIZE(nodes_of(lower)) - 1, nodes_of(weak), 0);
        }
        return place;
    }
    if (place < item_count(node) && is_big(child(node, place + 1))) {
        PyObject* upper = child(node, place + 1);
        insert(items_of(weak), item_count(weak), PyList_GET_ITEM(items_of(node), place));
        put(items_of(node), place, PyList_GET_ITEM(items_of(upper), 0));
        remove(items_of(upper), 0, 1);
        if (!is_leaf(weak)) {
            shift(nodes_of(upper), 0, nodes_of(weak), PyList_GET_SIZE(nodes_of(weak)));
        }
        return place;
    }
    const Py_ssize_t left = place > 0 ? place - 1 : place;
    merge(node, left);
    return left;
}

PyObject* outermost(PyObject* node, bool greatest) {
    while (!is_leaf(node)) {
        node = child(node, greatest ? item_count(node) : 0);
    }
    return PyList_GET_ITEM(items_of(node), greatest ? item_count(node) - 1 : 0);
}

// Pre: the node is the root or has an item to spare.
void erase(PyObject* node, long key) {
    Py_ssize_t place = place_of(node, key);
    const bool here = is_key_at(node, place, key);
    if (is_leaf(node)) {
        if (!here) {
            throw std::out_of_range("no such key");
        }
        remove(items_of(node), place, place + 1);
        return;
    }
    if (!here) {
        place = strengthen(node, place);
        erase(child(node, place), key);
        return;
    }
    for (const bool lower : {true, false}) {
        PyObject* side = child(node, lower ? place : place + 1);
        if (is_big(side)) {
            PyObject* nearest = outermost(side, lower);
            put(items_of(node), place, nearest);
            erase(side, key_of(nearest));
            return;
        }
    }
    merge(node, place);
    erase(child(node, place), key);
}

PyObject*& root_of(PyObject* tree) {
    return slots_of(tree)[kRoot];
}

void walk(PyObject* node, void (*see)(PyObject*, void*), void* arg) {
    for (Py_ssize_t i = 0; i < item_count(node); ++i) {
        if (!is_leaf(node)) {
            walk(child(node, i), see, arg);
        }
        see(PyList_GET_ITEM(items_of(node), i), arg);
    }
    if (!is_leaf(node)) {
        walk(child(node, item_count(node)), see, arg);
    }
}

// Nodes, lists and items.
size_t containers_below(PyObject* node) {
    size_t count = 2 + static_cast<size_t>(item_count(node));
    if (!is_leaf(node)) {
        ++count;
        for (Py_ssize_t i = 0; i <= item_count(node); ++i) {
            count += containers_below(child(node, i));
        }
    }
    return count;
}

std::vector<uint32_t> shuffled(uint32_t count, Random& random) {
    std::vector<uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    for (uint32_t k = count; k > 1; --k) {
        std::swap(order[k - 1], order[random.below(k)]);
    }
    return order;
}

}  // namespace

PyObject* new_btree() {
    PyObject* node = new_node(required(PyList_New(0)), nullptr);
    PyObject* tree = required(new_instance(instance_type(kBTreeSlots, "workload.BTree")));
    fill_slot(tree, kRoot, node);
    return tree;
}

void btree_set(PyObject* tree, long key, PyObject* value) {
    PyObject* root = root_of(tree);
    if (item_count(root) == kFull) {
        PyObject* nodes = required(PyList_New(1));
        PyList_SET_ITEM(nodes, 0, Py_NewRef(root));
        PyObject* higher = new_node(required(PyList_New(0)), nodes);
        fill_slot(tree, kRoot, higher);
        Py_DECREF(root);
        split_child(higher, 0);
        root = higher;
    }
    PyObject* number = required(PyLong_FromLong(key));
    PyObject* item = required(PyTuple_Pack(2, number, value));
    Py_DECREF(number);
    insert_item(root, key, item);
    Py_DECREF(item);
}

PyObject* btree_get(PyObject* tree, long key) {
    PyObject* node = root_of(tree);
    while (true) {
        const Py_ssize_t place = place_of(node, key);
        if (is_key_at(node, place, key)) {
            return PyTuple_GET_ITEM(PyList_GET_ITEM(items_of(node), place), 1);
        }
        if (is_leaf(node)) {
            return nullptr;
        }
        node = child(node, place);
    }
}

void btree_erase(PyObject* tree, long key) {
    PyObject* root = root_of(tree);
    erase(root, key);
    if (item_count(root) == 0 && !is_leaf(root)) {
        fill_slot(tree, kRoot, Py_NewRef(child(root, 0)));
        Py_DECREF(root);
    }
}

void btree_walk(PyObject* tree, void (*see)(PyObject*, void*), void* arg) {
    walk(root_of(tree), see, arg);
}

size_t btree_containers(PyObject* tree) {
    return 1 + containers_below(root_of(tree));
}

PyObject* new_records(uint32_t count, uint32_t most_bytes, Random& random) {
    PyTypeObject* type = instance_type(kFields, "workload.Record");
    PyObject* records = required(PyList_New(count));
    const std::string zeros(most_bytes, '\0');
    const std::array<PyObject*, 3> choices = {Py_None, Py_True, Py_False};
    for (uint32_t i = 0; i < count; ++i) {
        PyObject* record = required(new_instance(type));
        PyList_SET_ITEM(records, i, record);
        fill_slot(record, kNumber, required(PyLong_FromLong(static_cast<long>(i))));
        fill_slot(record, kName, required(PyUnicode_FromFormat("node %u", i)));
        fill_slot(record, kBytes,
                  required(PyBytes_FromStringAndSize(
                      zeros.data(), static_cast<Py_ssize_t>(i % (uint64_t{most_bytes} + 1)))));
        const double value = static_cast<double>(random.below(1u << 31)) / (1u << 31);
        fill_slot(record, kValue, required(PyFloat_FromDouble(value)));
        const std::string group = std::to_string(random.below(kGroups));
        fill_slot(record, kGroup, required(PyUnicode_InternFromString(group.c_str())));
        fill_slot(record, kChoice, Py_NewRef(choices.at(random.below(3))));
    }
    return records;
}

double record_value(PyObject* record) {
    return PyFloat_AsDouble(slots_of(record)[kValue]);
}

PyObject* new_record_tree(PyObject* records, Random& random) {
    const auto count = static_cast<uint32_t>(PyList_GET_SIZE(records));
    PyObject* tree = new_btree();
    const auto set = [&](uint32_t key) {
        btree_set(tree, static_cast<long>(key), PyList_GET_ITEM(records, key));
    };
    for (const uint32_t key : shuffled(count, random)) {
        set(key);
    }
    const auto remade = static_cast<uint32_t>(uint64_t{count} * kRemadePercent / 100);
    for (uint32_t key = 0; key < remade; ++key) {
        btree_erase(tree, static_cast<long>(key));
    }
    for (uint32_t key = 0; key < remade; ++key) {
        set(key);
    }
    return tree;
}

}  // namespace ouro::workloads
