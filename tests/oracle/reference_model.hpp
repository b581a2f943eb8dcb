// What a program's objects must do, computed in the most naive way: a graph, how many references the
// program itself holds to each node, and reachability. No counts are kept: a node's count is found by
// looking at all the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ouro::test {

enum class Kind : uint8_t { kInstance, kList, kTuple, kDict };

// What an instance's tp_finalize does. All but the last two leave its references alone.
enum class Finalizer : uint8_t {
    kNone,       // there is none
    kCount,      // nothing
    kResurrect,  // takes a reference to the instance
    kRelease,    // hands what slot 0 refers to over to the program, without a change of its count
    kClear,      // drops all that the instance refers to
};

struct Node {
    Kind kind = Kind::kInstance;
    Finalizer finalizer = Finalizer::kNone;
    std::vector<int> slots;  // numbers of nodes, or kEmpty
    int external = 1;        // references that the program holds
    int finalizations = 0;
    bool tracked = true;
    bool alive = true;
    bool pinned = false;  // the collector holds a reference
};

class Model {
public:
    static constexpr int kEmpty = -1;

    int add(Kind kind, size_t slots, Finalizer finalizer = Finalizer::kNone) {
        Node node;
        node.kind = kind;
        node.finalizer = finalizer;
        node.slots.assign(slots, kEmpty);
        nodes_.push_back(node);
        return size() - 1;
    }

    int size() const { return static_cast<int>(nodes_.size()); }
    Node& operator[](int node) { return nodes_[static_cast<size_t>(node)]; }
    const Node& operator[](int node) const { return nodes_[static_cast<size_t>(node)]; }

    int count(int node) const {
        int count = nodes_[static_cast<size_t>(node)].external;
        for (const Node& other : nodes_) {
            for (const int target : other.slots) {
                count += other.alive && target == node ? 1 : 0;
            }
        }
        return count;
    }

    // Reference counting: what nobody refers to dies, and what only that referred to.
    void settle() {
        for (bool changed = true; changed;) {
            changed = false;
            for (int i = 0; i < size(); ++i) {
                if ((*this)[i].alive && !(*this)[i].pinned && count(i) == 0) {
                    (*this)[i].alive = false;
                    changed = true;
                }
            }
        }
    }

    // A full collection; what PyGC_Collect must return.
    size_t collect() {
        std::vector<int> garbage = unreachable();
        for (const int node : garbage) {
            (*this)[node].pinned = true;
        }
        for (const int node : garbage) {
            finalize((*this)[node]);
        }
        settle();
        const std::vector<int> pinned = garbage;
        // What a finalizer made unreachable beside them waits for the next collection.
        garbage = unreachable();
        std::erase_if(garbage, [this](int node) { return !(*this)[node].pinned; });
        for (const int node : garbage) {
            if ((*this)[node].kind != Kind::kTuple) {  // a tuple has no tp_clear
                empty((*this)[node]);
            }
        }
        for (const int node : pinned) {
            (*this)[node].pinned = false;
        }
        settle();
        return garbage.size();
    }

private:
    static void empty(Node& node) { node.slots.assign(node.slots.size(), kEmpty); }

    void finalize(Node& node) {
        if (node.finalizer == Finalizer::kNone || node.finalizations > 0) {
            return;
        }
        ++node.finalizations;
        if (node.finalizer == Finalizer::kResurrect) {
            ++node.external;
        } else if (node.finalizer == Finalizer::kClear) {
            empty(node);
        } else if (node.finalizer == Finalizer::kRelease && node.slots[0] != kEmpty) {
            ++(*this)[node.slots[0]].external;
            node.slots[0] = kEmpty;
        }
    }

    // Tracked nodes that neither the program nor an untracked object leads to.
    std::vector<int> unreachable() const {
        std::vector<bool> reached(nodes_.size());
        std::vector<int> pending;
        const auto reach = [&](int node) {
            if (node != kEmpty && !reached[static_cast<size_t>(node)]) {
                reached[static_cast<size_t>(node)] = true;
                pending.push_back(node);
            }
        };
        for (int i = 0; i < size(); ++i) {
            if ((*this)[i].alive && ((*this)[i].external > 0 || !(*this)[i].tracked)) {
                reach(i);
            }
        }
        while (!pending.empty()) {
            const int node = pending.back();
            pending.pop_back();
            for (const int target : (*this)[node].slots) {
                reach(target);
            }
        }
        std::vector<int> result;
        for (int i = 0; i < size(); ++i) {
            if ((*this)[i].alive && !reached[static_cast<size_t>(i)]) {
                result.push_back(i);
            }
        }
        return result;
    }

    std::vector<Node> nodes_;
};

}  // namespace ouro::test
