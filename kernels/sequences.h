// What kernels over sequences are given: attention, recurrent layers.
#pragma once

#include <cstdint>

#include "csrc/core/view.h"
#include "kernels/arguments.h"

namespace garboard::kernels {

/// out = softmax(scale q k^T + mask) v, of which softmax's elements are kept with a probability and
/// divided by it. Of one floating dtype, with dense last dims; heads of k and v may be fewer, each
/// for several of q that follow each other. Of halves, log_sums are float32.
struct Attention {
  static constexpr const char* name = "scaled_dot_product_attention";

  View out;       // [batch, heads, rows, values]
  View log_sums;  // [batch, heads, rows], dense: the logarithm of softmax's divisor
  View q;         // [batch, heads, rows, depth]
  View k, v;      // [batch, fewer heads, columns, depth or values]
  View mask;      // [batch, heads, rows, columns], any strides: bool, of that dtype, or no data
  double scale;
  bool is_causal;  // row i sees columns up to i
  double keep;     // 1: nothing is dropped
  RandomStream numbers;
};
/// Reads all of the above but the mask's gradient, which there is none of.
struct AttentionGradient {
  static constexpr const char* name = "scaled_dot_product_attention backward";

  View d_q, d_k, d_v;  // as q, k, v; dense
  View d_out;          // as out, with a dense last dim
  const Attention& of;
};

/// Whether the two above are taken with halves; else they have to be converted.
struct AttentionOfHalves {
  static constexpr const char* name = "scaled_dot_product_attention of halves";
  using Result = bool;
  static constexpr Result idle_result = true;

  DType dtype;
  std::int64_t widest;  // the larger of depth and values
};

enum class Cell : std::uint8_t { tanh, relu, lstm, gru };

/// A layer of a recurrent network over sequences, longest first, step by step: those of step t are
/// rows [sum of batch_sizes before t, + batch_sizes[t]). All views have dense rows and one floating
/// dtype.
struct Recurrence {
  static constexpr const char* name = "recurrent layer";

  Cell cell;
  bool is_reversed;        // from the last step to the first
  View batch_sizes;        // [steps], int64, none larger than the one before
  View gates;              // [rows, gates * hidden]: what the input adds; becomes what gates let by
  View weight, bias;       // [gates * hidden, hidden], [gates * hidden] or without data
  View first, first_cell;  // [sequences, hidden]; cells of lstm alone
  View out, cells;         // [rows, hidden]: of gru, cells are what the hidden state adds to n
  View last, last_cell;    // [sequences, hidden]
};
/// Of what is in d_out, d_last and d_last_cell, which may be without data. `d_gates` is of what the
/// input added; `d_candidate` of what the hidden state added to gru's n; `before` is the hidden
/// state each row began with.
struct RecurrenceGradient {
  static constexpr const char* name = "recurrent layer backward";

  View d_gates, d_candidate, before;  // [rows, gates * hidden], [rows, hidden] twice
  View d_first, d_first_cell;         // [sequences, hidden]
  View d_out, d_last, d_last_cell;
  const Recurrence& of;
};

/// losses[n] = -log of the sum, over all ways to write the labels of sample n with repetitions and
/// blanks between them into its steps, of the product of what log_probs are the logarithms of; all
/// views are dense. Returns the first sample whose numbers do not fit, or -1; of such a call the
/// results are unfinished.
struct CtcLoss {
  static constexpr const char* name = "ctc_loss";
  using Result = std::int64_t;
  static constexpr Result idle_result = -1;

  View losses;     // [samples], float32 or float64, as alphas and log_probs
  View alphas;     // [samples, steps, 2 longest + 1]: of the ways to each state, kept for backward
  View log_probs;  // [steps, samples, classes]
  View labels;     // [any], int64, each a class and not the blank one
  View starts, label_counts, step_counts;  // [samples], int64: where the labels begin, how many
  std::int64_t blank;
};
/// d_log_probs = d_losses (probability - how likely the step has that class, of all the ways), as
/// if a log_softmax stood before, and 0 behind the last step. Returns the same.
struct CtcLossGradient {
  static constexpr const char* name = "ctc_loss backward";
  using Result = std::int64_t;
  static constexpr Result idle_result = -1;

  const View& d_log_probs;  // as log_probs
  const View& d_losses;     // [samples], dense
  const CtcLoss& of;
  bool skips_infinite;  // the gradient of an infinite loss is 0
};

}  // namespace garboard::kernels
