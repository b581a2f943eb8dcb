#include "core/collector/components.hpp"

#include <algorithm>
#include <utility>

namespace ouro::collector {
namespace {

constexpr size_t kEdgesOfEach = 4;

}  // namespace

void Components::AdjacencyList::reserve(size_t nodes) {
    edges_.reserve(nodes * kEdgesOfEach);
    first_edge_.reserve(nodes + 1);
}

void Components::AdjacencyList::append(const AdjacencyList& from, size_t begin, size_t end) {
    const std::span first_edges(from.first_edge_);
    const size_t edge = first_edges[begin];
    const size_t end_edge = end < from.nodes() ? first_edges[end] : from.edges_.size();
    if (edges_.size() + (end_edge - edge) > UINT32_MAX) {
        throw std::bad_alloc();
    }
    const auto moved = static_cast<uint32_t>(edges_.size() - edge);  // modulo 2^32
    for (const uint32_t first : first_edges.subspan(begin, end - begin)) {
        first_edge_.push_back(first + moved);
    }
    const auto edges = std::span(from.edges_).subspan(edge, end_edge - edge);
    edges_.insert(edges_.end(), edges.begin(), edges.end());
}

bool Components::AdjacencyList::drop(Deadline& deadline) {
    return drop_large(edges_, deadline) && drop_large(first_edge_, deadline);
}

void Components::AdjacencyList::clear() {
    heap::empty_pages(edges_);
    heap::empty_pages(first_edge_);
}

bool Components::Part::has_all(size_t nodes) const {
    return runs_.empty() ? nodes == 0 : runs_[0].first == 0 && this->nodes() == nodes;
}

// As many runs as come next.
void Components::Part::join_to(AdjacencyList& whole) {
    for (; joined_ < runs_.size() && runs_[joined_].first == whole.nodes(); ++joined_) {
        const size_t end = joined_ + 1 < runs_.size() ? runs_[joined_ + 1].at : nodes();
        whole.append(*this, runs_[joined_].at, end);
    }
}

bool Components::Part::drop(Deadline& deadline) {
    return AdjacencyList::drop(deadline) && drop_large(runs_, deadline);
}

void Components::Part::clear() {
    AdjacencyList::clear();
    heap::empty_pages(runs_);
    joined_ = 0;
}

void Components::reserve(size_t nodes) {
    graph_.reserve(nodes);
    reserve_to_join(nodes);
}

void Components::reserve_to_join(size_t nodes) {
    members_.reserve(nodes);
    bound_of_.reserve(nodes);
    low_.reserve(nodes);
    path_.reserve(nodes);
    open_.reserve(nodes);
}

bool Components::join(std::span<Part> parts, size_t nodes, Deadline& deadline) {
    const auto whole =
        std::ranges::find_if(parts, [nodes](const Part& part) { return part.has_all(nodes); });
    if (whole != parts.end()) {
        std::swap(graph_, static_cast<AdjacencyList&>(*whole));
        whole->clear();
    } else if (graph_.nodes() == 0) {
        graph_.reserve(nodes);
    }
    while (graph_.nodes() < nodes) {
        for (Part& part : parts) {
            part.join_to(graph_);
        }
        if (deadline.has_passed_now()) {
            return graph_.nodes() == nodes;
        }
    }
    return true;
}

// What its edges lead to lies anywhere: to ask for all of it at once takes as long as to wait for one.
void Components::enter(Node node) {
    low_[node] = ++numbered_;
    const uint32_t first = graph_.first_edge_[node];
    const uint32_t end = std::min(first + kPrefetched, graph_.first_edge_[node + 1]);
    for (uint32_t edge = first; edge < end; ++edge) {
        const Node to = graph_.edges_[edge];
        __builtin_prefetch(&low_[to]);
        __builtin_prefetch(&graph_.first_edge_[to]);
    }
    path_.push_back({node, numbered_, first});
}

// All edges of the node at the end of the path have been followed.
void Components::leave() {
    const auto [node, number, edge] = path_.back();
    path_.pop_back();
    const uint32_t low = low_[node];
    if (low != number) {
        open_.push_back(node);
        uint32_t& before = low_[path_.back().node];  // it reaches that of a node before it
        before = std::min(before, low);
        return;
    }
    const uint32_t component = UINT32_MAX - static_cast<uint32_t>(bound_of_.size());
    // What was left after it and reaches no node before it: their numbers are free again.
    uint32_t members = 1;
    for (; !open_.empty() && low_[open_.back()] >= low; ++members) {
        low_[open_.back()] = component;
        open_.pop_back();
    }
    low_[node] = component;
    numbered_ -= members;
    largest_ = std::max(largest_, members);
    bound_of_.push_back((bound_of_.empty() ? 0 : bound_of_.back()) + members);
}

// Follows the path to its end.
bool Components::visit(Deadline& deadline) {
    while (!path_.empty()) {
        if (deadline.has_passed(1)) {
            return false;
        }
        Step& step = path_.back();
        if (step.edge == graph_.first_edge_[step.node + 1]) {
            leave();
            continue;
        }
        const Node to = graph_.edges_[step.edge++];
        if (low_[to] == kNotVisited) {
            enter(to);
        } else {
            low_[step.node] = std::min(low_[step.node], low_[to]);
        }
    }
    return true;
}

// No node has been visited.
bool Components::begin(Deadline& deadline) {
    if (!lengthen(low_, graph_.nodes(), kNotVisited, deadline)) {
        return false;
    }
    graph_.add_node();  // whose first edge is the end of the last one's
    return true;
}

bool Components::form(Deadline& deadline) {
    const auto count = static_cast<Node>(nodes());
    while (visit(deadline)) {
        while (root_ < count && low_[root_] != kNotVisited) {
            ++root_;
        }
        if (root_ == count) {
            return true;
        }
        enter(root_);
    }
    return false;
}

// A counting sort. The nodes come from the last to the first, each before those of its component that came, so that the
// end of each component moves to its beginning.
bool Components::list_members(Deadline& deadline) {
    if (!lengthen(members_, nodes(), Node{0}, deadline)) {
        return false;
    }
    while (listed_ < nodes()) {
        const auto node = static_cast<Node>(nodes() - ++listed_);
        members_[--bound_of_[UINT32_MAX - low_[node]]] = node;
        if (deadline.has_passed(1)) {
            break;
        }
    }
    return listed_ == nodes();
}

bool Components::order(Deadline& deadline) {
    begun_ = begun_ || begin(deadline);
    formed_ = formed_ || (begun_ && form(deadline));
    return formed_ && drop_edges(deadline) && list_members(deadline);
}

bool Components::drop_edges(Deadline& deadline) {
    return graph_.drop(deadline) && drop_shortened(dropping_, deadline, path_, open_);
}

bool Components::drop(Deadline& deadline) {
    return drop_edges(deadline) && drop_large(members_, deadline) &&
           drop_large(bound_of_, deadline) && drop_large(low_, deadline);
}

void Components::clear() {
    graph_.clear();
    heap::empty_pages(members_);
    heap::empty_pages(bound_of_);
    heap::empty_pages(low_);
    heap::empty_pages(path_);
    heap::empty_pages(open_);
    numbered_ = 0;
    largest_ = 0;
    root_ = 0;
    listed_ = 0;
    begun_ = false;
    formed_ = false;
    dropping_ = false;
}

}  // namespace ouro::collector
