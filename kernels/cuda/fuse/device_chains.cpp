// Chains by NVRTC, started by the runtime as kernels of the library itself are.
#include <cuda_runtime_api.h>

#include <memory>
#include <string>
#include <vector>

#include "kernels/cuda/fuse/chain_arguments.h"
#include "kernels/cuda/fuse/compiled_chain.h"
#include "kernels/cuda/fuse/nvrtc.h"
#include "kernels/cuda/launch/launch_plan.h"
#include "kernels/cuda/launch/runtime.h"
#include "kernels/cuda/launch/status.h"

namespace garboard::kernels::cuda {
namespace {

constexpr int major_version = CUDART_VERSION / 1000;

/// What was compiled, where devices can start it.
struct Code {
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;

  explicit Code(const std::string& bytes) {
    ok(cudaLibraryLoadData(&library, bytes.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    ok(cudaLibraryGetKernel(&kernel, library, "chain"));
  }
};

int capability_of(Device device) {
  int major = 0, minor = 0;
  ok(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device.number));
  ok(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device.number));
  return 10 * major + minor;
}

}  // namespace

const std::string& lack_of_compiler() { return lack_of_nvrtc(major_version); }

CompiledChain compile_chain(const std::string& source, Device device) {
  const std::string code = compiled_by_nvrtc(source, capability_of(device));
  ok(cudaSetDevice(device.number));
  return new Code(code);
}

void launch_chain(CompiledChain chain, std::int64_t blocks, std::vector<std::uint64_t>& arguments,
                  Stream stream) {
  void* all[] = {arguments.data()};
  start(static_cast<const Code*>(chain)->kernel,
        {.blocks = blocks, .stream = stream, .block_threads = chain_threads}, all);
}

void discard_chain(CompiledChain chain, Device device) noexcept {
  const std::unique_ptr<Code> code(static_cast<Code*>(chain));
  if (cudaSetDevice(device.number) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess)
    cudaLibraryUnload(code->library);
  cudaGetLastError();
}

}  // namespace garboard::kernels::cuda
