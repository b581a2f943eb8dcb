// A function on a stack of its own that can stop in the middle and go on later.
//
// What: resume() runs the function until it calls suspend() or returns. Boost.Context switches the
// stacks; the thread and address sanitizers are told, so that both work.
//
// When: work that must stop inside somebody else's call, as a traversal in its visitor; threads that a
// test runs one at a time.
//
// When not: to wait for something. A fiber that blocks blocks its thread.
//
//     Stack stack;
//     Fiber fiber(stack, [](Fiber& self) {
//         for (int i = 0; i < 3; ++i) {
//             self.suspend();
//         }
//     });
//     while (!fiber.finished()) {
//         fiber.resume();
//     }
//
// A suspended fiber may be resumed by another thread, if the two are ordered by something else (a lock,
// a join); thread-local variables are then another thread's, so code must not hold their address over
// a suspension.
//
// A fiber destroyed while it is suspended is dropped: nothing on its stack is destroyed. What it owns
// it must own elsewhere.
//
// Cost: resume and suspend about 15 ns together; a Stack two system calls, so reuse it.
#pragma once

#include <cstddef>
#include <functional>

namespace ouro::fiber {

// Memory for a stack with a page below it that faults. Throws std::bad_alloc.
class Stack {
public:
    explicit Stack(size_t bytes = size_t{256} << 10);
    ~Stack();
    Stack(const Stack&) = delete;
    Stack& operator=(const Stack&) = delete;

    void* bottom() const { return bottom_; }
    void* top() const { return static_cast<char*>(bottom_) + bytes_; }
    size_t bytes() const { return bytes_; }

private:
    void* mapping_;
    void* bottom_;
    size_t bytes_;
};

class Fiber {
public:
    // Nothing runs yet. The stack must outlive the fiber and serves one at a time. An exception that
    // leaves `function` ends the program.
    Fiber(Stack& stack, std::function<void(Fiber&)> function);
    ~Fiber();
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    // Runs until the next suspend() or the end. Not from within, and not after the end
    // (asserted).
    void resume();

    // Called on this fiber's stack: back to who resumed it.
    void suspend();

    bool finished() const { return finished_; }
    bool running() const { return running_; }

private:
    struct Switch;  // what the sanitizers need, and Boost.Context's calls

    void run();

    Stack& stack_;
    std::function<void(Fiber&)> function_;
    void* context_ = nullptr;          // of the fiber while it is suspended
    void* resumer_context_ = nullptr;  // of who resumed it, while it runs
    void* sanitizer_fiber_ = nullptr;  // the thread sanitizer's
    void* sanitizer_resumer_ = nullptr;
    void* fake_stack_ = nullptr;  // the address sanitizer's
    const void* resumer_bottom_ = nullptr;
    size_t resumer_bytes_ = 0;
    bool running_ = false;
    bool finished_ = false;
};

}  // namespace ouro::fiber
