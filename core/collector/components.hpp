// The strongly connected components of a directed graph, in topological order: the edges into a
// component come from itself and from components before it.
//
//     Components graph;
//     for each node: graph.add_node(); for each of its edges: graph.add_edge(target);
//     while (!graph.order(deadline)) { others run }
//     for (size_t k = 0; k < graph.size(); ++k) { use(graph.members(k)); }
//
// Several threads may read the edges, each into a part of its own (Components::Part), which are then joined.
//
// Knows no object: it orders numbers, so the world may run meanwhile. Linear in nodes and edges,
// without recursion (Tarjan 1972; in the memory of Pearce, "A space-efficient algorithm for finding strongly
// connected components", 2016). Memory: 4 bytes an edge and 16 a node, and up to 12 a node of a long path;
// once it is ordered up to 12 a node. Kept for the next graph unless it was large. Whatever throws
// throws std::bad_alloc, and the graph can only be cleared then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

#include "core/collector/deadline.hpp"
#include "core/heap/pages.hpp"

namespace ouro::collector {

class Components {
    template <class T>
    using List = heap::PageVector<T>;

public:
    using Node = uint32_t;

    // Nodes and their edges.
    class AdjacencyList {
    public:
        // Address space for so many nodes and some edges of each, so that nothing is moved later.
        void reserve(size_t nodes);
        // The next node; edges added now are its own.
        void add_node() { first_edge_.push_back(static_cast<uint32_t>(edges_.size())); }
        // `to` may be a node that is not added yet.
        void add_edge(Node to) {
            if (edges_.size() == UINT32_MAX) {
                throw std::bad_alloc();
            }
            edges_.push_back(to);
        }
        // Gives the memory of a large one back until the deadline; true when it is done, and clear takes no time.
        bool drop(Deadline& deadline);
        void clear();

    private:
        friend class Components;
        size_t nodes() const { return first_edge_.size(); }
        // The same with the nodes from `begin` to `end` of another behind its own.
        void append(const AdjacencyList& from, size_t begin, size_t end);

        List<Node> edges_;
        List<uint32_t> first_edge_;  // of each node
    };

    // What one thread reads: runs of nodes, the runs in ascending order. Edges may lead to nodes of any part.
    class alignas(64) Part : public AdjacencyList {  // two threads write no line of each other's
    public:
        bool is_empty() const { return runs_.empty(); }
        // The nodes that follow are `first` and those after it.
        void begin_run(Node first) { runs_.push_back({first, static_cast<uint32_t>(nodes())}); }
        bool drop(Deadline& deadline);
        void clear();

    private:
        friend class Components;
        struct Run {
            Node first;
            uint32_t at;  // of the nodes here
        };
        bool has_all(size_t nodes) const;
        void join_to(AdjacencyList& whole);

        List<Run> runs_;
        size_t joined_ = 0;  // runs
    };

    // Address space for so many nodes and some edges of each, so that nothing is moved later.
    void reserve(size_t nodes);
    // The next node, from 0; edges added now are its own. All are there when it comes to order().
    void add_node() { graph_.add_node(); }
    void add_edge(Node to) { graph_.add_edge(to); }

    // Instead of all that: the graph of parts that have each of so many nodes once; until the deadline, true when it is
    // done. Then the parts can only be dropped and cleared. A part that has all is taken as it is.
    void reserve_to_join(size_t nodes);
    bool join(std::span<Part> parts, size_t nodes, Deadline& deadline);

    size_t nodes() const { return begun_ ? low_.size() : graph_.nodes(); }

    // Forms components until the deadline; true when all are formed, and the memory of the edges has been released, if
    // it is large. No node or edge is added after the first call, until clear().
    bool order(Deadline& deadline);
    // Gives the memory of a large graph back until the deadline; true when it is done, and clear takes no
    // time.
    bool drop(Deadline& deadline);
    // The empty graph.
    void clear();

    size_t size() const { return bound_of_.size(); }
    // Members of the one that has the most.
    size_t largest() const { return largest_; }
    // In ascending order.
    std::span<const Node> members(size_t component) const {
        const size_t begin = begin_of(component);
        const size_t end = component == 0 ? members_.size() : begin_of(component - 1);
        return {members_.data() + begin, end - begin};
    }
    // Where they begin in the list of all nodes by component, the last component's first.
    size_t begin_of(size_t component) const {
        return bound_of_[size() - 1 - component];  // Tarjan's comes out last to first
    }
    // Whether two nodes are in the same component.
    bool together(Node a, Node b) const { return low_[a] == low_[b]; }
    void prefetch(Node node) const { __builtin_prefetch(&low_[node]); }
    // Which one a node is in.
    size_t component_of(Node node) const { return size() - 1 - (UINT32_MAX - low_[node]); }

private:
    static constexpr uint32_t kNotVisited = 0;
    static constexpr uint32_t kPrefetched = 8;  // edges of a node

    bool begin(Deadline& deadline);
    bool form(Deadline& deadline);
    bool visit(Deadline& deadline);
    void enter(Node node);
    void leave();
    bool list_members(Deadline& deadline);
    bool drop_edges(Deadline& deadline);

    // Once it is being ordered the end of all edges is behind the last node's first.
    AdjacencyList graph_;
    List<Node> members_;  // component after component
    // Of each component, in members_: where it ends; once these are listed, where it begins.
    List<uint32_t> bound_of_;

    // Of each node: while it is open, the least number of an open node that it is known to reach; after that, its
    // component's number. Those are counted down from the greatest, so they exceed that of any open node.
    List<uint32_t> low_;

    // While the components are formed.
    struct Step {
        Node node;
        uint32_t number;  // from 1, of those that are open
        uint32_t edge;    // the next to be followed
    };
    List<Step> path_;
    List<Node> open_;  // those that the path has left and that are in no component yet
    uint32_t numbered_ = 0;
    uint32_t largest_ = 0;
    Node root_ = 0;      // all nodes before it have been visited
    size_t listed_ = 0;  // nodes, of the last, that have been listed
    bool begun_ = false;
    bool formed_ = false;
    bool dropping_ = false;
};

}  // namespace ouro::collector
