// Chains of elementwise ops that run as one: piece by piece, so that what lies between two of them
// stays in the cache and is never a tensor. A reduction of all to one may close a chain.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "csrc/ops/op/op.h"
#include "csrc/ops/reduce/reduce.h"

namespace garboard {

/// An op by its declaration, of which one is set.
struct ChainOp {
  const Unary* unary = nullptr;
  const Binary* binary = nullptr;
  const Ternary* ternary = nullptr;
  const Closing* closing = nullptr;

  const char* name() const {
    return unary ? unary->name : binary ? binary->name : ternary ? ternary->name : closing->name;
  }
  /// Of an elementwise one, as what follows.
  const kernels::Slot& kernel() const {
    return unary ? unary->kernel : binary ? binary->kernel : ternary->kernel;
  }
  GradientRule gradient() const {
    return unary ? unary->gradient : binary ? binary->gradient : ternary->gradient;
  }
  int operand_count() const { return unary || closing ? 1 : binary ? 2 : 3; }
  /// An elementwise one by itself.
  Tensor operator()(const Operand* operands) const;
};

/// A result below this size stays in the second cache between two ops: nothing is gained.
inline constexpr std::int64_t least_chain_bytes = std::int64_t{1} << 18;
/// On a device of its own what is gained is launches, whatever the size; a kernel is compiled
/// first.
inline constexpr std::int64_t least_device_chain_bytes = std::int64_t{1} << 12;

/// The op that users call by `name`; null where it cannot be part of a chain.
const ChainOp* find_chain_op(std::string_view name);

class ChainStep;

/// What an op is called with: the result of a step before it, a tensor, or a number.
struct ChainOperand {
  Counted<ChainStep> step;
  Tensor tensor;
  Scalar number;
  std::uint32_t version = 0;  // of the tensor's storage at the call
};

/// An op that has been called and has yet to run. Guarded, like tensors, by who uses it.
class ChainStep final : public RefCounted {
 public:
  const ChainOp* op = nullptr;
  std::array<ChainOperand, 3> operands;
  Dims sizes;
  Device device;
  DType dtype = DType::float32;   // the kernel's
  DType result = DType::float32;  // the output's
  std::uint8_t mode = 0;          // grad_mode when it was called
  bool requires_grad = false;
  int weight = 1;            // about so many ops run with it
  std::uint64_t number = 0;  // in the order of calls
  Tensor made;               // once it has run; its operands are gone then
  std::uint32_t made_version = 0;
  void* alias = nullptr;         // of whoever is to get the result; that step runs on its own
  std::uint64_t running_on = 0;  // the thread; 0: none

  std::span<const ChainOperand> all() const {
    return {operands.data(), made ? 0u : static_cast<std::size_t>(op->operand_count())};
  }
};

/// The step of a call; null where the op has to run as usual: where an operand would have to be
/// converted, is small, on a device that fuses nothing, or memory that others write without our
/// knowing; and of a reduction of what has been made.
Counted<ChainStep> chain_step(const ChainOp& op, std::array<ChainOperand, 3> operands);

/// Runs what leads to `last`, up to tensors and steps that have been made, in pieces, or compiled
/// for their device; the same bits as one op after the other. Recorded as one node where the ops
/// would have been, whose gradients are computed in pieces as well. Each input is read once, the
/// result written once.
///
/// Raises VersionError where an input was written since, OutOfMemoryError.
Tensor run_chain(const ChainStep& last);

/// Where an operand of an op of a program comes from, by its place.
struct ChainSource {
  enum class Kind : std::uint8_t { op, input, number } kind;
  int index;
};

/// What `last` needs, in the order of calls, with `last` at the end.
struct ChainProgram {
  struct Op {
    const ChainOp* op;
    DType dtype, result;
    std::array<ChainSource, 3> sources;
  };
  std::vector<Op> ops;
  std::vector<Tensor> inputs;
  std::vector<Scalar> numbers;
  Dims sizes;
  Device device;
};
ChainProgram program_of(const ChainStep& last);

/// Makes the ops of a program, and what closes it, the history of `out`: one node for all.
void record_chain(const ChainProgram& program, const Closing* closing, const Tensor& out);

}  // namespace garboard
