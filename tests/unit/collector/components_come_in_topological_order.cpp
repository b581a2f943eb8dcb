// A graph's components are its strongly connected ones, each node is in one, and an edge between two goes
// from the earlier to the later: for all graphs of up to three nodes, and for random ones beside reachability
// computed naively. A path of a million nodes needs no deep stack.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "core/collector/components.hpp"

namespace ouro::collector {
namespace {

using Edges = std::vector<std::vector<uint32_t>>;

// What a graph was before does not matter.
const Components& ordered(const Edges& edges) {
    static Components graph;
    graph.clear();
    for (const auto& targets : edges) {
        graph.add_node();
        for (const uint32_t to : targets) {
            graph.add_edge(to);
        }
    }
    EXPECT_EQ(graph.nodes(), edges.size());
    Deadline none = Deadline::none();
    (void)graph.order(none);
    return graph;
}

std::vector<std::vector<bool>> reachable(const Edges& edges) {
    const size_t count = edges.size();
    std::vector<std::vector<bool>> reaches(count, std::vector<bool>(count));
    for (size_t i = 0; i < count; ++i) {
        reaches[i][i] = true;
        for (const uint32_t to : edges[i]) {
            reaches[i][to] = true;
        }
    }
    for (size_t k = 0; k < count; ++k) {
        for (size_t i = 0; i < count; ++i) {
            for (size_t j = 0; j < count; ++j) {
                reaches[i][j] = reaches[i][j] || (reaches[i][k] && reaches[k][j]);
            }
        }
    }
    return reaches;
}

void expect_right(const Edges& edges) {
    const Components& graph = ordered(edges);
    const auto reaches = reachable(edges);
    std::vector<size_t> place(edges.size());
    std::set<uint32_t> seen;
    size_t largest = 0;
    for (size_t k = 0; k < graph.size(); ++k) {
        ASSERT_FALSE(graph.members(k).empty());
        ASSERT_TRUE(std::ranges::is_sorted(graph.members(k)));
        largest = std::max(largest, graph.members(k).size());
        for (const uint32_t node : graph.members(k)) {
            ASSERT_TRUE(seen.insert(node).second) << node << " is in two components";
            place[node] = k;
        }
    }
    ASSERT_EQ(seen.size(), edges.size());
    ASSERT_EQ(largest, graph.largest());
    for (uint32_t i = 0; i < edges.size(); ++i) {
        for (uint32_t j = 0; j < edges.size(); ++j) {
            const bool together = reaches[i][j] && reaches[j][i];
            ASSERT_EQ(place[i] == place[j], together) << i << " and " << j;
            ASSERT_EQ(graph.together(i, j), together);
        }
        for (const uint32_t to : edges[i]) {
            ASSERT_LE(place[i], place[to]) << "an edge from " << i << " to " << to;
        }
    }
}

TEST(Components, OfEverySmallGraph) {
    for (uint32_t count = 1; count <= 3; ++count) {
        for (uint32_t matrix = 0; matrix < 1u << (count * count); ++matrix) {
            Edges edges(count);
            for (uint32_t i = 0; i < count; ++i) {
                for (uint32_t j = 0; j < count; ++j) {
                    if ((matrix >> (i * count + j) & 1) != 0) {
                        edges[i].push_back(j);
                    }
                }
            }
            expect_right(edges);
            if (HasFatalFailure()) {
                return;
            }
        }
    }
}

TEST(Components, OfRandomGraphs) {
    std::mt19937 random(1);
    for (int round = 0; round < 300 && !HasFatalFailure(); ++round) {
        Edges edges(1 + random() % 40);
        for (size_t degree = random() % (3 * edges.size()); degree > 0; --degree) {
            edges[random() % edges.size()].push_back(
                static_cast<uint32_t>(random() % edges.size()));  // some twice
        }
        expect_right(edges);
    }
}

// Calls step(deadline), which is over at once, until it is true.
template <class Step>
void in_steps(const Step& step) {
    bool done = false;
    while (!done) {
        Deadline at_once(0);
        done = step(at_once);
    }
}

// Who read which edges, and in which runs, does not matter.
TEST(Components, OfPartsAreThoseOfTheWhole) {
    std::mt19937 random(2);
    for (int round = 0; round < 100 && !HasFatalFailure(); ++round) {
        const auto nodes = static_cast<uint32_t>(random() % 5'000);
        Edges edges(nodes);
        for (size_t degree = random() % (3 * nodes + 1); degree > 0; --degree) {
            edges[random() % nodes].push_back(static_cast<uint32_t>(random() % nodes));
        }
        heap::PageVector<Components::Part> parts(1 + random() % 4);
        for (uint32_t next = 0; next < nodes;) {
            Components::Part& part = parts[random() % parts.size()];
            part.begin_run(next);
            const uint32_t end = std::min(nodes, next + 1 + static_cast<uint32_t>(random() % 600));
            for (; next < end; ++next) {
                part.add_node();
                for (const uint32_t to : edges[next]) {
                    part.add_edge(to);
                }
            }
        }
        const Components& whole = ordered(edges);
        Components joined;
        in_steps([&](Deadline& deadline) { return joined.join(parts, nodes, deadline); });
        ASSERT_EQ(joined.nodes(), nodes);
        in_steps([&](Deadline& deadline) { return joined.order(deadline); });
        ASSERT_EQ(joined.size(), whole.size());
        for (size_t k = 0; k < whole.size(); ++k) {
            ASSERT_TRUE(std::ranges::equal(joined.members(k), whole.members(k)));
            ASSERT_EQ(joined.begin_of(k), whole.begin_of(k));
        }
    }
}

TEST(Components, OfNothing) {
    EXPECT_EQ(ordered({}).size(), 0u);
}

TEST(Components, OfALongPathAndALongRing) {
    constexpr uint32_t kNodes = 1'000'000;
    for (const bool ring : {false, true}) {
        Components graph;
        for (uint32_t i = 0; i < kNodes; ++i) {
            graph.add_node();
            if (i + 1 < kNodes || ring) {
                graph.add_edge((i + 1) % kNodes);
            }
        }
        Deadline none = Deadline::none();
        (void)graph.order(none);
        ASSERT_EQ(graph.size(), ring ? 1 : kNodes);
        EXPECT_EQ(graph.members(0).size(), ring ? kNodes : 1);
        EXPECT_EQ(graph.together(0, 1), ring);
        if (!ring) {
            EXPECT_EQ(graph.members(0)[0], 0u);
            EXPECT_EQ(graph.members(kNodes - 1)[0], kNodes - 1);
        }
    }
}

}  // namespace
}  // namespace ouro::collector
