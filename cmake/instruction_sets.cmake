# Which of the CPU's kernels are built.
include_guard()
include(CheckCXXSourceRuns)

set(GARBOARD_X86_64 OFF)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(GARBOARD_X86_64 ON)
endif()

# garboard_instruction_sets(result)
#
# The sets, the least first: all that the processor's family has or, if GARBOARD_INSTRUCTION_SETS is
# native, the best that this machine can run, alone.
function(garboard_instruction_sets result)
  if(NOT GARBOARD_INSTRUCTION_SETS MATCHES "^(all|native)$")
    message(FATAL_ERROR "GARBOARD_INSTRUCTION_SETS: ${GARBOARD_INSTRUCTION_SETS} was given; all or "
      "native is needed")
  endif()
  set(names baseline)
  if(GARBOARD_X86_64)
    list(APPEND names v3 v4)
  endif()
  if(GARBOARD_INSTRUCTION_SETS STREQUAL "native")
    foreach(name IN LISTS names)
      if(name STREQUAL "baseline")
        set(best ${name})
        continue()
      endif()
      set(CMAKE_REQUIRED_QUIET ON)
      check_cxx_source_runs(
        "int main() { return __builtin_cpu_supports(\"x86-64-${name}\") ? 0 : 1; }"
        GARBOARD_RUNS_${name})
      if(GARBOARD_RUNS_${name})
        set(best ${name})
      endif()
    endforeach()
    set(names ${best})
    message(STATUS "Kernels of the CPU: ${names} alone, this machine's best")
  endif()
  set(${result} ${names} PARENT_SCOPE)
endfunction()
