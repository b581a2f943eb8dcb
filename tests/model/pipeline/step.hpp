// What one step was, for the words of a counter-example.
#pragma once

#include "tests/model/pipeline/state.hpp"

namespace ouro::model::pipeline {

enum class Act : uint8_t {
    kNone,
    // a thread's, or user code's on the collector's thread
    kLoad,
    kStore,
    kDropField,
    kMoveOut,
    kMoveIn,
    kSwap,
    kDrop,
    kPublish,
    kAllocate,
    kAllocateWeak,
    kMakeWeak,
    kUpgradeWeak,
    kUpgradeObject,
    kReadRaw,
    kCopyRaw,
    kTryIncref,
    // the collector's
    kReadCount,
    kReadField,
    kTestComponent,
    kTestEnds,
    kClearWeak,
    kDropCallback,
    kCallBack,
    kFinalize,
    kLetGo,
    kReturn,
    kReadAnew,
    kTestAnew,
    kClear,
    kRelease
};

struct Step {
    Act act = Act::kNone;
    uint8_t agent = 0;
    uint8_t object = kNull;
    uint8_t field = 0;
    uint8_t other = kNull;
    uint8_t set = 0;  // of objects: the component of a test
};

}  // namespace ouro::model::pipeline
