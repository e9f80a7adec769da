# One target a floor. The objects of all floors make libgarboard.so.
include_guard()

# garboard_sources(result folder [EXCEPT folders...])
#
# All sources in `folder` and below, but not those in the named folders of it. A new file is found
# at the next build, so no list has to be kept.
function(garboard_sources result folder)
  cmake_parse_arguments(sources "" "" "EXCEPT" ${ARGN})
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${folder}/*.cpp ${folder}/*.cu)
  foreach(excepted IN LISTS sources_EXCEPT)
    file(GLOB_RECURSE elsewhere ${folder}/${excepted}/*)
    list(REMOVE_ITEM found ${elsewhere})
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# garboard_by_folders(target folders)
#
# The sources of `target` in each folder that the expression `folders` matches are one unit: reading
# headers is half of what each would take alone.
function(garboard_by_folders target folders)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    if(folder MATCHES ${folders})
      cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
      string(REPLACE "/" "_" unit ${folder})
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${unit})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# garboard_floor(name BELOW floors... [EXCEPT folders...])
#
# Made of this folder's sources. A floor may use the floors it stands on, and theirs. tests/house
# reads the includes.
function(garboard_floor name)
  cmake_parse_arguments(floor "" "" "BELOW;EXCEPT" ${ARGN})
  garboard_sources(floor_SOURCES ${CMAKE_CURRENT_SOURCE_DIR} EXCEPT ${floor_EXCEPT})
  set(target garboard_${name})
  list(TRANSFORM floor_BELOW PREPEND garboard_)
  if(floor_SOURCES)
    add_library(${target} OBJECT ${floor_SOURCES})
    garboard_by_folders(${target} .)
    set(scope PUBLIC)
  else()  # headers alone
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${target} ${scope} ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} ${scope} Threads::Threads ${floor_BELOW})
  target_link_libraries(garboard PRIVATE $<BUILD_INTERFACE:${target}>)
endfunction()

# garboard_per_instruction_set(floor folder ONCE folders... SMALL folders...)
#
# Compiles each source of `folder` once per instruction set, in the namespace GARBOARD_ISA; those
# in the folders of it that are named ONCE for the least set alone. What is SMALL has loops that
# seldom become vectors: -O3 would make it twice as long, and no faster.
function(garboard_per_instruction_set floor folder)
  cmake_parse_arguments(set "" "" "ONCE;SMALL" ${ARGN})
  garboard_sources(set_SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
  foreach(small IN LISTS set_SMALL)
    garboard_sources(small_sources ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${small})
    set_source_files_properties(${small_sources} PROPERTIES COMPILE_OPTIONS -O2)
  endforeach()
  set(packed -fno-align-functions -fno-align-jumps)  # of 17,000 functions it is 2 % of the bytes
  set(flags_baseline ${packed} -fno-align-loops)
  set(flags_v3 ${packed} -march=x86-64-v3)
  set(flags_v4 ${packed} -march=x86-64-v4 -mprefer-vector-width=512)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # g++ 12 warns of its own intrinsics: its bug 105593
    list(APPEND flags_v4 -Wno-uninitialized)
  endif()
  set(level_baseline 3)
  if(GARBOARD_X86_64)
    set(level_baseline 2)  # for machines of before 2014: a third less to compile
  endif()
  set(level_v3 3)
  set(level_v4 3)
  garboard_instruction_sets(names)
  list(GET names 0 least)  # said to one source alone: the others' objects serve all builds
  set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/${folder}/table.cpp
    PROPERTIES COMPILE_DEFINITIONS GARBOARD_LEAST_ISA=${least})
  foreach(name IN LISTS names)
    set(target garboard_${floor}_${name})
    add_library(${target} OBJECT ${set_SOURCES})
    target_compile_definitions(${target} PRIVATE GARBOARD_ISA=${name})
    target_compile_definitions(garboard_${floor} PRIVATE GARBOARD_HAS_${name})
    # Numbers stay IEEE's: only errno and the floating-point exception flags are given up.
    target_compile_options(${target} PRIVATE
      -O${level_${name}} -fno-math-errno -fno-trapping-math -ffp-contract=fast ${flags_${name}})
    if(GARBOARD_SANITIZE MATCHES "undefined")  # checks in every lane take minutes to compile
      target_compile_options(${target} PRIVATE -fno-sanitize=undefined)
    endif()
    target_link_libraries(${target} PRIVATE garboard_${floor})
    target_link_libraries(garboard PRIVATE $<BUILD_INTERFACE:${target}>)
    garboard_sources(set_SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/${folder} EXCEPT ${set_ONCE})
  endforeach()
endfunction()

# garboard_bindings(HOT folders... WRAPPED folders...)
#
# The extension module, of these folders' sources. What is HOT uses the C API alone: a unit a
# folder, as the floors are. pybind11's headers cost six seconds a unit, so what is WRAPPED by it is
# compiled by fours, whatever their folder, and at -O1: it only passes calls on. CMake has one way
# to make units for a target, so what is HOT is a target of its own, at -O1 in a build that is quick
# to make: every version of Python compiles it anew.
function(garboard_bindings)
  cmake_parse_arguments(bindings "" "" "HOT;WRAPPED" ${ARGN})
  foreach(kind IN ITEMS HOT WRAPPED)
    set(${kind})
    foreach(folder IN LISTS bindings_${kind})
      garboard_sources(found ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
      list(APPEND ${kind} ${found})
    endforeach()
  endforeach()
  if(NOT WRAPPED)
    return()
  endif()
  add_library(garboard_hot OBJECT ${HOT})
  garboard_by_folders(garboard_hot .)
  target_link_libraries(garboard_hot PRIVATE garboard Python::Module)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # by default it inlines less into a unit beyond 10000
    target_compile_options(garboard_hot PRIVATE --param=large-unit-insns=40000)
  endif()
  if(GARBOARD_QUICK)
    target_compile_options(garboard_hot PRIVATE -O1)
  endif()
  pybind11_add_module(_engine MODULE NO_EXTRAS ${WRAPPED})
  set_target_properties(_engine PROPERTIES
    CXX_VISIBILITY_PRESET default  # hidden, it would have its own copy of our inline variables
    UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 4)
  target_compile_options(_engine PRIVATE
    -Wno-attributes  # ours hold pybind11's hidden types
    -O1)
  target_link_libraries(_engine PRIVATE garboard garboard_hot)
  garboard_in_package(_engine)
endfunction()
