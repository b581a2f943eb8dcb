# The target bundle: build/ouroboros-VERSION-PROCESSOR.tar.gz, what `cmake --install` installs, the
# microbenchmarks, and all libraries but the C library's. It runs where it is unpacked, in any Linux whose C library
# is not older, without installing anything.

set(bundle_name ouroboros-${PROJECT_VERSION}-${CMAKE_SYSTEM_PROCESSOR})
install(TARGETS ouro ouro_micro RUNTIME_DEPENDENCY_SET bundled
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT bundle EXCLUDE_FROM_ALL)
install(TARGETS ouro_micro_module
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT bundle EXCLUDE_FROM_ALL)
install(RUNTIME_DEPENDENCY_SET bundled
    PRE_EXCLUDE_REGEXES "^(ld-linux.*|lib(c|m|dl|rt|pthread|ouroboros))\\.so"
    DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT bundle EXCLUDE_FROM_ALL)
# What a library needs of another is beside it.
install(CODE "
    find_program(PATCHELF patchelf)
    if(NOT PATCHELF)
        message(FATAL_ERROR \"patchelf was not found. experiments/run --with bundle installs it.\")
    endif()
    file(GLOB bundled LIST_DIRECTORIES false
        \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/*.so*\")
    foreach(library IN LISTS bundled)
        if(NOT IS_SYMLINK \"\${library}\")
            execute_process(COMMAND \${PATCHELF} --set-rpath [[$ORIGIN]] \"\${library}\"
                COMMAND_ERROR_IS_FATAL ANY)
        endif()
    endforeach()
    " COMPONENT bundle EXCLUDE_FROM_ALL)

set(staged ${CMAKE_BINARY_DIR}/bundle/${bundle_name})
add_custom_target(bundle
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${CMAKE_BINARY_DIR}/bundle
    COMMAND ${CMAKE_COMMAND} --install ${CMAKE_BINARY_DIR} --prefix ${staged} --strip
    COMMAND ${CMAKE_COMMAND} --install ${CMAKE_BINARY_DIR} --prefix ${staged} --strip --component bundle
    COMMAND ${CMAKE_COMMAND} -E chdir ${CMAKE_BINARY_DIR}/bundle
        ${CMAKE_COMMAND} -E tar czf ${CMAKE_BINARY_DIR}/${bundle_name}.tar.gz ${bundle_name}
    COMMAND ${CMAKE_COMMAND} -E echo ${CMAKE_BINARY_DIR}/${bundle_name}.tar.gz
    DEPENDS ouro ouro_micro ouro_micro_module VERBATIM)
