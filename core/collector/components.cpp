#include "core/collector/components.hpp"

#include <algorithm>

namespace ouro::collector {

void Components::reserve(size_t nodes) {
    constexpr size_t edges_of_each = 4;
    edges_.reserve(nodes * edges_of_each);
    first_edge_.reserve(nodes + 1);
    members_.reserve(nodes);
    end_of_.reserve(nodes);
    low_.reserve(nodes);
    path_.reserve(nodes);
    open_.reserve(nodes);
}

void Components::enter(Node node) {
    low_[node] = ++numbered_;
    path_.push_back({node, numbered_, first_edge_[node]});
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
    const uint32_t component = UINT32_MAX - static_cast<uint32_t>(end_of_.size());
    // What was left after it and reaches no node before it: their numbers are free again.
    while (!open_.empty() && low_[open_.back()] >= low) {
        low_[open_.back()] = component;
        members_.push_back(open_.back());
        open_.pop_back();
        --numbered_;
    }
    low_[node] = component;
    members_.push_back(node);
    --numbered_;
    end_of_.push_back(static_cast<uint32_t>(members_.size()));
}

// Follows the path to its end.
bool Components::visit(Deadline& deadline) {
    while (!path_.empty()) {
        if (deadline.has_passed(1)) {
            return false;
        }
        Step& step = path_.back();
        if (step.edge == first_edge_[step.node + 1]) {
            leave();
            continue;
        }
        const Node to = edges_[step.edge++];
        if (low_[to] == kNotVisited) {
            enter(to);
        } else {
            low_[step.node] = std::min(low_[step.node], low_[to]);
        }
    }
    return true;
}

bool Components::form(Deadline& deadline) {
    const auto count = static_cast<Node>(nodes());
    if (first_edge_.size() == count) {
        first_edge_.push_back(static_cast<uint32_t>(edges_.size()));
    }
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

bool Components::order(Deadline& deadline) {
    formed_ = formed_ || form(deadline);
    return formed_ && drop_edges(deadline);
}

bool Components::drop_edges(Deadline& deadline) {
    if (!dropping_) {
        dropping_ = true;
        // They are empty by now, but their pages are there.
        path_.resize(path_.capacity());
        open_.resize(open_.capacity());
    }
    return drop_large(edges_, deadline) && drop_large(first_edge_, deadline) &&
           drop_large(path_, deadline) && drop_large(open_, deadline);
}

bool Components::drop(Deadline& deadline) {
    return drop_edges(deadline) && drop_large(members_, deadline) &&
           drop_large(end_of_, deadline) && drop_large(low_, deadline);
}

void Components::clear() {
    heap::empty_pages(edges_);
    heap::empty_pages(first_edge_);
    heap::empty_pages(members_);
    heap::empty_pages(end_of_);
    heap::empty_pages(low_);
    heap::empty_pages(path_);
    heap::empty_pages(open_);
    numbered_ = 0;
    root_ = 0;
    formed_ = false;
    dropping_ = false;
}

}  // namespace ouro::collector
