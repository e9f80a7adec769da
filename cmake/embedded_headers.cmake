# The headers that NVRTC reads, as texts in a header: the functors, the kernel that runs a chain of
# them, and what stands for C++'s library there. Written anew where one changes.
#
# As a script: cmake -DOUT=file -DROOT=folder -P embedded_headers.cmake
set(GARBOARD_EMBEDDED_HEADERS
  csrc/core/complex.h csrc/core/dtype.h csrc/core/half_types.h csrc/core/host_device.h
  csrc/core/type_list.h kernels/cuda/fuse/chain_arguments.h kernels/cuda/fuse/chain_kernel.h
  kernels/cuda/launch/divider.h kernels/cuda/launch/packs.h kernels/functors/*.h)
set(GARBOARD_EMBEDDED_STANDARD kernels/cuda/fuse/standard.h.in)

if(CMAKE_SCRIPT_MODE_FILE)
  set(names)
  set(texts)
  macro(embed name file)
    file(READ ${ROOT}/${file} text)
    string(APPEND names "    \"${name}\",\n")
    string(APPEND texts "    R\"header(${text})header\",\n")
  endmacro()
  list(TRANSFORM GARBOARD_EMBEDDED_HEADERS PREPEND ${ROOT}/)
  file(GLOB headers RELATIVE ${ROOT} ${GARBOARD_EMBEDDED_HEADERS})
  foreach(header IN LISTS headers)
    embed(${header} ${header})
  endforeach()
  foreach(name IN ITEMS array bit cstddef cstdint limits string_view type_traits)
    embed(${name} ${GARBOARD_EMBEDDED_STANDARD})
  endforeach()
  file(CONFIGURE OUTPUT ${OUT} @ONLY CONTENT [[
inline constexpr const char* embedded_names[] = {
@names@};
inline constexpr const char* embedded_texts[] = {
@texts@};
]])
  return()
endif()

include_guard()

# garboard_embedded_headers(target): lets its sources include <garboard_embedded_headers.h>.
function(garboard_embedded_headers target)
  set(folder ${PROJECT_BINARY_DIR}/embedded)
  if(NOT TARGET garboard_embedded)
    set(script ${PROJECT_SOURCE_DIR}/cmake/embedded_headers.cmake)
    list(TRANSFORM GARBOARD_EMBEDDED_HEADERS PREPEND ${PROJECT_SOURCE_DIR}/
      OUTPUT_VARIABLE patterns)
    file(GLOB headers CONFIGURE_DEPENDS ${patterns})
    set(header ${folder}/garboard_embedded_headers.h)
    add_custom_command(OUTPUT ${header}
      COMMAND ${CMAKE_COMMAND} -DOUT=${header} -DROOT=${PROJECT_SOURCE_DIR} -P ${script}
      DEPENDS ${headers} ${PROJECT_SOURCE_DIR}/${GARBOARD_EMBEDDED_STANDARD} ${script} VERBATIM)
    add_custom_target(garboard_embedded DEPENDS ${header})
  endif()
  add_dependencies(${target} garboard_embedded)
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
