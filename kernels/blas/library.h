// The library of BLAS and LAPACK that lies beside ours.
#pragma once

#include <dlfcn.h>

namespace garboard::kernels {

/// Null where there is none, or where the environment says GARBOARD_BLAS=none. Opened at the first
/// call and never closed: it has threads.
void* blas_library() noexcept;

/// Looks a function up; false where the library lacks it.
template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace garboard::kernels
