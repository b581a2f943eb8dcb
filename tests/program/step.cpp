#include "tests/program/step.hpp"

#include <algorithm>
#include <array>

namespace ouro::program {
namespace {

constexpr size_t kStepBytes = 5;
constexpr auto kWhats = static_cast<uint8_t>(What::kCount_);
// The first byte of a step has the procedure in its upper two bits.
constexpr unsigned kWhatBits = 6;
static_assert(kWhats <= 1 << kWhatBits && kProcedures <= 1 << (8 - kWhatBits));

enum : uint8_t { kAtomic = 1, kNoGenerations = 2, kNoVerify = 4 };
// The engine's number in the byte of settings.
constexpr unsigned kEngineShift = 3;
constexpr auto kEngines = static_cast<uint8_t>(Engine::kCount_);

}  // namespace

const char* text_of(What what) {
    constexpr const char* kTexts[] = {
#define X(name, text) text,
        OURO_PROGRAM_STEPS(X)
#undef X
    };
    return kTexts[static_cast<size_t>(what)];
}

const char* text_of(Engine engine) {
    constexpr const char* kTexts[] = {
#define X(name, text) text,
        OURO_PROGRAM_ENGINES(X)
#undef X
    };
    return kTexts[static_cast<size_t>(engine)];
}

Program decode(std::span<const uint8_t> bytes) {
    Program program;
    if (bytes.empty()) {
        return program;
    }
    program.settings = {.atomic = (bytes[0] & kAtomic) != 0,
                        .engine = static_cast<Engine>((bytes[0] >> kEngineShift) % kEngines),
                        .generations = (bytes[0] & kNoGenerations) == 0,
                        .verify = (bytes[0] & kNoVerify) == 0};
    bytes = bytes.subspan(1);
    while (!bytes.empty()) {
        std::array<uint8_t, kStepBytes> step{};
        const size_t size = std::min(bytes.size(), kStepBytes);
        std::copy_n(bytes.begin(), size, step.begin());
        bytes = bytes.subspan(size);
        const auto what = static_cast<uint8_t>(step[0] & ((1 << kWhatBits) - 1));
        program.steps.push_back({.procedure = static_cast<uint8_t>(step[0] >> kWhatBits),
                                 .what = static_cast<What>(what % kWhats),
                                 .a = step[1],
                                 .i = step[2],
                                 .b = step[3],
                                 .j = step[4]});
    }
    return program;
}

std::vector<uint8_t> encode(const Program& program) {
    std::vector<uint8_t> bytes;
    bytes.push_back(
        static_cast<uint8_t>((program.settings.atomic ? kAtomic : 0) |
                             static_cast<uint8_t>(program.settings.engine) << kEngineShift |
                             (program.settings.generations ? 0 : kNoGenerations) |
                             (program.settings.verify ? 0 : kNoVerify)));
    for (const Step& step : program.steps) {
        const auto first =
            static_cast<uint8_t>(step.procedure << kWhatBits | static_cast<uint8_t>(step.what));
        bytes.insert(bytes.end(), {first, step.a, step.i, step.b, step.j});
    }
    return bytes;
}

}  // namespace ouro::program
