#include "tests/program/shadow.hpp"

#include <fmt/format.h>

#include <utility>

namespace ouro::program {

int Shadow::add(PyObject* op, const Traits& traits, size_t slots) {
    Node node;
    node.op = op;
    node.traits = traits;
    node.slots.assign(slots, kNothing);
    nodes_.push_back(std::move(node));
    living_[op] = size() - 1;
    return size() - 1;
}

int Shadow::find(PyObject* op) const {
    const auto it = living_.find(op);
    return it == living_.end() ? kNothing : it->second;
}

void Shadow::set_slot(int node, size_t slot, int target) {
    int& place = (*this)[node].slots[slot];
    if (place != kNothing) {
        --(*this)[place].incoming;
    }
    place = target;
    if (target != kNothing) {
        ++(*this)[target].incoming;
    }
}

void Shadow::append_slot(int node, int target) {
    (*this)[node].slots.push_back(kNothing);
    set_slot(node, (*this)[node].slots.size() - 1, target);
}

void Shadow::empty(int node) {
    for (size_t slot = 0; slot < (*this)[node].slots.size(); ++slot) {
        set_slot(node, slot, kNothing);
    }
}

void Shadow::move(int node, PyObject* to) {
    living_.erase((*this)[node].op);
    (*this)[node].op = to;
    living_[to] = node;
}

void Shadow::die(int node) {
    empty(node);
    (*this)[node].alive = false;
    (*this)[node].target = kNothing;
    living_.erase((*this)[node].op);
}

int Shadow::references(int node) const {
    const Node& it = (*this)[node];
    return it.incoming + it.held + it.temporary + it.listed;
}

int Shadow::count(int node) const {
    return references(node) + ((*this)[node].pin == Node::Pin::kSure ? 1 : 0);
}

Set Shadow::unreferenced(Set members, bool sure) const {
    Set reached(nodes_.size());
    std::vector<int> pending;
    const auto reach = [&](int node) {
        if (node != kNothing && members[static_cast<size_t>(node)] &&
            !reached[static_cast<size_t>(node)]) {
            reached[static_cast<size_t>(node)] = true;
            pending.push_back(node);
        }
    };
    for (int i = 0; i < size(); ++i) {
        const Node& node = (*this)[i];
        if (!members[static_cast<size_t>(i)]) {
            for (const int target : node.slots) {
                reach(target);
            }
        } else if (node.held + node.temporary + node.listed > 0 || (sure && node.uncertain > 0)) {
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
    for (size_t i = 0; i < members.size(); ++i) {
        members[i] = members[i] && !reached[i];
    }
    return members;
}

Set Shadow::garbage(unsigned generation, bool sure) const {
    Set members(nodes_.size());
    for (int i = 0; i < size(); ++i) {
        const Node& node = (*this)[i];
        const bool in_scope =
            generation == 2 ||
            (node.age == Age::kUnknown ? !sure : static_cast<unsigned>(node.age) <= generation);
        // What nothing refers to is dying.
        members[static_cast<size_t>(i)] =
            node.alive && node.tracked && in_scope && references(i) > 0;
    }
    return unreferenced(std::move(members), sure);
}

Set Shadow::still_condemned(bool sure) const {
    Set members(nodes_.size());
    for (int i = 0; i < size(); ++i) {
        members[static_cast<size_t>(i)] = (*this)[i].condemned && (*this)[i].tracked;
    }
    return unreferenced(std::move(members), sure);
}

Set Shadow::reached_from_del(const Set& set) const {
    Set kept(nodes_.size());
    std::vector<int> pending;
    const auto keep = [&](int node) {
        if (node != kNothing && set[static_cast<size_t>(node)] &&
            !kept[static_cast<size_t>(node)]) {
            kept[static_cast<size_t>(node)] = true;
            pending.push_back(node);
        }
    };
    for (int i = 0; i < size(); ++i) {
        if ((*this)[i].traits.del) {
            keep(i);
        }
    }
    while (!pending.empty()) {
        const int node = pending.back();
        pending.pop_back();
        for (const int target : (*this)[node].slots) {
            keep(target);
        }
    }
    return kept;
}

std::string Shadow::describe(int number) const {
    const Node& node = (*this)[number];
    std::string text = fmt::format(
        "o{}: held {}, temporarily {}, listed {}, uncertain {}, age {}{}{}{}; referred to by",
        number, node.held, node.temporary, node.listed, node.uncertain, static_cast<int>(node.age),
        node.tracked ? "" : ", untracked", node.finalized ? ", finalized" : "",
        node.condemned ? ", condemned" : "");
    for (int i = 0; i < size(); ++i) {
        for (size_t slot = 0; slot < (*this)[i].slots.size(); ++slot) {
            if ((*this)[i].slots[slot] == number) {
                text += fmt::format(" o{}[{}]", i, slot);
            }
        }
    }
    return text;
}

}  // namespace ouro::program
