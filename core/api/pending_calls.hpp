// The queue of pending calls, when the process forks and when the runtime ends.
#pragma once

namespace ouro::api {

// Over a fork.
void lock_pending_calls();
void unlock_pending_calls();

// Calls those that are there; what they add is forgotten. By the thread that ends the runtime, which runs alone.
void finish_pending_calls();

}  // namespace ouro::api
