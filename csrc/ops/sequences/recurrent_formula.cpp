#include "csrc/ops/sequences/recurrent_formula.h"

#include <utility>
#include <vector>

#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/products/matmul.h"
#include "csrc/ops/reduce/reduce.h"
#include "csrc/ops/shape/join.h"
#include "csrc/ops/shape/views.h"

namespace garboard {
namespace {

using kernels::Cell;

/// The sequences that are running at a step: those of its rows, before the others.
struct Running {
  std::int64_t first_row, count;

  Tensor rows_of(const Tensor& matrix) const { return narrow(matrix, 0, first_row, count); }
  Tensor of(const Tensor& states) const { return narrow(states, 0, 0, count); }
  /// `states` of all sequences, with these in the place of theirs.
  Tensor replaced(const Tensor& states, const Tensor& these) const {
    const std::int64_t others = states.size(0) - count;
    return others == 0 ? these : cat({these, narrow(states, 0, count, others)}, 0);
  }
};

/// In the order of the rows.
std::vector<Running> steps_of(const Tensor& batch_sizes) {
  const auto* const sizes = static_cast<const std::int64_t*>(batch_sizes.data());
  std::vector<Running> steps;
  std::int64_t row = 0;
  for (std::int64_t t = 0; t < batch_sizes.count(); ++t) {
    steps.push_back({row, sizes[t * batch_sizes.strides()[0]]});
    row += steps.back().count;
  }
  return steps;
}

Tensor sigmoid_slope(const Tensor& y) { return y - y * y; }
Tensor tanh_slope(const Tensor& y) { return -(y * y) + 1.0; }

/// One step: what it makes of a state, and of gradients of that.
struct RecurrentStep {
  Cell cell;
  Tensor before, cell_before;  // the states it began with
  Tensor parts[4];             // the gates after their activations, as PyTorch orders them
  Tensor added;                // of gru, what the state adds to the candidate
  Tensor state, cell_state, cell_tanh;

  RecurrentStep(Cell cell, const Tensor& from_input, const Tensor& from_state, Tensor h, Tensor c)
      : cell(cell), before(std::move(h)), cell_before(std::move(c)) {
    const std::int64_t hidden = before.size(1);
    const auto part = [&](const Tensor& of, int i) { return narrow(of, 1, i * hidden, hidden); };
    if (cell == Cell::gru) {
      for (int i = 0; i < 2; ++i) parts[i] = sigmoid(part(from_input, i) + part(from_state, i));
      added = part(from_state, 2);
      parts[2] = tanh(part(from_input, 2) + parts[0] * added);
      state = parts[2] + parts[1] * (before - parts[2]);
      return;
    }
    const Tensor sums = from_input + from_state;
    if (cell != Cell::lstm) {
      state = cell == Cell::tanh ? tanh(sums) : relu(sums);
      return;
    }
    for (int i = 0; i < 4; ++i) parts[i] = i == 2 ? tanh(part(sums, i)) : sigmoid(part(sums, i));
    cell_state = parts[1] * cell_before + parts[0] * parts[2];
    cell_tanh = tanh(cell_state);
    state = parts[3] * cell_tanh;
  }

  struct Slopes {
    Tensor from_input, from_state;  // what the sums of the gates got
    Tensor before, cell_before;     // what the states got, but by way of the gates
  };

  Slopes back(const Tensor& grad, const Tensor& cell_grad) const {
    if (cell == Cell::lstm) return back_of_lstm(grad, cell_grad);
    if (cell == Cell::gru) return back_of_gru(grad);
    const Tensor slope = cell == Cell::tanh ? grad * tanh_slope(state)
                                                : where(gt(state, Scalar::of(0.0)), grad, 0.0);
    return {slope, slope, {}, {}};
  }

 private:
  Slopes back_of_lstm(const Tensor& grad, const Tensor& cell_grad) const {
    const auto& [in, forget, candidate, out] = parts;
    const Tensor of_cell = cell_grad + grad * out * tanh_slope(cell_tanh);
    const Tensor gates =
        cat({of_cell * candidate * sigmoid_slope(in), of_cell * cell_before * sigmoid_slope(forget),
             of_cell * in * tanh_slope(candidate), grad * cell_tanh * sigmoid_slope(out)},
            1);
    return {gates, gates, {}, of_cell * forget};
  }

  Slopes back_of_gru(const Tensor& grad) const {
    const Tensor &reset = parts[0], &update = parts[1], &candidate = parts[2];
    const Tensor of_candidate = (grad - grad * update) * tanh_slope(candidate);
    const Tensor of_reset = of_candidate * added * sigmoid_slope(reset);
    const Tensor of_update = grad * (before - candidate) * sigmoid_slope(update);
    return {cat({of_reset, of_update, of_candidate}, 1),
            cat({of_reset, of_update, of_candidate * reset}, 1),
            grad * update,
            {}};
  }
};

}  // namespace

Grads RecurrentFormula::run() const {
  const std::vector<Running> at = steps_of(batch_sizes);
  const std::size_t count = at.size();
  const auto place = [&](std::size_t i) { return is_reversed ? count - 1 - i : i; };
  const std::int64_t rows = gates.size(0), sequences = first.size(0);

  std::vector<RecurrentStep> steps;  // in the order of time
  Tensor states = first, cells = first_cell;
  for (std::size_t i = 0; i < count; ++i) {
    const Running& running = at[place(i)];
    const Tensor before = running.of(states), from_state = linear(before, weight, bias);
    const RecurrentStep& step = steps.emplace_back(cell, running.rows_of(gates), from_state, before,
                                                   cells ? running.of(cells) : Tensor());
    states = running.replaced(states, step.state);
    if (cells) cells = running.replaced(cells, step.cell_state);
  }

  std::vector<Tensor> of_input(count), of_state(count), before(count);  // in the order of the rows
  Tensor slope = narrow(grad, 0, rows, sequences), cell_slope;
  if (cells) cell_slope = narrow(grad, 0, rows + sequences, sequences);
  for (std::size_t i = count; i-- > 0;) {
    const std::size_t t = place(i);
    const Running& running = at[t];
    RecurrentStep::Slopes slopes = steps[i].back(running.of(slope) + running.rows_of(grad),
                                                 cells ? running.of(cell_slope) : Tensor());
    Tensor of_before = matmul(slopes.from_state, weight);
    if (slopes.before) of_before = of_before + slopes.before;
    slope = running.replaced(slope, of_before);
    if (cells) cell_slope = running.replaced(cell_slope, slopes.cell_before);
    of_input[t] = std::move(slopes.from_input);
    of_state[t] = std::move(slopes.from_state);
    before[t] = steps[i].before;
  }
  const Tensor of_sums = cat(of_state, 0);
  Grads grads;
  grads[0] = cat(of_input, 0);
  grads[1] = matmul(t(of_sums), cat(before, 0));
  if (bias) grads[2] = sum(of_sums, Reduced{Dims{0}});
  grads[3] = slope;
  if (cells) grads[4] = cell_slope;
  return grads;
}

}  // namespace garboard
