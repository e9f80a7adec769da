# Where the binaries go: all into the folder of the Python package, where they find each other.
include_guard()
include(CMakePackageConfigHelpers)

# The package as it can be imported from the build folder: PYTHONPATH=<build>/package.
set(GARBOARD_PACKAGE_DIR ${PROJECT_BINARY_DIR}/package/garboard)

# garboard_in_package(target [EXPORT set]): built and installed beside the other binaries. The
# install prefix is the package's folder.
function(garboard_in_package target)
  set_target_properties(${target} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${GARBOARD_PACKAGE_DIR}
    INSTALL_RPATH $ORIGIN
    BUILD_WITH_INSTALL_RPATH ON)
  install(TARGETS ${target} ${ARGN} LIBRARY DESTINATION .)
endfunction()

# libgarboard.so. The floors put themselves into it.
function(garboard_library)
  add_library(garboard SHARED)
  set_target_properties(garboard PROPERTIES LINKER_LANGUAGE CXX)
  target_compile_features(garboard PUBLIC cxx_std_20)
  target_include_directories(garboard PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include>)
  target_link_libraries(garboard PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
  if(NOT GARBOARD_SANITIZE)  # whose runtime is the program's
    target_link_options(garboard PRIVATE LINKER:-z,defs)  # a kernel that is missing is said here
  endif()
  garboard_in_package(garboard EXPORT garboard)

  # For C++ users: find_package(garboard), with the package's folder in CMAKE_PREFIX_PATH.
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/csrc ${PROJECT_SOURCE_DIR}/kernels
    DESTINATION include
    FILES_MATCHING PATTERN "*.h" PATTERN cpu EXCLUDE PATTERN cuda EXCLUDE)
  install(EXPORT garboard NAMESPACE garboard:: DESTINATION share/cmake/garboard
    FILE garboard-config.cmake)
  write_basic_package_version_file(garboard-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/garboard-config-version.cmake
    DESTINATION share/cmake/garboard)
endfunction()

# Links the Python sources beside the binaries, so that the build folder holds a whole package.
function(garboard_mirror_package)
  if(SKBUILD)
    return()
  endif()
  set(sources ${PROJECT_SOURCE_DIR}/python/garboard)
  file(MAKE_DIRECTORY ${GARBOARD_PACKAGE_DIR})
  file(GLOB links ${GARBOARD_PACKAGE_DIR}/*)
  foreach(link IN LISTS links)
    if(IS_SYMLINK ${link} AND NOT EXISTS ${link})
      file(REMOVE ${link})
    endif()
  endforeach()
  file(GLOB entries CONFIGURE_DEPENDS RELATIVE ${sources} ${sources}/*)
  list(REMOVE_ITEM entries __pycache__)
  foreach(entry IN LISTS entries)
    file(CREATE_LINK ${sources}/${entry} ${GARBOARD_PACKAGE_DIR}/${entry} SYMBOLIC)
  endforeach()
endfunction()
