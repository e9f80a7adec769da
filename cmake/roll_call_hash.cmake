# A number for the text of all headers that libgarboard.so and libgarboard_cuda.so are both compiled
# from: names, signatures and the order of members are all in it. Written anew where one changes.
#
# As a script: cmake -DOUT=file -DROOT=folder -P roll_call_hash.cmake
set(GARBOARD_SHARED_HEADERS csrc/core csrc/device kernels kernels/formulas kernels/functors)

if(CMAKE_SCRIPT_MODE_FILE)
  set(texts)
  foreach(folder IN LISTS GARBOARD_SHARED_HEADERS)
    file(GLOB headers RELATIVE ${ROOT} ${ROOT}/${folder}/*.h)
    foreach(header IN LISTS headers)
      file(SHA256 ${ROOT}/${header} text)
      string(APPEND texts "${header} ${text}\n")
    endforeach()
  endforeach()
  string(SHA256 hash "${texts}")
  string(SUBSTRING ${hash} 0 16 hash)
  file(CONFIGURE OUTPUT ${OUT}
    CONTENT "inline constexpr unsigned long long roll_call_hash_here = 0x${hash};\n")
  return()
endif()

include_guard()

# garboard_roll_call_hash(target): lets its sources include <garboard_roll_call_hash.h>.
function(garboard_roll_call_hash target)
  set(folder ${PROJECT_BINARY_DIR}/roll_call)
  if(NOT TARGET garboard_roll_call)
    set(script ${PROJECT_SOURCE_DIR}/cmake/roll_call_hash.cmake)
    list(TRANSFORM GARBOARD_SHARED_HEADERS REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/\\1/*.h"
      OUTPUT_VARIABLE patterns)
    file(GLOB headers CONFIGURE_DEPENDS ${patterns})
    set(header ${folder}/garboard_roll_call_hash.h)
    add_custom_command(OUTPUT ${header}
      COMMAND ${CMAKE_COMMAND} -DOUT=${header} -DROOT=${PROJECT_SOURCE_DIR} -P ${script}
      DEPENDS ${headers} ${script} VERBATIM)
    add_custom_target(garboard_roll_call DEPENDS ${header})
  endif()
  add_dependencies(${target} garboard_roll_call)
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
