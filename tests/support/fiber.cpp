#include "tests/support/fiber.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <boost/context/detail/fcontext.hpp>
#include <cassert>
#include <exception>
#include <new>
#include <utility>

#if defined(__SANITIZE_THREAD__)
#define OURO_FIBER_TSAN 1
#elif defined(__has_feature)
#define OURO_FIBER_TSAN __has_feature(thread_sanitizer)
#else
#define OURO_FIBER_TSAN 0
#endif
#if defined(__SANITIZE_ADDRESS__)
#define OURO_FIBER_ASAN 1
#elif defined(__has_feature)
#define OURO_FIBER_ASAN __has_feature(address_sanitizer)
#else
#define OURO_FIBER_ASAN 0
#endif

#if OURO_FIBER_TSAN
#include <sanitizer/tsan_interface.h>
#endif
#if OURO_FIBER_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace ouro::fiber {

namespace context = boost::context::detail;

Stack::Stack(size_t bytes) {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    bytes_ = (bytes + page - 1) / page * page;
    mapping_ = mmap(nullptr, bytes_ + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping_ == MAP_FAILED) {
        throw std::bad_alloc();
    }
    bottom_ = static_cast<char*>(mapping_) + page;
    if (mprotect(bottom_, bytes_, PROT_READ | PROT_WRITE) != 0) {
        munmap(mapping_, bytes_ + page);
        throw std::bad_alloc();
    }
}

Stack::~Stack() {
    const size_t guard =
        static_cast<size_t>(static_cast<char*>(bottom_) - static_cast<char*>(mapping_));
    munmap(mapping_, bytes_ + guard);
}

// All switches go through here, so all are announced.
struct Fiber::Switch {
    // The first thing on a fiber's stack.
    static void enter(context::transfer_t from) {
        Fiber& self = *static_cast<Fiber*>(from.data);
        self.resumer_context_ = from.fctx;
        finish_into_fiber(self);
        self.run();
        self.finished_ = true;
        leave(self);
        std::terminate();  // resumed after its end
    }

    static void into(Fiber& self) {
#if OURO_FIBER_TSAN
        self.sanitizer_resumer_ = __tsan_get_current_fiber();
        __tsan_switch_to_fiber(self.sanitizer_fiber_, 0);
#endif
#if OURO_FIBER_ASAN
        void* fake = nullptr;
        __sanitizer_start_switch_fiber(&fake, self.stack_.bottom(), self.stack_.bytes());
#endif
        const context::transfer_t back = context::jump_fcontext(self.context_, &self);
        self.context_ = back.fctx;
#if OURO_FIBER_ASAN
        __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
    }

    static void finish_into_fiber([[maybe_unused]] Fiber& self) {
#if OURO_FIBER_ASAN
        __sanitizer_finish_switch_fiber(self.fake_stack_, &self.resumer_bottom_,
                                        &self.resumer_bytes_);
#endif
    }

    static void leave(Fiber& self) {
#if OURO_FIBER_TSAN
        __tsan_switch_to_fiber(self.sanitizer_resumer_, 0);
#endif
#if OURO_FIBER_ASAN
        // Null: this stack is done, and its fake stack with it.
        __sanitizer_start_switch_fiber(self.finished_ ? nullptr : &self.fake_stack_,
                                       self.resumer_bottom_, self.resumer_bytes_);
#endif
        const context::transfer_t from = context::jump_fcontext(self.resumer_context_, nullptr);
        self.resumer_context_ = from.fctx;
        finish_into_fiber(self);
    }
};

Fiber::Fiber(Stack& stack, std::function<void(Fiber&)> function)
    : stack_(stack), function_(std::move(function)) {
#if OURO_FIBER_ASAN
    // What an earlier fiber left behind on this stack.
    ASAN_UNPOISON_MEMORY_REGION(stack_.bottom(), stack_.bytes());
#endif
    context_ = context::make_fcontext(stack_.top(), stack_.bytes(), &Switch::enter);
#if OURO_FIBER_TSAN
    sanitizer_fiber_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
    assert(!running_);
#if OURO_FIBER_TSAN
    __tsan_destroy_fiber(sanitizer_fiber_);
#endif
}

void Fiber::run() {
    try {
        function_(*this);
    } catch (...) {
        std::terminate();
    }
}

void Fiber::resume() {
    assert(!running_ && !finished_);
    running_ = true;
    Switch::into(*this);
    running_ = false;
}

void Fiber::suspend() {
    assert(running_);
    Switch::leave(*this);
}

}  // namespace ouro::fiber
