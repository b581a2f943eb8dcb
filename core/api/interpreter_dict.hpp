// What C code keeps for the whole runtime: PyInterpreterState_GetDict.
#pragma once

namespace ouro::api {

// At the end of the runtime.
void drop_interpreter_dict();

}  // namespace ouro::api
