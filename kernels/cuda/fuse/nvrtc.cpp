#include "kernels/cuda/fuse/nvrtc.h"

#include <garboard_embedded_headers.h>

#include <iterator>
#include <vector>

#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "kernels/cuda/product/vendor_library.h"

namespace garboard::kernels::cuda {
namespace {

constexpr const char* op = "fuse";

/// What of its interface is used, written down here: nvcc may come without its header.
struct Nvrtc {
  enum Status : int { success = 0 };
  using Program = struct OfNvrtc*;
  using Size = Status (*)(Program, std::size_t*);
  using Text = Status (*)(Program, char*);

  Status (*create)(Program*, const char* source, const char* name, int headers,
                   const char* const* texts, const char* const* names);
  Status (*destroy)(Program*);
  Status (*compile)(Program, int count, const char* const* options);
  const char* (*describe)(Status);
  Status (*count_architectures)(int*);
  Status (*architectures)(int*);
  Size log_size, code_size, ptx_size;
  Text log, code, ptx;

  std::string fault;  // why none of these can be called

  void ok(Status status) const {
    if (status != success) throw DeviceError(text(op, ": NVRTC: ", describe(status)));
  }
};

const Nvrtc& nvrtc(int major_version = 0) {
  static const Nvrtc& found = *[&] {
    auto* const functions = new Nvrtc{};
    try {
      const VendorLibrary library(text("cu", major_version), text("libnvrtc.so.", major_version));
      if (!library)
        throw DeviceError(text(library.file_name(), " was not found (", library.fault(),
                               "); install the CUDA toolkit or the package nvidia-cuda-nvrtc"));
      library.find(op, "nvrtcCreateProgram", functions->create);
      library.find(op, "nvrtcDestroyProgram", functions->destroy);
      library.find(op, "nvrtcCompileProgram", functions->compile);
      library.find(op, "nvrtcGetErrorString", functions->describe);
      library.find(op, "nvrtcGetNumSupportedArchs", functions->count_architectures);
      library.find(op, "nvrtcGetSupportedArchs", functions->architectures);
      library.find(op, "nvrtcGetProgramLogSize", functions->log_size);
      library.find(op, "nvrtcGetProgramLog", functions->log);
      library.find(op, "nvrtcGetCUBINSize", functions->code_size);
      library.find(op, "nvrtcGetCUBIN", functions->code);
      library.find(op, "nvrtcGetPTXSize", functions->ptx_size);
      library.find(op, "nvrtcGetPTX", functions->ptx);
    } catch (const DeviceError& error) {
      functions->fault = error.what();
    }
    return functions;
  }();
  return found;
}

/// A text that is being compiled.
class Program {
 public:
  explicit Program(const std::string& source) {
    nvrtc().ok(nvrtc().create(&program_, source.c_str(), "chain.cu",
                              static_cast<int>(std::size(embedded_texts)), embedded_texts,
                              embedded_names));
  }
  ~Program() { nvrtc().destroy(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void compile(const std::vector<const char*>& options) {
    const auto status = nvrtc().compile(program_, static_cast<int>(options.size()), options.data());
    if (status == Nvrtc::success) return;
    throw DeviceError(
        text(op, ": NVRTC: ", nvrtc().describe(status), ": ", take(nvrtc().log_size, nvrtc().log)));
  }
  std::string take(Nvrtc::Size size_of, Nvrtc::Text text_of) const {
    std::size_t size = 0;
    nvrtc().ok(size_of(program_, &size));
    std::string all(size, '\0');
    nvrtc().ok(text_of(program_, all.data()));
    return all;
  }

 private:
  Nvrtc::Program program_ = nullptr;
};

/// The newest that NVRTC knows, up to `wanted`.
int known_architecture(int wanted) {
  int count = 0, newest = 0;
  nvrtc().ok(nvrtc().count_architectures(&count));
  std::vector<int> known(static_cast<std::size_t>(count));
  nvrtc().ok(nvrtc().architectures(known.data()));
  for (const int architecture : known)
    if (architecture <= wanted && architecture > newest) newest = architecture;
  if (newest == 0) throw DeviceError(text(op, ": NVRTC knows no device as old as ", wanted));
  return newest;
}

}  // namespace

const std::string& lack_of_nvrtc(int major_version) { return nvrtc(major_version).fault; }

std::string compiled_by_nvrtc(const std::string& source, int capability) {
  const int known = known_architecture(capability);
  const bool is_code = known == capability;
  const std::string architecture = text("--gpu-architecture=", is_code ? "sm_" : "compute_", known);
  Program program(source);
  program.compile({architecture.c_str(), "--std=c++20", "--device-as-default-execution-space",
                   "--diag-suppress=174,186"});
  return is_code ? program.take(nvrtc().code_size, nvrtc().code)
                 : program.take(nvrtc().ptx_size, nvrtc().ptx);
}

}  // namespace garboard::kernels::cuda
