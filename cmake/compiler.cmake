# How all C++ of the project is compiled.
include_guard()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)  # there are none, and newer compilers would look for them
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, RelWithDebInfo or Debug" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
# A switch over an enumeration names all of it: what is added later is missed nowhere.
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wall> $<$<COMPILE_LANGUAGE:CXX>:-Wextra>
  $<$<COMPILE_LANGUAGE:CXX>:-Werror=switch>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # its bugs 105593, 105651, 105937
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized>
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()

# Nobody replaces our functions at load time, so calls among them may be direct and inlined.
add_compile_options(
  "$<$<COMPILE_LANGUAGE:CXX>:-fno-semantic-interposition;-fno-plt>")
add_link_options(LINKER:-Bsymbolic-functions LINKER:-z,now)

find_program(CCACHE ccache)
mark_as_advanced(CCACHE)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE})
endif()

if(GARBOARD_SANITIZE)  # with our own assertions, too
  add_compile_options(
    "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${GARBOARD_SANITIZE};-fno-omit-frame-pointer;-g1>"
    $<$<COMPILE_LANGUAGE:CXX>:-UNDEBUG>)
  add_link_options(-fsanitize=${GARBOARD_SANITIZE})
  if(GARBOARD_SANITIZE MATCHES "undefined")
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=undefined>)
  endif()
endif()

find_package(Threads REQUIRED)
