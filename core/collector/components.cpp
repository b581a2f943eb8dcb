#include "core/collector/components.hpp"

#include <algorithm>

namespace ouro::collector {
namespace {

constexpr uint32_t kOpen = UINT32_MAX;  // in no component yet

}  // namespace

void Components::enter(Node node) {
    number_[node] = low_[node] = ++visited_;
    open_.push_back(node);
    path_.push_back({node, first_edge_[node]});
}

// All edges of the node at the end of the path have been followed.
void Components::leave() {
    const Node node = path_.back().node;
    path_.pop_back();
    if (!path_.empty()) {
        uint32_t& before = low_[path_.back().node];
        before = std::min(before, low_[node]);
    }
    if (low_[node] != number_[node]) {
        return;
    }
    const auto component = static_cast<uint32_t>(end_of_.size());
    Node member;
    do {
        member = open_.back();
        open_.pop_back();
        component_of_[member] = component;
        members_.push_back(member);
    } while (member != node);
    end_of_.push_back(members_.size());
}

void Components::visit_from(Node root) {
    enter(root);
    while (!path_.empty()) {
        Step& step = path_.back();
        if (step.edge == first_edge_[step.node + 1]) {
            leave();
            continue;
        }
        const Node to = edges_[step.edge++];
        if (number_[to] == 0) {
            enter(to);
        } else if (component_of_[to] == kOpen) {
            low_[step.node] = std::min(low_[step.node], number_[to]);
        }
    }
}

void Components::order() {
    const auto count = static_cast<Node>(nodes());
    first_edge_.push_back(edges_.size());
    number_.assign(count, 0);
    low_.assign(count, 0);
    component_of_.assign(count, kOpen);
    members_.reserve(count);
    for (Node node = 0; node < count; ++node) {
        if (number_[node] == 0) {
            visit_from(node);
        }
    }
}

void Components::clear() {
    visited_ = 0;
    heap::empty_pages(edges_);
    heap::empty_pages(first_edge_);
    heap::empty_pages(members_);
    heap::empty_pages(end_of_);
    heap::empty_pages(component_of_);
    heap::empty_pages(path_);
    heap::empty_pages(open_);
    heap::empty_pages(number_);
    heap::empty_pages(low_);
}

}  // namespace ouro::collector
