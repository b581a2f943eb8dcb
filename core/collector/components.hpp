// The strongly connected components of a directed graph, in topological order: the edges into a
// component come from itself and from components before it.
//
//     Components graph;
//     for each node: graph.add_node(); for each of its edges: graph.add_edge(target);
//     graph.order();
//     for (size_t k = 0; k < graph.size(); ++k) { use(graph.members(k)); }
//
// Knows no object: what is ordered are numbers, so the world may run meanwhile. Linear in nodes and edges
// (Tarjan 1972), without recursion. Memory: 4 bytes an edge, 40 a node, kept for the next graph unless it
// was large. Whatever throws throws std::bad_alloc, and the graph can only be cleared then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/heap/pages.hpp"

namespace ouro::collector {

class Components {
public:
    using Node = uint32_t;

    // The next node, from 0; edges added now are its own.
    void add_node() { first_edge_.push_back(edges_.size()); }
    // `to` may be a node that is not added yet; all are when it comes to order().
    void add_edge(Node to) { edges_.push_back(to); }
    size_t nodes() const { return first_edge_.size(); }

    // Forms the components. No node or edge is added after it, until clear().
    void order();
    // The empty graph.
    void clear();

    size_t size() const { return end_of_.size(); }
    // In no particular order.
    std::span<const Node> members(size_t component) const {
        const size_t at = size() - 1 - component;  // Tarjan's comes out last to first
        const size_t begin = at == 0 ? 0 : end_of_[at - 1];
        return {members_.data() + begin, end_of_[at] - begin};
    }
    // Whether two nodes are in the same component.
    bool together(Node a, Node b) const { return component_of_[a] == component_of_[b]; }

private:
    template <class T>
    using List = heap::PageVector<T>;

    void visit_from(Node root);
    void enter(Node node);
    void leave();

    List<Node> edges_;
    List<size_t> first_edge_;  // of each node

    List<Node> members_;           // component after component
    List<size_t> end_of_;          // in members_, of each component
    List<uint32_t> component_of_;  // of each node

    // While the components are formed.
    struct Step {
        Node node;
        size_t edge;  // the next to be followed
    };
    List<Step> path_;
    List<Node> open_;        // visited, not yet in a component
    List<uint32_t> number_;  // in the order of visits, from 1; 0: not visited
    List<uint32_t> low_;     // the least number among the open ones that it is known to reach
    uint32_t visited_ = 0;
};

}  // namespace ouro::collector
