#include "csrc/ops/fuse/chain_on_device.h"

#include <array>
#include <atomic>
#include <cstring>
#include <utility>

#include "csrc/core/outer_lock.h"
#include "csrc/device/streams.h"
#include "csrc/ops/fuse/chain_compilers.h"
#include "csrc/ops/fuse/chain_layout.h"
#include "csrc/ops/op/promotion.h"
#include "kernels/fused_chain.h"

namespace garboard {
namespace {

using kernels::ChainRun;
using kernels::FusedChain;

constexpr double compile_ns = 2e8;  // about

std::array<std::atomic<const kernels::ChainCompiler*>, device_kind_count> compilers;  // by kind

FusedChain::Source source_of(const ChainSource& source) {
  using Kind = FusedChain::Source::Kind;
  const Kind kind = source.kind == ChainSource::Kind::op      ? Kind::op
                    : source.kind == ChainSource::Kind::input ? Kind::input
                                                              : Kind::number;
  return {kind, static_cast<std::uint8_t>(source.index)};
}

/// As a kernel of the device has it beside elements of `dtype`.
std::uint64_t bits_of(Scalar number, DType dtype) {
  const ScalarView element(number, dtype);
  std::uint64_t bits = 0;
  std::memcpy(&bits, element.view().data, item_size(dtype));
  return bits;
}

/// A program as the device's compiler takes it.
struct Translation {
  std::vector<FusedChain::Op> ops;
  std::vector<std::uint64_t> numbers;

  explicit Translation(const ChainProgram& program) : numbers(program.numbers.size()) {
    for (const ChainProgram::Op& op : program.ops) {
      FusedChain::Op& added = ops.emplace_back();
      added.operands = static_cast<std::uint8_t>(op.op->operand_count());
      added.functor = static_cast<std::uint8_t>(op.op->kernel().index);
      added.dtype = op.dtype;
      added.result = op.result;
      for (int k = 0; k < op.op->operand_count(); ++k) {
        added.sources[k] = source_of(op.sources[k]);
        const auto at = static_cast<std::size_t>(op.sources[k].index);
        if (op.sources[k].kind == ChainSource::Kind::number)
          numbers[at] = bits_of(program.numbers[at], op.dtype);
      }
    }
  }
};

/// Whether the device's compiler takes as much.
bool has_room(const ChainProgram& program) {
  return program.ops.size() <= FusedChain::most_ops &&
         program.inputs.size() <= FusedChain::most_inputs &&
         program.numbers.size() <= FusedChain::most_numbers;
}

/// As one kernel; null where it is refused.
Tensor run_compiled(const ChainProgram& program) {
  const ChainLayout layout(program);
  const ChainProgram::Op& last = program.ops.back();
  Tensor out = Tensor::fresh(program.sizes, last.result, program.device, last.op->name());
  out.body()->lay_out(program.sizes, layout.strides, 0);
  // The ops may have been called beside another stream, whose memory the inputs are.
  for (const Tensor& input : program.inputs) input.storage()->meet_current_stream();
  const Translation translated(program);
  const FusedChain chain{
      translated.ops, layout.views, translated.numbers,
      make_view(out.data(), last.result, layout.sizes, contiguous_strides(layout.sizes))};
  const Stream stream = current_stream(program.device);
  const kernels::ChainCompiler& compiler = *chain_compiler_of(program.device);
  ChainRun run = compiler.run(chain, stream, false);
  if (run == ChainRun::not_compiled) {
    const OuterLock::Away away(compile_ns);
    run = compiler.run(chain, stream, true);
  }
  return run == ChainRun::queued ? out : Tensor();
}

Tensor run_apart(const ChainProgram& program) {
  std::vector<std::size_t> last_use(program.ops.size());
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    for (const ChainSource& source : program.ops[i].sources)
      if (source.kind == ChainSource::Kind::op)
        last_use[static_cast<std::size_t>(source.index)] = i;
  }
  std::vector<Tensor> values(program.ops.size());
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    const ChainProgram::Op& op = program.ops[i];
    Operand operands[3] = {Scalar{}, Scalar{}, Scalar{}};
    for (int k = 0; k < op.op->operand_count(); ++k) {
      const auto at = static_cast<std::size_t>(op.sources[k].index);
      if (op.sources[k].kind == ChainSource::Kind::number)
        operands[k] = program.numbers[at];
      else
        operands[k] = op.sources[k].kind == ChainSource::Kind::op ? values[at] : program.inputs[at];
    }
    values[i] = (*op.op)(operands);
    for (std::size_t k = 0; k < i; ++k)
      if (last_use[k] == i) values[k] = {};
  }
  return std::move(values.back());
}

}  // namespace

void set_chain_compiler(DeviceKind kind, const kernels::ChainCompiler& compiler) noexcept {
  compilers[static_cast<std::size_t>(kind)] = &compiler;
}

const kernels::ChainCompiler* chain_compiler_of(Device device) noexcept {
  return compilers[static_cast<std::size_t>(device.kind)];
}

bool fuses_on(Device device) {
  if (device.is_cpu()) return true;
  const kernels::ChainCompiler* const compiler = chain_compiler_of(device);
  return compiler && !*compiler->lack();
}

Tensor run_on_device(const ChainProgram& program) {
  const GradModeGuard no_grad(false);
  if (program.ops.size() > 1 && has_room(program)) {
    if (Tensor out = run_compiled(program)) return out;
  }
  return run_apart(program);
}

}  // namespace garboard
