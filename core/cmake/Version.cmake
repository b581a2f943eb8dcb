# ouroboros/version.h: the version and the commit. The commit is asked for by every build and the
# header rewritten only if it changed, so that it is true and costs nothing.

set(OURO_GENERATED ${CMAKE_BINARY_DIR}/generated)
set(OURO_GENERATED_PUBLIC ${OURO_GENERATED}/public)
set(version_header ${OURO_GENERATED_PUBLIC}/ouroboros/version.h)

add_custom_target(ouro_version
    COMMAND ${CMAKE_COMMAND}
        -D SOURCE=${CMAKE_SOURCE_DIR} -D TEMPLATE=${CMAKE_CURRENT_LIST_DIR}/version.h.in
        -D HEADER=${version_header}
        -D MAJOR=${PROJECT_VERSION_MAJOR} -D MINOR=${PROJECT_VERSION_MINOR}
        -D PATCH=${PROJECT_VERSION_PATCH}
        -P ${CMAKE_CURRENT_LIST_DIR}/write_version.cmake
    BYPRODUCTS ${version_header}
    COMMENT "Asking for the commit" VERBATIM)

# The roots from which our own sources include: the public headers as <Python.h>, everything else
# by its path from the project's root.
add_library(ouro_private_includes INTERFACE)
target_include_directories(ouro_private_includes INTERFACE
    ${CMAKE_SOURCE_DIR}/core/include ${OURO_GENERATED_PUBLIC} ${CMAKE_SOURCE_DIR})
