// Changes programs as programs: steps are put in, taken out, repeated, moved to a procedure; an
// operand changes by a little or wholly. Half of the time the bytes are left to libFuzzer.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "tests/program/step.hpp"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace ouro::program {
namespace {

class Mutation {
public:
    Mutation(std::vector<Step>& steps, unsigned seed) : steps_(steps), random_(seed) {}

    void run() {
        for (size_t times = 1 + below(4); times > 0; --times) {
            once();
        }
    }

private:
    size_t below(size_t bound) { return random_() % bound; }
    uint8_t byte() { return static_cast<uint8_t>(random_()); }
    auto at(size_t place) { return steps_.begin() + static_cast<std::ptrdiff_t>(place); }

    Step new_step() {
        // One in four is for a procedure.
        const size_t procedure = below(4 * (kProcedures - 1));
        Step step{.procedure = static_cast<uint8_t>(procedure < kProcedures ? procedure : 0),
                  .what = static_cast<What>(below(static_cast<size_t>(What::kCount_))),
                  .a = byte(),
                  .i = byte(),
                  .b = byte(),
                  .j = byte()};
        // Programs need objects and links before the rest is of interest.
        if (below(4) == 0) {
            step.what = below(2) == 0 ? What::kNewBox : What::kLink;
        }
        // Small operands name the objects that there are.
        if (step.what != What::kNewBox && below(2) == 0) {
            step.a %= 4;
            step.i %= 4;
            step.b %= 4;
            step.j %= 4;
        }
        return step;
    }

    void once() {
        if (steps_.empty() || below(3) == 0) {
            steps_.insert(at(below(steps_.size() + 1)), new_step());
            return;
        }
        const size_t place = below(steps_.size());
        Step& step = steps_[place];
        switch (below(7)) {
            case 0:
                steps_.erase(at(place));
                return;
            case 1: {
                const Step copy = step;
                steps_.insert(at(below(steps_.size() + 1)), copy);
                return;
            }
            case 2:
                std::swap(step, steps_[below(steps_.size())]);
                return;
            case 3:
                step.what = new_step().what;
                return;
            case 4:
                step.procedure = static_cast<uint8_t>(below(kProcedures));
                return;
            default: {
                uint8_t* operands[] = {&step.a, &step.i, &step.b, &step.j};
                uint8_t& operand = *operands[below(4)];
                switch (below(3)) {
                    case 0:
                        operand = byte();
                        return;
                    case 1:
                        operand = static_cast<uint8_t>(operand ^ 1u << below(8));
                        return;
                    default:
                        operand = static_cast<uint8_t>(below(4));
                        return;
                }
            }
        }
    }

    std::vector<Step>& steps_;
    std::minstd_rand random_;
};

}  // namespace
}  // namespace ouro::program

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
    using namespace ouro::program;
    if (seed % 2 == 0) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    constexpr auto kEngines = static_cast<unsigned>(Engine::kCount_);
    Program program = decode({data, size});
    Mutation(program.steps, seed / 2).run();
    if (seed % 32 == 1) {
        program.settings = {.atomic = (seed & 64) != 0,
                            .engine = static_cast<Engine>(seed / 512 % kEngines),
                            .generations = (seed & 128) != 0,
                            .verify = (seed & 256) != 0};
    }
    const std::vector<uint8_t> bytes = encode(program);
    const size_t copied = std::min(bytes.size(), max_size);
    std::copy_n(bytes.begin(), copied, data);
    return copied;
}
