#include "concurrency/thread/world.hpp"

namespace ouro::thread {

template class BasicWorld<SystemSync>;

}  // namespace ouro::thread
