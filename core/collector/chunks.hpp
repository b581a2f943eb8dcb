// Several passes over many objects, made over so few at a time that the cache holds them from one pass to the next.
#pragma once

#include <algorithm>
#include <cstddef>

namespace ouro::collector {

// Calls work(first, how many) for all of so many, as long as that is true; whether it always was.
template <class Work>
bool by_chunks(size_t size, const Work& work) {
    constexpr size_t kChunk = 256;
    bool goes_on = true;
    for (size_t from = 0; from < size && goes_on; from += kChunk) {
        goes_on = work(from, std::min(kChunk, size - from));
    }
    return goes_on;
}

}  // namespace ouro::collector
