// What the room does about forks of the process.
#pragma once

namespace ouro::api {

// From now on each fork is prepared for, and its child repaired. Fatal error without memory.
void watch_forks();

// In the child: if another thread had begun to end the runtime, nobody has.
void forget_other_end();

}  // namespace ouro::api
