// Random programs on the API (tests/program): objects that are linked, unlinked, moved from place to
// place without a change of any count, untracked, dropped, collected in every scope; finalizers,
// callbacks and clears that do any of this themselves. After every step and every collection the
// library and the naive model agree: the same objects are condemned and die, finalizers and callbacks
// run the same number of times, every count is the same. A failure is shrunk and printed in words.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "tests/program/worker.hpp"
#include "tests/support/scale.hpp"

namespace ouro::program {

void showValue(const Step& step, std::ostream& out) {
    out << '{' << (step.procedure == 0 ? "" : "procedure " + std::to_string(step.procedure) + ": ")
        << text_of(step.what) << "; a " << int{step.a} << " i " << int{step.i} << " b "
        << int{step.b} << " j " << int{step.j} << '}';
}

namespace {

using Weights = std::initializer_list<std::pair<size_t, What>>;

// Graphs, and collections of them: nothing runs user code.
const Weights kGraphs = {
    {8, What::kNewBox},   {2, What::kNewList},  {1, What::kNewTuple}, {1, What::kNewDict},
    {1, What::kNewChain}, {9, What::kLink},     {1, What::kUnlink},   {1, What::kAppend},
    {1, What::kTake},     {2, What::kTakeOut},  {2, What::kPutIn},    {2, What::kMove},
    {1, What::kSwap},     {9, What::kDrop},     {1, What::kTrack},    {1, What::kUntrack},
    {1, What::kCollect},  {2, What::kPressure},
};
// All there is.
const Weights kEverything = {
    {12, What::kNewBox},  {2, What::kNewList},       {1, What::kNewTuple},
    {1, What::kNewDict},  {1, What::kNewChain},      {12, What::kLink},
    {2, What::kUnlink},   {1, What::kAppend},        {2, What::kTake},
    {2, What::kTakeOut},  {2, What::kPutIn},         {2, What::kMove},
    {1, What::kSwap},     {1, What::kClear},         {2, What::kHold},
    {10, What::kDrop},    {1, What::kDropWithError}, {1, What::kTrack},
    {1, What::kUntrack},  {3, What::kWeakReference}, {12, What::kWeakCallback},
    {4, What::kUseWeak},  {1, What::kCollect},       {1, What::kCollectWithError},
    {1, What::kPressure}, {1, What::kDisable},       {2, What::kEnable},
    {2, What::kResize},   {1, What::kVisit},         {1, What::kFinalize},
    {1, What::kRaise},
};

// What finalizers, callbacks and clears do.
const Weights kCode = {
    {2, What::kNewBox},  {1, What::kNewList}, {1, What::kNewChain},      {4, What::kLink},
    {1, What::kUnlink},  {3, What::kTake},    {3, What::kTakeOut},       {2, What::kPutIn},
    {2, What::kMove},    {1, What::kClear},   {6, What::kHold},          {3, What::kDrop},
    {1, What::kTrack},   {2, What::kUntrack}, {2, What::kWeakReference}, {3, What::kWeakCallback},
    {2, What::kUseWeak}, {2, What::kCollect}, {1, What::kPressure},      {1, What::kDisable},
    {1, What::kEnable},  {2, What::kResize},  {1, What::kVisit},         {1, What::kFinalize},
    {2, What::kRaise},
};

rc::Gen<Step> step_of(const rc::Gen<uint8_t>& procedure, Weights whats) {
    const auto operand = rc::gen::map(rc::gen::inRange(0, 256),
                                      [](int number) { return static_cast<uint8_t>(number); });
    return rc::gen::build<Step>(rc::gen::set(&Step::procedure, procedure),
                                rc::gen::set(&Step::what, rc::gen::weightedElement(whats)),
                                rc::gen::set(&Step::a, operand), rc::gen::set(&Step::i, operand),
                                rc::gen::set(&Step::b, operand), rc::gen::set(&Step::j, operand));
}

rc::Gen<std::vector<Step>> programs(const rc::Gen<Step>& step) {
    return rc::gen::scale(2.0, rc::gen::container<std::vector<Step>>(step));
}

rc::Gen<std::vector<Step>> graphs() {
    return programs(step_of(rc::gen::just(uint8_t{0}), kGraphs));
}

rc::Gen<std::vector<Step>> everything() {
    const auto procedure = rc::gen::map(rc::gen::inRange(1, kProcedures),
                                        [](int number) { return static_cast<uint8_t>(number); });
    return programs(rc::gen::weightedOneOf<Step>(
        {{6, step_of(rc::gen::just(uint8_t{0}), kEverything)}, {1, step_of(procedure, kCode)}}));
}

// So many rings without code of their own, dropped at once, that some are reclaimed before all are tested; then any program.
rc::Gen<std::vector<Step>> many_objects() {
    const auto length = rc::gen::map(rc::gen::inRange(95, 115),
                                     [](int number) { return static_cast<uint8_t>(number); });
    const auto ring = rc::gen::build<Step>(
        rc::gen::set(&Step::what, rc::gen::just(What::kNewChain)), rc::gen::set(&Step::a, length),
        rc::gen::set(&Step::i, rc::gen::element<uint8_t>(0, 1)),
        rc::gen::set(&Step::j, rc::gen::just(uint8_t{3})));
    return rc::gen::map(rc::gen::pair(rc::gen::container<std::vector<Step>>(4, ring), everything()),
                        [](auto parts) {
                            parts.first.insert(parts.first.end(), parts.second.begin(),
                                               parts.second.end());
                            return std::move(parts.first);
                        });
}

class RandomPrograms : public testing::TestWithParam<bool> {
protected:
    static void SetUpTestSuite() {
        // RC_PARAMS, if somebody set it (to repeat a failure, say), goes before.
        const std::string parameters = "seed=" + std::to_string(test::seed()) +
                                       " max_success=" + std::to_string(test::scaled(800, 50));
        ::setenv("RC_PARAMS", parameters.c_str(), 0);
    }

    Counts run_one(const Program& program) {
        const std::optional<Counts> counts = worker_.run(program);
        if (!counts) {
            RC_FAIL(worker_.report());
        }
        all_.add(*counts);
        return *counts;
    }

    // Runs it under each count policy and engine.
    std::vector<Counts> run_all(std::vector<Step> steps, bool verify) {
        Program program{{.generations = GetParam(), .verify = verify}, std::move(steps)};
        std::vector<Counts> counts = {run_one(program)};
        program.settings.atomic = true;
        counts.push_back(run_one(program));
        program.settings.atomic = false;
        for (const Engine engine : {Engine::kParallel, Engine::kConcurrentSync,
                                    Engine::kSnapshotSync, Engine::kIncremental, Engine::kLocal}) {
            program.settings.engine = engine;
            counts.push_back(run_one(program));
        }
        return counts;
    }

    void print_counts() const {
#define X(name, text) std::printf("%s %zu, ", #name, all_.name);
        OURO_PROGRAM_COUNTS(X)
#undef X
        std::printf("\n");
    }

    Counts all_;

private:
    Worker worker_;
};

TEST_P(RandomPrograms, OfGraphsFreeWhatANaiveModelFrees) {
    ASSERT_TRUE(rc::check("graphs", [this] {
        const auto counts = run_all(*graphs(), *rc::gen::arbitrary<bool>());
        // Without code of its own nothing depends on the order in which objects die.
        RC_ASSERT(counts[0] == counts[1]);
        RC_ASSERT(counts[0] == counts[2]);
        RC_ASSERT(counts[3] == counts[4]);  // engines under which the young grow old at once
    }));
    print_counts();
    EXPECT_GT(all_.condemned, 0u);
    EXPECT_GT(all_.deallocated, 0u);
    EXPECT_GT(all_.uncollectable, 0u);
    EXPECT_GT(all_.moved, 0u);
    EXPECT_EQ(all_.condemned_young > 0, GetParam());
    EXPECT_EQ(all_.middle > 0, GetParam());
    EXPECT_EQ(all_.left_out > 0, GetParam());
    EXPECT_GT(all_.condemned_local, 0u);
}

TEST_P(RandomPrograms, OfAllThereIsFreeWhatANaiveModelFrees) {
    ASSERT_TRUE(
        rc::check("everything", [this] { run_all(*everything(), *rc::gen::arbitrary<bool>()); }));
    print_counts();
    EXPECT_GT(all_.condemned, 0u);
    EXPECT_GT(all_.resurrected, 0u);
    EXPECT_GT(all_.uncollectable, 0u);
    EXPECT_GT(all_.finalized, 0u);
    EXPECT_GT(all_.called_back, 0u);
    EXPECT_GT(all_.cleared, 0u);
    EXPECT_GT(all_.weak_killed, 0u);
    EXPECT_GT(all_.revived_dying, 0u);
    EXPECT_GT(all_.resized, 0u);
    EXPECT_GT(all_.visited, 0u);
    EXPECT_GT(all_.raised, 0u);
    EXPECT_GT(all_.upgraded, 0u);
}

TEST_P(RandomPrograms, OfManyObjectsFreeWhatANaiveModelFrees) {
    ASSERT_TRUE(rc::check("many objects",
                          [this] { run_all(*many_objects(), *rc::gen::arbitrary<bool>()); }));
    print_counts();
    EXPECT_GT(all_.reclaimed_early, 0u);
}

INSTANTIATE_TEST_SUITE_P(Generations, RandomPrograms, testing::Bool(),
                         [](const auto& on) { return std::string(on.param ? "on" : "off"); });

}  // namespace
}  // namespace ouro::program
