# cmake --install: the library, its headers, the ouro command, and what find_package(Ouroboros) and
# pkg-config need. The headers get a directory of their own: there may be another Python.h.

include(CMakePackageConfigHelpers)
set(OURO_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Ouroboros)

install(TARGETS ouroboros EXPORT OuroborosTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT OuroborosTargets NAMESPACE Ouroboros:: DESTINATION ${OURO_CMAKE_DIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/core/include/ ${OURO_GENERATED_PUBLIC}/
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ouroboros FILES_MATCHING PATTERN *.h PATTERN API.md)
# The C headers of concurrency/ are those that the public headers include.
file(GLOB_RECURSE shared_headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}
    ${CMAKE_SOURCE_DIR}/concurrency/*.h)
foreach(header IN LISTS shared_headers)
    cmake_path(GET header PARENT_PATH room)
    install(FILES ${CMAKE_SOURCE_DIR}/${header}
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ouroboros/${room})
endforeach()
if(OURO_BUILD_EXPERIMENTS)
    install(TARGETS ouro RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    # What `ouro run` starts beside itself and checks results with.
    foreach(room peers capture schema configs)
        install(DIRECTORY ${CMAKE_SOURCE_DIR}/experiments/${room}
            DESTINATION ${CMAKE_INSTALL_DATADIR}/ouroboros
            FILES_MATCHING PATTERN *.py PATTERN *.json PATTERN *.toml)
    endforeach()
    # What `ouro report` draws with.
    install(DIRECTORY ${CMAKE_SOURCE_DIR}/plots DESTINATION ${CMAKE_INSTALL_DATADIR}/ouroboros
        FILES_MATCHING PATTERN *.py PATTERN *.toml PATTERN page.js PATTERN readme EXCLUDE PATTERN __pycache__ EXCLUDE)
    # What `ouro reproduce` checks, and the results that it sets beside those found.
    install(FILES ${CMAKE_SOURCE_DIR}/paper/claims.toml
        DESTINATION ${CMAKE_INSTALL_DATADIR}/ouroboros/paper)
    install(DIRECTORY ${CMAKE_SOURCE_DIR}/paper/data
        DESTINATION ${CMAKE_INSTALL_DATADIR}/ouroboros/paper FILES_MATCHING PATTERN *.xz)
endif()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/OuroborosConfig.cmake.in
    ${OURO_GENERATED}/OuroborosConfig.cmake INSTALL_DESTINATION ${OURO_CMAKE_DIR})
write_basic_package_version_file(${OURO_GENERATED}/OuroborosConfigVersion.cmake
    COMPATIBILITY SameMajorVersion)
install(FILES ${OURO_GENERATED}/OuroborosConfig.cmake
    ${OURO_GENERATED}/OuroborosConfigVersion.cmake DESTINATION ${OURO_CMAKE_DIR})

# The prefix is where the file is found, so that an installed tree may be moved.
file(RELATIVE_PATH OURO_PC_TO_PREFIX
    ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${CMAKE_CURRENT_LIST_DIR}/ouroboros.pc.in ${OURO_GENERATED}/ouroboros.pc @ONLY)
install(FILES ${OURO_GENERATED}/ouroboros.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
