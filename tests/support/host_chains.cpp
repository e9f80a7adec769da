// Chains compiled for the CPU while a program runs, by the compiler that built this: what NVRTC is
// to a device. GARBOARD_NO_CHAIN_COMPILER stands for a machine without one.
#include "tests/support/cuda_shim.h"  // stands for CUDA, so it comes first

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "kernels/cuda/fuse/compiled_chain.h"

namespace garboard::kernels::cuda {
namespace {

namespace fs = std::filesystem;

using RunBlocks = void (*)(const void* arguments, std::int64_t blocks);

struct HostChain {
  void* library;
  RunBlocks run_blocks;
};

constexpr const char* before = R"(
#define __global__
#define __launch_bounds__(threads)
#define __grid_constant__
static thread_local struct { unsigned x; } blockIdx, threadIdx;
)";
constexpr const char* after = R"(
extern "C" [[gnu::visibility("default")]] void run_blocks(const void* arguments, long blocks) {
  using garboard::kernels::cuda::Chain;
  for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x)
    for (threadIdx.x = 0; threadIdx.x < garboard::kernels::cuda::chain_threads; ++threadIdx.x)
      chain(*static_cast<const Chain::Arguments*>(arguments));
}
)";

/// A folder that goes with what is in it.
struct Folder {
  fs::path path;

  Folder() {
    std::string name = fs::temp_directory_path() / "garboard-chain-XXXXXX";
    if (!mkdtemp(name.data())) throw DeviceError("fuse: no folder for a chain");
    path = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

}  // namespace

const std::string& lack_of_compiler() {
  static const std::string lack =
      std::getenv("GARBOARD_NO_CHAIN_COMPILER") ? "fuse: the compiler was taken away" : "";
  return lack;
}

CompiledChain compile_chain(const std::string& source, Device) {
  const Folder folder;
  const fs::path text_file = folder.path / "chain.cpp", library_file = folder.path / "chain.so";
  std::ofstream(text_file) << before << source << after;
  const std::string command = text(GARBOARD_TEST_COMPILER
                                   " -std=c++20 -O1 -fPIC -shared -fvisibility=hidden "
                                   "-Wno-unknown-pragmas -I" GARBOARD_TEST_ROOT " -o ",
                                   library_file.string(), " ", text_file.string());
  if (std::system(command.c_str()) != 0) throw DeviceError("fuse: a chain does not compile");
  void* const library = dlopen(library_file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw DeviceError(text("fuse: ", dlerror()));
  return new HostChain{library, reinterpret_cast<RunBlocks>(dlsym(library, "run_blocks"))};
}

void launch_chain(CompiledChain chain, std::int64_t blocks, std::vector<std::uint64_t>& arguments,
                  Stream stream) {
  ++shim::launches;
  const RunBlocks run_blocks = static_cast<const HostChain*>(chain)->run_blocks;
  shim::queue(stream, [=] {
    const shim::DeviceAtWork at_work;
    run_blocks(arguments.data(), blocks);
  });
}

// Its library stays: work that is queued may need it.
void discard_chain(CompiledChain chain, Device) noexcept { delete static_cast<HostChain*>(chain); }

}  // namespace garboard::kernels::cuda
