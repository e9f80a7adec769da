#include "kernels/blas/blas.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "kernels/blas/library.h"

namespace garboard::kernels {
namespace {

namespace fs = std::filesystem;

/// Where the binary lies that holds this function.
fs::path own_folder() {
  Dl_info info{};
  if (!dladdr(reinterpret_cast<const void*>(&blas), &info) || !info.dli_fname) return {};
  std::error_code failed;
  return fs::absolute(info.dli_fname, failed).parent_path();
}

// By absolute path and local: NumPy's and SciPy's copies have the same name and the same symbols,
// and a linked library would be whichever of them the process had loaded first.
void* open_library() {
  const char* choice = std::getenv("GARBOARD_BLAS");
  if (choice && std::string_view(choice) == "none") return nullptr;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(own_folder(), failed)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("libscipy_openblas") && entry.path().extension() == ".so")
      return dlopen(entry.path().c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  return nullptr;
}

const Blas* load() {
  void* const library = blas_library();
  if (!library) return nullptr;
  static Blas found;
  void (*set_threads)(int);
  const bool complete = find(library, "scipy_cblas_sgemm", found.sgemm) &&
                        find(library, "scipy_cblas_dgemm", found.dgemm) &&
                        find(library, "scipy_cblas_sgemv", found.sgemv) &&
                        find(library, "scipy_cblas_dgemv", found.dgemv) &&
                        find(library, "scipy_cblas_cgemm", found.cgemm) &&
                        find(library, "scipy_cblas_zgemm", found.zgemm) &&
                        find(library, "scipy_openblas_set_num_threads", set_threads);
  if (!complete) return nullptr;
  set_threads(1);
  return &found;
}

}  // namespace

void* blas_library() noexcept {
  static void* const opened = open_library();
  return opened;
}

const Blas* blas() noexcept {
  static const Blas* const loaded = load();
  return loaded;
}

}  // namespace garboard::kernels
