// A chain of elementwise ops as a kernel of a device takes it.
#pragma once

#include <cstdint>
#include <span>

#include "csrc/core/view.h"
#include "csrc/device/device.h"

namespace garboard::kernels {

/// Functors one after the other, the last of which writes `out`. All is borrowed for the call.
struct FusedChain {
  /// Where an operand comes from, by its place.
  struct Source {
    enum class Kind : std::uint8_t { op, input, number } kind;
    std::uint8_t index;
  };
  /// A functor by its place in its roll call. Operands are of `dtype`, but for a condition.
  struct Op {
    std::uint8_t operands;  // which is which roll call: 1, 2 or 3
    std::uint8_t functor;
    DType dtype, result;
    Source sources[3];
  };
  static constexpr std::size_t most_ops = 64, most_inputs = 24, most_numbers = 128;

  std::span<const Op> ops;
  std::span<const View> inputs;            // of out's sizes, broadcast, or one element each
  std::span<const std::uint64_t> numbers;  // the bits of what a number is in the dtype of its op
  View out;                                // contiguous, and none of the inputs
};

/// What came of running one.
enum class ChainRun : std::uint8_t {
  queued,
  not_compiled,  // asked not to
  refused,       // it will be again
};

/// A device's way with chains. All are thread-safe.
struct ChainCompiler {
  /// Why nothing can be compiled, as a sentence; empty where it can. Opens what compiles.
  const char* (*lack)();
  /// What was said of the first chain that did not compile; empty where all did.
  const char* (*fault)();
  /// Queues the chain on `stream`. Its first time it is compiled, for some 0.2 s, if it may be.
  /// Raises DeviceError where the device fails.
  ChainRun (*run)(const FusedChain& chain, Stream stream, bool may_compile);
};

}  // namespace garboard::kernels
