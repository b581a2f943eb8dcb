// Who keeps what is found may run out of memory: then nothing is asked for any more, whatever was. What is asked for
// after that is looked up alone.

#include <gtest/gtest.h>

#include <new>

#include "core/collector/numbering.hpp"
#include "tests/support/heap_test.hpp"

namespace ouro::collector {
namespace {

class LookupsTest : public test::HeapTest {};

TEST_F(LookupsTest, ReferencesThatCannotBeKeptAreNotLookedUpAgain) {
    const Candidates set;
    const Numbering numbers(set, true);
    Lookups lookups;
    const auto look_up = [&](const auto& found) {
        lookups.look_up(
            numbers, [](uint32_t) {}, found);
    };
    size_t asked = 0;
    const auto fails = [&] { look_up([](const PyObject*, uint32_t) { throw std::bad_alloc(); }); };
    const auto ask_until_full = [&] {
        for (;; ++asked) {
            lookups.ask(nullptr, fails);
        }
    };
    EXPECT_THROW(ask_until_full(), std::bad_alloc);
    EXPECT_GT(asked, 1U);
    const size_t before_it_was_full = asked;
    asked = 0;
    EXPECT_THROW(ask_until_full(), std::bad_alloc);
    EXPECT_EQ(asked, before_it_was_full);
    lookups.ask(nullptr, fails);
    size_t found = 0;
    look_up([&found](const PyObject*, uint32_t number) {
        EXPECT_EQ(number, 0U);
        ++found;
    });
    EXPECT_EQ(found, 1U);
}

}  // namespace
}  // namespace ouro::collector
