# Resolves GARBOARD_CUDA to ON or OFF, and turns the language on. AUTO never fails.
include_guard()

if(NOT GARBOARD_CUDA)
  return()
endif()

include(CheckLanguage)
find_program(GARBOARD_NVCC nvcc HINTS ENV CUDA_PATH ENV CUDA_HOME PATHS /usr/local/cuda
  PATH_SUFFIXES bin)
mark_as_advanced(GARBOARD_NVCC)
if(GARBOARD_NVCC AND NOT DEFINED ENV{CUDACXX})
  set(ENV{CUDACXX} ${GARBOARD_NVCC})  # not CMAKE_CUDA_COMPILER: set, nothing would be checked
endif()

# One portable code, translated by the driver: native code for six architectures takes five times
# as long to compile.
if(NOT CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 75-virtual)
endif()

if(GARBOARD_CUDA STREQUAL "AUTO")
  set(GARBOARD_CUDA OFF)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(GARBOARD_CUDA ON)
  else()
    message(STATUS "No working nvcc: libgarboard_cuda.so is left out")
  endif()
endif()

if(GARBOARD_CUDA)
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
  enable_language(CUDA)
  set(CMAKE_CUDA_FLAGS_RELEASE "-O1 -DNDEBUG")  # of what launches: a device's is at the most
endif()
