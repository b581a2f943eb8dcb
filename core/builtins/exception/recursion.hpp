// How deep calls nest on this thread, as Py_EnterRecursiveCall counts it, where the call itself is what is hot.
#pragma once

#include <atomic>

namespace ouro::exception {

extern std::atomic<int> most_nested_calls;
extern constinit thread_local int nested_calls __attribute__((tls_model("initial-exec")));

// The RecursionError of a call that would be nested too deep.
[[gnu::cold, gnu::noinline]] void refuse_nested_call(const char* where);

// Py_EnterRecursiveCall: whether there may be one more of them, which is counted; else a RecursionError.
inline bool enter_nested_call(const char* where) {
    if (nested_calls < most_nested_calls.load(std::memory_order_relaxed)) [[likely]] {
        ++nested_calls;
        return true;
    }
    refuse_nested_call(where);
    return false;
}

// One more of them as long as it lives. False, with a RecursionError, where that would be too many.
class NestedCall {
public:
    explicit NestedCall(const char* where = " while calling a Python object")
        : counted_(enter_nested_call(where)) {}
    ~NestedCall() { nested_calls -= counted_ ? 1 : 0; }
    NestedCall(const NestedCall&) = delete;
    NestedCall& operator=(const NestedCall&) = delete;
    explicit operator bool() const { return counted_; }

private:
    const bool counted_;
};

}  // namespace ouro::exception
