// What each kernel is given that is more than a functor over elements: one struct a kernel. The
// struct is the kernel's key in the table, and knows the name of its op.
#pragma once

#include <cstdint>

#include "csrc/core/scalar.h"
#include "csrc/core/view.h"

namespace garboard::kernels {

// Every kernel writes its results completely and keeps nothing. Views may be strided, broadcast
// (stride 0, inputs only) or empty, unless said otherwise; sizes and dtypes are as the op floor
// checked them. A result may be exactly an input (same data, sizes, strides), and overlaps no input
// otherwise. Views that are references are borrowed for the call.

/// Converts and copies. As C++ converts; to bool it is `x != 0`.
struct Copy {
  static constexpr const char* name = "copy";
  const View& out;
  const View& x;
};

struct Fill {
  static constexpr const char* name = "fill";
  const View& out;
  Scalar value;
};

/// Bit i % 8 of byte i / 8 of `bits`, uint8 and dense: whether element i of the contiguous x, of a
/// floating dtype, is above 0 or NaN. The bits behind the last element are 0.
struct PositiveBits {
  static constexpr const char* name = "relu";
  const View& bits;
  const View& x;
};

/// Element i of the contiguous x where its bit is set, as above, else 0.
struct WherePositive {
  static constexpr const char* name = "relu backward";
  const View& out;
  const View& x;
  const View& bits;
};

/// out = input + factor * (a * b), or of a / b where it `divides`; all contiguous, of one size and
/// of float32 or float64. CPU.
struct AddProduct {
  static constexpr const char* name = "addcmul";
  const View &out, &input, &a, &b;
  double factor;
  bool divides;
};

/// out[i] = start + i * step, computed in double or int64; `out` is contiguous, of one dim.
struct Arange {
  static constexpr const char* name = "arange";
  const View& out;
  Scalar start, step;
};

/// The sum of elements that are computed as they are wanted, the bits of that over a dense tensor
/// of them. `bring` writes `count` of dtype `dtype` from the `first` on, on any thread; it may
/// throw. `ns`: about what an element takes, `bytes`: what all read. `out` is one element. CPU.
struct BroughtSum {
  static constexpr const char* name = "sum";
  const View& out;
  DType dtype;
  std::int64_t count;
  double ns;
  std::int64_t bytes;
  void (*bring)(void* context, std::int64_t first, std::int64_t count, void* to);
  void* context;
};

/// The mean squared distance from the mean, floating; NaN of no elements. `out` has x's sizes, with
/// stride 0 along the reduced dims; of a half type it may be float32.
struct Variance {
  static constexpr const char* name = "var";
  const View& out;
  const View& x;
};

/// The extremum along `dim` and where it first stands; NaN wins. `values` and `indices` (int64)
/// have x's sizes, with size 1 along `dim`; values.data may be null when only indices are wanted.
struct IndexedReduce {
  const View& values;
  const View& indices;
  const View& x;
  int dim;
};
struct MaximumIndex : IndexedReduce {
  static constexpr const char* name = "max along a dim";
};
struct MinimumIndex : IndexedReduce {
  static constexpr const char* name = "min along a dim";
};

/// The discrete Fourier transform along `dim`, times `scale`: sums of x_j e^(-+ 2 pi i j k / n)
/// over the n places j. Complex numbers become as many, in place where `out` is `x`; real ones as
/// many, too, or, where `out` has room for no more, the first half, n / 2 + 1, whose mirror image
/// the rest is; or such a half becomes n real numbers, and then the direction is back. Parts of
/// float32 or float64.
struct FourierTransform {
  static constexpr const char* name = "fft";
  const View& out;
  const View& x;
  int dim;
  bool is_back;
  double scale;
};

/// How far each row of `x` [batch, n, k] is from each of `y` [batch, m, k], as `out` [batch, n, m],
/// by the norm of `power`: 1, 2 or infinity. Of one matrix, where `y` is `x`, `out` may have one
/// dim: the distances of each row from each later one. All of float32, or of float64.
struct RowDistances {
  static constexpr const char* name = "cdist";
  const View& out;
  const View& x;
  const View& y;
  double power;
};
/// The gradient of `x`, from that of `out`, with the sizes of each. Where a distance of power 2 is
/// 0 nothing comes of it; of the largest differences each takes all.
struct RowDistancesGradient {
  static constexpr const char* name = "cdist backward";
  const View& x_gradient;
  const View& gradient;
  const View& out;
  const View& x;
  const View& y;
  double power;
};

/// Running sums along `dim`, forwards; float32, float64 or int64. `out` has x's sizes and dtype.
struct CumulativeSum {
  static constexpr const char* name = "cumsum";
  const View& out;
  const View& x;
  int dim;
};

/// Running products, likewise.
struct CumulativeProduct {
  static constexpr const char* name = "cumprod";
  const View& out;
  const View& x;
  int dim;
};

/// Logarithms of running sums of e^x, likewise; float32 or float64.
struct LogCumulativeSumExp {
  static constexpr const char* name = "logcumsumexp";
  const View& out;
  const View& x;
  int dim;
};

/// The extremum so far along `dim`, and where it last stands; NaN wins. All have x's sizes.
struct CumulativeExtremum {
  const View& values;
  const View& indices;
  const View& x;
  int dim;
};
struct CumulativeMaximum : CumulativeExtremum {
  static constexpr const char* name = "cummax";
};
struct CumulativeMinimum : CumulativeExtremum {
  static constexpr const char* name = "cummin";
};

/// Along `dim`; `y` has x's sizes.
struct AlongDim {
  const View& y;
  const View& x;
  int dim;
};
struct Softmax : AlongDim {
  static constexpr const char* name = "softmax";
};
struct LogSoftmax : AlongDim {
  static constexpr const char* name = "log_softmax";
};

/// Takes what the forward pass returned.
struct AlongDimGradient {
  const View& dx;
  const View& dy;
  const View& y;
  int dim;
};
struct SoftmaxGradient : AlongDimGradient {
  static constexpr const char* name = "softmax backward";
};
struct LogSoftmaxGradient : AlongDimGradient {
  static constexpr const char* name = "log_softmax backward";
};

/// With e = label_smoothing, a row's loss is (1 - e) w[target] l[target] + e / classes sum(w l),
/// where l = -log softmax; or w[target] l[target], where l is -logits, which are logarithms of
/// probabilities already. Returns the first row whose target is out of range, or -1; of such a call
/// the results are unfinished.
struct CrossEntropy {
  static constexpr const char* name = "cross_entropy";
  using Result = std::int64_t;
  static constexpr Result idle_result = -1;

  View logits;    // [rows, classes] or [groups, classes, rows of one], floating, any strides
  View targets;   // [rows], int64, each in [0, classes) or ignore_index: checked by the kernel
  View losses;    // [rows], logits' dtype widened: 0 where ignored
  View log_sums;  // [rows], float64: log sum exp of each row, kept for the gradient; not of logs
  View counts;    // [rows], as losses: the target's weight, 0 where ignored
  View weights;   // [classes], dense, logits' dtype; without data all are 1
  std::int64_t ignore_index = -100;
  double label_smoothing = 0;  // what part of a target is spread over all classes; 0 of logs
  bool are_logs = false;
};

/// Of the losses above, 0 for an ignored row; `d_losses` may have stride 0. Reads neither losses
/// nor counts, and of logs the sizes alone: `d_logits` is zeros, of which it writes one a row.
/// Returns the same: an array that shares the targets' memory may have been written since.
struct CrossEntropyGradient {
  static constexpr const char* name = "cross_entropy backward";
  using Result = std::int64_t;
  static constexpr Result idle_result = -1;

  const View& d_logits;
  const View& d_losses;
  const CrossEntropy& of;
};

/// out = (x - mean) inverse weight + bias; writes means and inverses.
struct LayerNorm {
  static constexpr const char* name = "layer_norm";

  View out, x;           // [rows, columns], contiguous, floating, as all that follows
  View weight, bias;     // [columns], or without data
  View means, inverses;  // [rows], widened: of each the mean and 1 / sqrt(variance + epsilon)
  double epsilon;
};

/// Reads x, weight, means and inverses.
struct LayerNormGradient {
  static constexpr const char* name = "layer_norm backward";

  View d_out, d_x;        // as x
  View d_weight, d_bias;  // [columns]; what is not wanted has no data
  const LayerNorm& of;
};

/// out = (x - mean) inverse weight + bias, over all samples and places of a channel, or, of groups,
/// over those of the group's channels in each sample; writes means, variances and inverses.
struct ChannelNorm {
  static constexpr const char* name = "channel_norm";

  View out, x;        // [samples, channels, places], contiguous, float32 or 64, as all that follows
  View weight, bias;  // [channels], or without data
  View means, variances, inverses;  // [channels], or [samples, groups]
  std::int64_t groups;              // 0: batches
  double epsilon;
};

/// Reads x, weight, means and inverses.
struct ChannelNormGradient {
  static constexpr const char* name = "channel_norm backward";

  View d_out, d_x;        // as x
  View d_weight, d_bias;  // [channels]; what is not wanted has no data
  const ChannelNorm& of;
};

/// out = a @ b, or out += a @ b when `accumulate`. Two dims, or three with the batch first;
/// floating dtypes through BLAS, integers by a plain loop. Inputs may be transposed or strided;
/// `out` has contiguous rows.
struct Matmul {
  static constexpr const char* name = "matmul";
  const View& out;
  const View& a;
  const View& b;
  bool accumulate = false;
};

/// out = a @ b + bias. `bias` is [out's columns], dense, of out's dtype; otherwise as above.
struct Linear {
  static constexpr const char* name = "linear";
  const View& out;
  const View& a;
  const View& b;
  const View& bias;
};

/// Element i of the contiguous result depends on (seed, offset + i / 4, i % 4) alone: Philox4x32-10
/// (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011).
///
/// In captured work the seed and what is to be added to the offset are read when it is played.
struct RandomStream {
  std::uint64_t seed;
  std::uint64_t offset;
  const std::int64_t* played = nullptr;  // the two, on the device; null: nothing is captured
};

/// Uniform in [low, high), floating.
struct Uniform {
  static constexpr const char* name = "rand";
  const View& out;
  double low, high;
  RandomStream numbers;
};

struct Normal {
  static constexpr const char* name = "randn";
  const View& out;
  double mean, deviation;
  RandomStream numbers;
};

/// 1 with probability `keep`, else 0; any dtype.
struct Bernoulli {
  static constexpr const char* name = "bernoulli";
  const View& out;
  double keep;
  RandomStream numbers;
};

/// `low` and one of [0, count) more, each as likely; int64.
struct Integers {
  static constexpr const char* name = "integers";
  const View& out;
  std::int64_t low;
  std::uint32_t count;  // 0 stands for 2^32
  RandomStream numbers;
};

/// One parameter's update, in place, each element read and written once. All views are contiguous
/// and of one floating dtype and size.
struct AdamStep {
  static constexpr const char* name = "Adam";

  View parameter, gradient, mean, square;
  double learning_rate, beta1, beta2, epsilon, weight_decay;
  bool decoupled_decay;            // AdamW
  std::int64_t step;               // 1 at the first
  const float* counted = nullptr;  // the same on the device, where captured work counts; or null
};

struct SgdStep {
  static constexpr const char* name = "SGD";

  View parameter, gradient, velocity;  // velocity.data may be null: no momentum
  double learning_rate, momentum, dampening, weight_decay;
  bool nesterov, is_first;  // the first velocity is the gradient
};

}  // namespace garboard::kernels
