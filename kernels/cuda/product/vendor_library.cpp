#include "kernels/cuda/product/vendor_library.h"

#include <cstdlib>
#include <filesystem>
#include <utility>
#include <vector>

namespace garboard::kernels::cuda {
namespace {

namespace fs = std::filesystem;

/// Where a library may lie.
std::vector<std::string> places_of(const std::string& folder, const std::string& file_name) {
  std::vector<std::string> places;
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&places_of), &info) && info.dli_fname) {
    const fs::path packages = fs::path(info.dli_fname).parent_path().parent_path();
    places.push_back(packages / "nvidia" / folder / "lib" / file_name);
  }
  places.push_back(file_name);
  for (const char* variable : {"CUDA_PATH", "CUDA_HOME"})
    if (const char* toolkit = std::getenv(variable))
      places.push_back(fs::path(toolkit) / "lib64" / file_name);
  places.push_back("/usr/local/cuda/lib64/" + file_name);
  return places;
}

}  // namespace

VendorLibrary::VendorLibrary(const std::string& folder, std::string file_name)
    : file_name_(std::move(file_name)) {
  for (const std::string& place : places_of(folder, file_name_)) {
    opened_ = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (opened_) return;
    if (const char* fault = dlerror(); fault_.empty() && fault) fault_ = fault;
  }
}

}  // namespace garboard::kernels::cuda
