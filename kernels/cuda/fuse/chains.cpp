#include "kernels/cuda/fuse/chains.h"

#include <mutex>
#include <optional>
#include <string>

#include "csrc/core/error.h"
#include "csrc/device/cuda_library.h"
#include "kernels/cuda/fuse/chain_form.h"
#include "kernels/cuda/fuse/compiled_chain.h"
#include "kernels/cuda/fuse/kept_chains.h"
#include "kernels/cuda/launch/launch_plan.h"

namespace garboard::kernels::cuda {
namespace {

KeptChains& kept_on(Device device) {
  static auto* const all = new KeptChains[max_cuda_devices];  // leaked: kernels may still run
  return all[device.number];
}

/// What a compiler said of a chain that it refused, at first.
struct FirstFault {
  std::mutex mutex;
  const char* text = nullptr;  // leaked, once

  void note(const std::string& message) {
    const std::lock_guard lock(mutex);
    if (!text) text = (new std::string(message))->c_str();
  }
};
FirstFault& fault() {
  static FirstFault& once = *new FirstFault;
  return once;
}

const char* first_fault() {
  const std::lock_guard lock(fault().mutex);
  return fault().text ? fault().text : "";
}

void compile(const ChainForm& form, const std::string& key, Device device) {
  CompiledChain made = nullptr;
  try {
    made = compile_chain(chain_source(form), device);
  } catch (const DeviceError& error) {
    fault().note(error.what());
  }
  if (const CompiledChain left = kept_on(device).add(key, made)) discard_chain(left, device);
}

/// Whether the part has run; nothing where it has yet to be compiled.
std::optional<bool> run_kept(const ChainNest& part, const ChainForm& form, const std::string& key,
                             Stream stream) {
  std::optional<bool> has_run;
  kept_on(stream.device).with(key, [&](CompiledChain chain) {
    has_run = chain != nullptr;
    if (!chain) return;
    ChainLaunch launch(part, form);
    launch_chain(chain, launch.blocks, launch.arguments, stream);
  });
  return has_run;
}

// A part that is refused after others have run is no harm: whoever asks computes all of it again.
ChainRun run(const FusedChain& chain, Stream stream, bool may_compile) {
  if (!lack_of_compiler().empty() || chain.ops.size() > FusedChain::most_ops ||
      chain.inputs.size() > FusedChain::most_inputs ||
      chain.numbers.size() > FusedChain::most_numbers)
    return ChainRun::refused;
  if (chain.out.count == 0) return ChainRun::queued;
  for (const ChainNest& part : ChainNest(chain).parts(most_elements)) {
    const ChainForm form(part);
    const std::string key = form.key();
    std::optional<bool> has_run = run_kept(part, form, key, stream);
    if (!has_run && !may_compile) return ChainRun::not_compiled;
    // Others may have it discarded before it runs here.
    while (!has_run) {
      compile(form, key, stream.device);
      has_run = run_kept(part, form, key, stream);
    }
    if (!*has_run) return ChainRun::refused;
  }
  return ChainRun::queued;
}

}  // namespace

constinit const ChainCompiler chain_compiler{
    .lack = [] { return lack_of_compiler().c_str(); }, .fault = first_fault, .run = run};

}  // namespace garboard::kernels::cuda
