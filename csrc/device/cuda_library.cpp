#include "csrc/device/cuda_library.h"

#include <dlfcn.h>

#include <filesystem>

#include "csrc/core/text.h"

namespace garboard {
namespace {

namespace fs = std::filesystem;

std::string absence_of(const fs::path& file) {
  if (!is_built_with_cuda())
    return text("built without CUDA: ", CudaLibrary::file_name,
                " is made where nvcc is found; install the CUDA toolkit and build again");
  return text("library not found: ", file.string(), " is missing; install garboard again");
}

}  // namespace

// Where the CUDA library is built, kernels/cuda/library/built_with_cuda.cpp says otherwise, and
// wins.
[[gnu::weak]] bool is_built_with_cuda() { return false; }

std::string folder_of_binaries() {
  Dl_info info{};
  if (!dladdr(reinterpret_cast<const void*>(&open_cuda_library), &info) || !info.dli_fname)
    return {};
  std::error_code failed;
  return fs::absolute(info.dli_fname, failed).parent_path();
}

std::string reason_against(const CudaLibrary& library, std::uint64_t roll_calls) {
  if (library.version != CudaLibrary::current_version || library.roll_calls != roll_calls)
    return text("build mismatch: ", CudaLibrary::file_name,
                " was compiled from other sources than libgarboard.so; both must be of one build");
  return library.device_count > 0 ? std::string() : library.reason;
}

// By absolute path and local, as the BLAS is: no other library of that name, and no symbol of it
// anywhere else. It is never closed, for a device may still work on its kernels.
OpenedCudaLibrary open_cuda_library(const std::string& folder, std::uint64_t roll_calls) {
  const fs::path file = fs::path(folder) / CudaLibrary::file_name;
  std::error_code failed;
  if (!fs::exists(file, failed)) return {nullptr, absence_of(file)};
  void* const opened = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!opened) return {nullptr, text("library not found: ", dlerror())};
  const auto function =
      reinterpret_cast<CudaLibrary::Function>(dlsym(opened, CudaLibrary::function_name));
  if (!function) return {nullptr, text("build mismatch: ", dlerror())};
  const CudaLibrary* const library = function();
  std::string reason = reason_against(*library, roll_calls);
  return {reason.empty() ? library : nullptr, reason};
}

}  // namespace garboard
