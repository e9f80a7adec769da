// The seam between ops and arithmetic: one table of kernels a device, each
// found by its number in a roll call. Above it nothing is a template over
// dtypes, below it nothing knows a tensor.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "csrc/core/dtype.h"
#include "csrc/core/scalar.h"
#include "csrc/core/type_list.h"
#include "csrc/core/view.h"
#include "csrc/device/device.h"
#include "kernels/functors/binary.h"
#include "kernels/functors/reduce.h"
#include "kernels/functors/ternary.h"
#include "kernels/functors/unary.h"

namespace garboard::kernels {

// Every kernel writes `out` completely and keeps nothing. Views may be strided,
// broadcast (stride 0, inputs only) or empty, unless said otherwise; sizes and
// dtypes are as the op floor checked them. `out` may be exactly an input (same
// data, sizes, strides), and overlaps no input otherwise.

/// `x` has out's sizes.
using UnaryKernel = void (*)(const View& out, const View& x, Stream);
/// `a` and `b` are of one dtype; each is broadcast to out's sizes, or one element.
using BinaryKernel = void (*)(const View& out, const View& a, const View& b, Stream);
using TernaryKernel = void (*)(const View& out, const View& a, const View& b, const View& c,
                               Stream);
/// `out` has x's sizes, with stride 0 along the reduced dims. Sums are as
/// accurate as pairwise ones.
using ReduceKernel = void (*)(const View& out, const View& x, Stream);
/// The extremum along `dim` and where it first stands; NaN wins. `values` and
/// `indices` (int64) have x's sizes, with size 1 along `dim`; values.data may
/// be null when only indices are wanted.
using IndexedReduceKernel = void (*)(const View& values, const View& indices, const View& x,
                                     int dim, Stream);
/// Running sums along `dim`, forwards; float32, float64 or int64. `out` has x's
/// sizes and dtype.
using ScanKernel = void (*)(const View& out, const View& x, int dim, Stream);
/// Along `dim`; `y` has x's sizes. The gradient takes what the forward pass
/// returned.
using SoftmaxKernel = void (*)(const View& y, const View& x, int dim, Stream);
using SoftmaxGradientKernel = void (*)(const View& dx, const View& dy, const View& y, int dim,
                                       Stream);

struct CrossEntropy {
  View logits;    // [rows, classes], floating, any strides
  View targets;   // [rows], int64, each in [0, classes) or ignore_index: checked
                  // by the kernel
  View losses;    // [rows], logits' dtype: 0 where ignored
  View log_sums;  // [rows], logits' dtype: log sum exp of each row, kept for the
                  // gradient
  View counts;    // [rows], logits' dtype: the target's weight, 0 where ignored
  View weights;   // [classes], dense, logits' dtype; without data all are 1
  std::int64_t ignore_index = -100;
  double label_smoothing = 0;  // what part of a target is spread over all classes
};
/// With e = label_smoothing, a row's loss is (1 - e) w[target] l[target] + e /
/// classes sum(w l), where l = -log softmax. Returns the first row whose target
/// is out of range, or -1; of such a call the results are unfinished.
using CrossEntropyKernel = std::int64_t (*)(const CrossEntropy&, Stream);
/// Of the losses above, 0 for an ignored row; `d_losses` may have stride 0.
/// Reads neither losses nor counts. Returns the same: an array that shares the
/// targets' memory may have been written since.
using CrossEntropyGradientKernel = std::int64_t (*)(const View& d_logits, const View& d_losses,
                                                    const CrossEntropy&, Stream);

struct LayerNorm {
  View x;             // [rows, columns], contiguous, floating, as all that follows
  View weight, bias;  // [columns], or without data
  View means,
      inverses;  // [rows]: of each row the mean and 1 / sqrt(variance + epsilon)
  double epsilon;
};
/// out = (x - mean) inverse weight + bias; writes means and inverses.
using LayerNormKernel = void (*)(const View& out, const LayerNorm&, Stream);
struct LayerNormGradients {
  View d_out, d_x;        // as x
  View d_weight, d_bias;  // [columns]; what is not wanted has no data
};
/// Reads x, weight, means and inverses.
using LayerNormGradientKernel = void (*)(const LayerNormGradients&, const LayerNorm&, Stream);

/// out = a @ b, or out += a @ b when `accumulate`. Two dims, or three with the
/// batch first; floating dtypes through BLAS, integers by a plain loop. Inputs
/// may be transposed or strided; `out` has contiguous rows.
using MatmulKernel = void (*)(const View& out, const View& a, const View& b, bool accumulate,
                              Stream);

/// out = a @ b + bias. `bias` is [out's columns], dense, of out's dtype;
/// otherwise as above.
using LinearKernel = void (*)(const View& out, const View& a, const View& b, const View& bias,
                              Stream);

/// Converts and copies. As C++ converts; to bool it is `x != 0`.
using CopyKernel = void (*)(const View& out, const View& x, Stream);
using FillKernel = void (*)(const View& out, Scalar value, Stream);
/// out[i] = start + i * step, computed in double or int64; `out` is contiguous,
/// of one dim.
using ArangeKernel = void (*)(const View& out, Scalar start, Scalar step, Stream);

/// Element i of the contiguous `out` depends on (seed, offset + i / 4, i % 4)
/// alone: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1,
/// 2, 3", 2011).
struct RandomStream {
  std::uint64_t seed;
  std::uint64_t offset;
};
/// Uniform in [low, high), or normal with mean `low` and standard deviation
/// `high`; floating.
using RandomKernel = void (*)(const View& out, double low, double high, RandomStream, Stream);
/// 1 with probability `keep`, else 0; any dtype.
using BernoulliKernel = void (*)(const View& out, double keep, RandomStream, Stream);

/// One parameter's update, in place, each element read and written once. All
/// views are contiguous and of one floating dtype and size.
struct AdamStep {
  View parameter, gradient, mean, square;
  double learning_rate, beta1, beta2, epsilon, weight_decay;
  bool decoupled_decay;  // AdamW
  std::int64_t step;     // 1 at the first
};
using AdamKernel = void (*)(const AdamStep&, Stream);
struct SgdStep {
  View parameter, gradient, velocity;  // velocity.data may be null: no momentum
  double learning_rate, momentum, dampening, weight_decay;
  bool nesterov, is_first;  // the first velocity is the gradient
};
using SgdKernel = void (*)(const SgdStep&, Stream);

/// What a device can do. No entry is null: what a device lacks raises
/// DeviceError.
struct Table {
  UnaryKernel unary[functors::UnaryFunctors::size];
  BinaryKernel binary[functors::BinaryFunctors::size];
  TernaryKernel ternary[functors::TernaryFunctors::size];
  ReduceKernel reduce[functors::ReduceFunctors::size];
  IndexedReduceKernel maximum_index, minimum_index;
  /// The mean squared distance from the mean, floating; NaN of no elements.
  ReduceKernel variance;
  ScanKernel cumulative_sum;
  LayerNormKernel layer_norm;
  LayerNormGradientKernel layer_norm_gradient;
  SoftmaxKernel softmax, log_softmax;
  SoftmaxGradientKernel softmax_gradient, log_softmax_gradient;
  CrossEntropyKernel cross_entropy;
  CrossEntropyGradientKernel cross_entropy_gradient;
  MatmulKernel matmul;
  LinearKernel linear;
  CopyKernel copy;
  FillKernel fill;
  ArangeKernel arange;
  RandomKernel uniform, normal;
  BernoulliKernel bernoulli;
  AdamKernel adam;
  SgdKernel sgd;
};

/// The name of the instruction set in use: "baseline", "v3" or "v4".
const char* instruction_set();

namespace detail {
extern constinit std::atomic<const Table*> chosen_cpu_table;  // null until it is asked for
const Table& choose_cpu_table();
}  // namespace detail
/// The CPU's table: the best instruction set the machine has, or the one
/// GARBOARD_ISA names (baseline, v3, v4). Chosen once, when first asked.
inline const Table& cpu_table() {
  const Table* const table = detail::chosen_cpu_table.load(std::memory_order_acquire);
  return table ? *table : detail::choose_cpu_table();
}

/// Set once, when the CUDA library is opened; null before.
extern const Table* cuda_table;

/// Of a simulated device: kernels that return at once and touch nothing,
/// neither memory nor views.
const Table& idle_table();

inline const Table& table_of(Device device) {
  if (device.is_cpu()) return cpu_table();
  return device.is_simulated() ? idle_table() : *cuda_table;
}

/// Changes whenever a roll call or the table's layout does; a CUDA library of
/// another number is refused.
std::uint64_t roll_call_hash();

/// A set of dtypes, a bit each.
using DTypes = std::uint8_t;
constexpr DTypes bit_of(DType dtype) { return DTypes(1u << static_cast<int>(dtype)); }

/// The dtypes whose element type F can be called with: its constraints are the
/// list.
template <class F, int inputs>
inline constexpr DTypes accepted = [] {
  DTypes set = 0;
  for_each_type(TypeList<bool, std::uint8_t, std::int32_t, std::int64_t, float, double>{},
                [&]<class T> {
                  constexpr bool takes = inputs == 1   ? std::is_invocable_v<F, T>
                                         : inputs == 2 ? std::is_invocable_v<F, T, T>
                                                       : std::is_invocable_v<F, T, T, T>;
                  if (takes) set |= bit_of(dtype_of<T>);
                });
  return set;
}();

/// A functor's place in the table, and what it accepts: how an op's declaration
/// names its kernel.
struct Slot {
  int index;
  DTypes accepts;
  bool gives_bool;  // a comparison or test

  constexpr bool takes(DType dtype) const { return accepts & bit_of(dtype); }
};

template <class F>
inline constexpr bool is_test = [] {
  if constexpr (std::is_invocable_v<F, float>)
    return std::is_same_v<std::invoke_result_t<F, float>, bool>;
  return false;
}();

template <class F>
inline constexpr Slot unary{index_in<F, functors::UnaryFunctors>, accepted<F, 1>, is_test<F>};
template <class F>
inline constexpr Slot binary{index_in<F, functors::BinaryFunctors>, accepted<F, 2>, F::gives_bool};
template <class F>
inline constexpr Slot ternary{index_in<F, functors::TernaryFunctors>, accepted<F, 3>, false};
template <class F>
inline constexpr Slot reduce{index_in<F, functors::ReduceFunctors>, 0, false};

}  // namespace garboard::kernels
