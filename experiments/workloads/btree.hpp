// The `btree` workload: an index of records as a program keeps it in memory, a large graph of small
// objects with no cycle in it, which counting frees. The shape of pyperformance's bm_btree: a B-tree of
// minimum degree 16 (Cormen, Leiserson, Rivest, chapter 19), whose nodes have a list of items, (key, record),
// and one of nodes; records have six fields; keys come in random order, and the lowest fifth is taken out and
// put in again, so that neighbours in the tree are none in memory. Who walks it, or collects it alive, meets
// memory in no order. Parameters of `ouro bench btree`, and pyperformance's values: 200,000 records; five
// collections after the one in the run.
#pragma once

#include <cstddef>
#include <cstdint>

#include "Python.h"
#include "experiments/workloads/edges.hpp"

namespace ouro::workloads {

// A tree from keys to values, and the functions on it. They throw std::bad_alloc, and keep what they are given.
// Its second and third slot are the caller's.
inline constexpr size_t kBTreeSlots = 3;
inline constexpr int kBTreeDegree = 16;

// New reference; throws std::bad_alloc.
PyObject* new_btree();
void btree_set(PyObject* tree, long key, PyObject* value);
// Borrowed; nullptr if the key is not there.
PyObject* btree_get(PyObject* tree, long key);
// Throws std::out_of_range if the key is not there.
void btree_erase(PyObject* tree, long key);
// The items in order of their keys, borrowed, are given to `see`.
void btree_walk(PyObject* tree, void (*see)(PyObject* item, void* arg), void* arg);

// A list of `count` records: a number, a text, bytes (a length from 0 to `most_bytes`, which are all as often),
// a float, one of 31 texts, and None, True or False. New reference; throws std::bad_alloc.
PyObject* new_records(uint32_t count, uint32_t most_bytes, Random& random);
// The float of a record.
double record_value(PyObject* record);

// A tree of all of them, made as said above. New reference; throws std::bad_alloc.
PyObject* new_record_tree(PyObject* records, Random& random);

// Containers of a tree: nodes, their lists, items, and itself; records are not counted.
size_t btree_containers(PyObject* tree);

}  // namespace ouro::workloads
