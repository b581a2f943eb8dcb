// Counting references inside a heap: the step that every pass of counting consists of, whatever the heap.
//
// The difference of an object is the number of references to it that traversal has found, less its own count: zero, when
// all have been traversed, if and only if every reference to it comes from a traversed object. It is kept in a byte,
// since one pass increments it at random and nothing costs that pass more than the cache lines that it touches. Zero is
// in the middle of the byte's range: a difference that goes down by a count of a few and up again by as many references
// never leaves it, in whatever order that happens. What does is carried, in units of 256.
//
// A pass derives from this and says where the byte of an object is. Key names it: a slot number, an address.
//
//     Key key_of(PyObject* op);              // of any object that a traversal visits
//     void prefetch_near_count(Key key);
//     int8_t& near_count(Key key);
//     void carry(Key key, int32_t units);    // seldom; may not throw
//
// Knows no runtime: PyObject is that of the Python.h that its includer compiles against.
#pragma once

#include <cstdint>

#include "core/collector/delay_ring.hpp"

struct _object;

namespace ouro::collector {

template <class Pass, class Key>
class ReferenceCounter {
protected:
    // A visitproc, whose argument is the pass: one more reference, once its byte has been prefetched.
    static int count_reference(_object* op, void* arg) {
        auto* self = static_cast<Pass*>(arg);
        const Key key = self->key_of(op);
        self->prefetch_near_count(key);
        self->counted_.push(key, [self](Key oldest) { self->add(oldest, 1); });
        return 0;
    }
    void flush_counted() {
        counted_.flush([this](Key key) { add(key, 1); });
    }
    void add(Key key, int32_t difference) {
        int8_t& count = pass().near_count(key);
        const int32_t sum = count + difference;
        const auto near = static_cast<int8_t>(sum);
        count = near;
        if (near != sum) [[unlikely]] {
            pass().carry(key, (sum - near) / 256);
        }
    }

private:
    Pass& pass() { return static_cast<Pass&>(*this); }

    DelayRing<Key, 32> counted_;
};

}  // namespace ouro::collector
