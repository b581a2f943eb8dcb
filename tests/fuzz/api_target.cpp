// Any bytes are a program on the API (tests/program): it is run and compared with the model.

#include <cstddef>
#include <cstdint>

#include "tests/program/world.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    ouro::program::run(ouro::program::decode({data, size}));
    return 0;
}
