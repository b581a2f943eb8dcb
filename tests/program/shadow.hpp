// The naive model: every object that a program made, as a node of a graph, with who refers to it. It
// is told of each step just before the library does it, so that it is true whenever code of the
// program's runs; what a collection must do is then computed from it by reachability alone.
//
// Library code that runs a program's code holds references meanwhile that the model cannot see come
// and go one by one: the items of a list that is being cleared, say. Such a reference *may* exist;
// the model then gives bounds. Between the steps of the program itself there are none of these, and
// everything is exact.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/include/ouroboros.h"

namespace ouro::program {

inline constexpr int kNothing = -1;

enum class Kind : uint8_t { kBox, kList, kTuple, kDict, kWeak };

// What a box's tp_clear does.
enum class Clear : uint8_t {
    kAll,              // drops all references
    kAllButProcedure,  // runs its procedure, then drops all
    kAllThenProcedure,
    kAllAndRaise,
    kDoesNothing,
};

// What is fixed when an object is made.
struct Traits {
    Kind kind = Kind::kBox;
    bool weak_list = false;  // can be weakly referenced
    bool finalizer = false;
    bool callable = false;
    bool del = false;  // has a tp_del
    bool has_clear = true;
    bool proxy = false;  // of a weak reference
    Clear clear = Clear::kAll;
    // Numbers of procedures; 0: does nothing.
    uint8_t finalizer_runs = 0, call_runs = 0, clear_runs = 0;
};

// Which collections still look at an object.
enum class Age : uint8_t { kYoung, kMiddle, kOld, kUnknown };

struct Node {
    Traits traits;
    PyObject* op = nullptr;
    std::vector<int> slots;  // what it refers to: nodes, or kNothing. A weak reference's callback

    // References to it.
    int incoming = 0;   // from slots
    int held = 0;       // the program's own
    int temporary = 0;  // certain while a call lasts
    int listed = 0;     // from the list of uncollectable objects
    int uncertain = 0;  // that the library may hold just now

    enum class Pin : uint8_t { kNone, kSure, kMaybe } pin = Pin::kNone;  // the collector's

    Age age = Age::kYoung;
    bool alive = true;
    bool tracked = true;
    bool finalized = false;
    int busy = 0;                // code of its own runs: it must not move
    int target = kNothing;       // of a weak reference that is not dead
    int due_because = kNothing;  // callback: the dying object, or kCollected; must be called once
    bool due_surely = false;

    // In the collection that runs.
    bool condemned = false;
    bool cleared = false;
    bool was_untracked = false;
};

inline constexpr int kCollected = -2;

using Set = std::vector<bool>;  // of nodes

class Shadow {
public:
    int add(PyObject* op, const Traits& traits, size_t slots);
    int size() const { return static_cast<int>(nodes_.size()); }
    Node& operator[](int node) { return nodes_[static_cast<size_t>(node)]; }
    const Node& operator[](int node) const { return nodes_[static_cast<size_t>(node)]; }
    // The living node at this address, or kNothing.
    int find(PyObject* op) const;

    void set_slot(int node, size_t slot, int target);
    void append_slot(int node, int target);
    void empty(int node);
    void resize(int node, size_t slots) { (*this)[node].slots.resize(slots, kNothing); }
    void move(int node, PyObject* to);
    void die(int node);

    // References that surely exist.
    int count(int node) const;
    // The same without the collector's.
    int references(int node) const;

    // What a collection of this scope finds to be garbage: `sure`, what it must find; otherwise, what
    // it may find.
    Set garbage(unsigned generation, bool sure) const;
    // The same for the objects already condemned, after code ran.
    Set still_condemned(bool sure) const;
    // The members of `set` that objects with tp_del in it are or reach.
    Set reached_from_del(const Set& set) const;

    // In words: what refers to the node, and its state.
    std::string describe(int node) const;

private:
    Set unreferenced(Set members, bool sure) const;

    std::vector<Node> nodes_;
    std::unordered_map<PyObject*, int> living_;
};

}  // namespace ouro::program
