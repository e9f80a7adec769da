// Libraries of NVIDIA's that are opened when they are first needed.
#pragma once

#include <dlfcn.h>

#include <string>

#include "csrc/core/error.h"
#include "csrc/core/text.h"

namespace garboard::kernels::cuda {

/// A library, found first among the wheels that pip installs beside this package, then by what the
/// system knows, then in the toolkit. It is never closed, for it has memory of its own on the
/// devices.
class VendorLibrary {
 public:
  /// `folder` is the wheel's below `nvidia`. What is not there is told by `fault()`.
  VendorLibrary(const std::string& folder, std::string file_name);

  explicit operator bool() const { return opened_ != nullptr; }
  const std::string& file_name() const { return file_name_; }
  const std::string& fault() const { return fault_; }

  /// Raises DeviceError in the name of `op`.
  template <class Function>
  void find(const char* op, const char* name, Function& function) const {
    function = reinterpret_cast<Function>(dlsym(opened_, name));
    if (!function) throw DeviceError(text(op, ": ", file_name_, " lacks ", name));
  }

 private:
  std::string file_name_, fault_;
  void* opened_ = nullptr;
};

}  // namespace garboard::kernels::cuda
