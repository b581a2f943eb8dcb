// What runs.
#include "core/include/Python.h"

const unsigned long Py_Version = PY_VERSION_HEX;

const char* Py_GetVersion(void) {
    return PY_VERSION " (Ouroboros)";
}

const char* Py_GetPlatform(void) {
    return "linux";
}

const char* Py_GetCompiler(void) {
    return "[C++ " __VERSION__ "]";
}

const char* Py_GetBuildInfo(void) {
    return "Ouroboros";
}

const char* Py_GetCopyright(void) {
    return "Ouroboros: MIT licence.";
}
