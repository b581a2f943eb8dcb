#include "core/collector/components.hpp"

#include <algorithm>

namespace ouro::collector {
namespace {

constexpr size_t kEdgesOfEach = 4;

}  // namespace

void Components::Part::reserve(size_t nodes) {
    edges_.reserve(nodes * kEdgesOfEach);
    first_edge_.reserve(nodes + 1);
}

bool Components::Part::has_all(size_t nodes) const {
    return runs_.empty() ? nodes == 0 : runs_[0].first == 0 && first_edge_.size() == nodes;
}

bool Components::Part::drop(Deadline& deadline) {
    return drop_large(edges_, deadline) && drop_large(first_edge_, deadline) &&
           drop_large(runs_, deadline);
}

void Components::Part::clear() {
    heap::empty_pages(edges_);
    heap::empty_pages(first_edge_);
    heap::empty_pages(runs_);
    joined_ = 0;
}

void Components::reserve(size_t nodes) {
    edges_.reserve(nodes * kEdgesOfEach);
    first_edge_.reserve(nodes + 1);
    reserve_to_join(nodes);
}

void Components::reserve_to_join(size_t nodes) {
    members_.reserve(nodes);
    end_of_.reserve(nodes);
    low_.reserve(nodes);
    path_.reserve(nodes);
    open_.reserve(nodes);
}

void Components::append(const Part& part, size_t run) {
    const std::span first_edges(part.first_edge_);
    const size_t begin = part.runs_[run].at;
    const size_t end = run + 1 < part.runs_.size() ? part.runs_[run + 1].at : first_edges.size();
    const size_t edge = first_edges[begin];
    const size_t end_edge = end < first_edges.size() ? first_edges[end] : part.edges_.size();
    if (edges_.size() + (end_edge - edge) > UINT32_MAX) {
        throw std::bad_alloc();
    }
    const auto moved = static_cast<uint32_t>(edges_.size() - edge);  // modulo 2^32
    for (const uint32_t first : first_edges.subspan(begin, end - begin)) {
        first_edge_.push_back(first + moved);
    }
    const auto edges = std::span(part.edges_).subspan(edge, end_edge - edge);
    edges_.insert(edges_.end(), edges.begin(), edges.end());
}

bool Components::join(std::span<Part> parts, size_t nodes, Deadline& deadline) {
    constexpr size_t kStep = 64 << 10;
    const auto whole =
        std::ranges::find_if(parts, [nodes](const Part& part) { return part.has_all(nodes); });
    if (whole != parts.end()) {
        edges_.swap(whole->edges_);
        first_edge_.swap(whole->first_edge_);
        whole->clear();
    } else if (first_edge_.empty()) {
        edges_.reserve(nodes * kEdgesOfEach);
        first_edge_.reserve(nodes + 1);
    }
    while (first_edge_.size() < nodes) {
        for (Part& part : parts) {
            for (; part.joined_ < part.runs_.size() &&
                   part.runs_[part.joined_].first == first_edge_.size();
                 ++part.joined_) {
                append(part, part.joined_);
            }
        }
        if (deadline.has_passed_now()) {
            return false;
        }
    }
    while (low_.size() < nodes) {
        low_.resize(std::min(low_.size() + kStep, nodes), kNotVisited);
        if (deadline.has_passed_now()) {
            return low_.size() == nodes;
        }
    }
    return true;
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
