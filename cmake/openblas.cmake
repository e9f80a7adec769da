# Puts OpenBLAS, with its licence, beside libgarboard.so. It is not linked: every copy calls itself
# libscipy_openblas.so, and a linked one would be whichever the process loaded first. The kernels
# open this very file at the first product.
include_guard()

if(NOT Python_EXECUTABLE)
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter)
endif()
execute_process(
  COMMAND ${Python_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/find_openblas.py
  OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${Python_EXECUTABLE} has no package scipy-openblas32; install it, or "
    "configure with -DGARBOARD_BLAS=none for plain loops")
endif()
list(POP_FRONT found library licence)
set(licence_name LICENSE.openblas.txt)
file(COPY ${library} DESTINATION ${GARBOARD_PACKAGE_DIR})
configure_file(${licence} ${GARBOARD_PACKAGE_DIR}/${licence_name} COPYONLY)
install(PROGRAMS ${library} DESTINATION .)
install(FILES ${licence} DESTINATION . RENAME ${licence_name})
