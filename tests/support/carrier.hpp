// What a thread of the seeded scheduler is made of: something that runs until it lets go, and is then
// resumed where it was.
//
// A fiber switches in nanoseconds, and shares the thread-local variables of all others. A system thread
// has its own, as the runtime wants; a baton goes back and forth, so that one of them runs at a time.
#pragma once

#include <sched.h>

#include <cstddef>
#include <functional>
#include <memory>

namespace ouro::test {

class Carrier {
public:
    virtual ~Carrier() = default;

    // Returns when the thread has called suspend, or has ended. False: it does neither, because it
    // waits for something that the scheduler does not know.
    virtual bool resume() = 0;
    // By the thread itself: back to who resumed it.
    virtual void suspend() = 0;
    virtual bool finished() const = 0;
};

// On the stack of that index: one fiber at a time uses it.
std::unique_ptr<Carrier> carry_by_fiber(size_t index, std::function<void()> body);

// One that is destroyed before its end stays where it is.
std::unique_ptr<Carrier> carry_by_system_thread(std::function<void()> body);

// While it lives, this thread and those that it makes run on one core: to hand a baton to a thread of
// another core takes ten times as long.
class OneCore {
public:
    OneCore();
    ~OneCore();
    OneCore(const OneCore&) = delete;
    OneCore& operator=(const OneCore&) = delete;

private:
    cpu_set_t before_;
};

}  // namespace ouro::test
