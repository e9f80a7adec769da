// Recurrent layers: at each step a product for what the state adds to all gates, and one launch for
// the gates and the next state, or for their gradients. Steps follow each other on the stream.
#include "kernels/cuda/launch/launch.h"
#include "kernels/cuda/launch/parts.h"
#include "kernels/formulas/gates.h"
#include "kernels/formulas/layer_steps.h"

namespace garboard::kernels::cuda {
namespace {

template <class T>
struct RowsOf {
  T* data;
  std::int64_t stride;

  explicit RowsOf(const View& of, std::int64_t first = 0)
      : data(of.as<T>()), stride(of.data ? of.strides[0] : 0) {
    if (data) data += first * stride;
  }
  GARBOARD_HD T* operator[](std::int64_t row) const { return data + row * stride; }
  GARBOARD_HD explicit operator bool() const { return data != nullptr; }
};

/// Rows [first, first + count) of a matrix.
View rows_of(const View& matrix, std::int64_t first, std::int64_t count) {
  const auto offset =
      first * matrix.strides[0] * static_cast<std::int64_t>(item_size(matrix.dtype));
  return make_view(matrix.as<char>() + offset, matrix.dtype, {count, matrix.sizes[1]},
                   matrix.strides);
}

View transposed(const View& matrix) {
  return make_view(matrix.data, matrix.dtype, {matrix.sizes[1], matrix.sizes[0]},
                   {matrix.strides[1], matrix.strides[0]});
}

struct LayerShape {
  std::int64_t sequences, hidden, width;  // of all gates
  LayerSteps steps;

  explicit LayerShape(const Recurrence& of)
      : sequences(of.first.sizes[0]),
        hidden(of.weight.sizes[1]),
        width(of.weight.sizes[0]),
        steps{of.batch_sizes.as<std::int64_t>(), of.batch_sizes.count, 0, sequences} {}

  View matrix(const Scratch& memory, DType dtype, std::int64_t rows) const {
    return make_view(memory.as<void>(), dtype, {rows, width}, {width, 1});
  }
};

/// What the gates of a step read and write, each from the step's first row on.
template <class T>
struct GateRows {
  RowsOf<T> gates, added, last, last_cell, out, cells;
  const T* bias;
  std::int64_t hidden;
};

template <class T, Cell cell>
__global__ void pass_gates(GateRows<T> rows, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= count) return;
  const std::int64_t row = i / rows.hidden, j = i % rows.hidden, hidden = rows.hidden;
  T* const gate = rows.gates[row];
  T& state = rows.last[row][j];
  const auto added = [&](int part) {
    const std::int64_t at = part * hidden + j;
    return rows.added[row][at] + (rows.bias ? rows.bias[at] : T(0));
  };
  if constexpr (cell == Cell::tanh || cell == Cell::relu) {
    const T x = gate[j] + added(0);
    state = cell == Cell::tanh ? functors::tanh(x) : x < 0 ? T(0) : x;
  } else if constexpr (cell == Cell::lstm) {
    const LstmGates<T> gates{functors::sigmoid(gate[j] + added(0)),
                             functors::sigmoid(gate[hidden + j] + added(1)),
                             functors::tanh(gate[2 * hidden + j] + added(2)),
                             functors::sigmoid(gate[3 * hidden + j] + added(3))};
    gate[j] = gates.input;
    gate[hidden + j] = gates.forget;
    gate[2 * hidden + j] = gates.candidate;
    gate[3 * hidden + j] = gates.output;
    T& kept = rows.last_cell[row][j];
    kept = gates.cell(kept);
    rows.cells[row][j] = kept;
    state = gates.state(kept);
  } else {
    const T reset = functors::sigmoid(gate[j] + added(0)), of_state = added(2);
    const GruGates<T> gates{reset, functors::sigmoid(gate[hidden + j] + added(1)),
                            functors::tanh(gate[2 * hidden + j] + reset * of_state)};
    gate[j] = gates.reset;
    gate[hidden + j] = gates.update;
    gate[2 * hidden + j] = gates.candidate;
    rows.cells[row][j] = of_state;
    state = gates.state(state);
  }
  rows.out[row][j] = state;
}

template <class T, Cell cell>
void run_layer(const Recurrence& of, Stream stream) {
  const LayerShape shape(of);
  kernel(Copy{of.last, of.first}, stream);
  if constexpr (cell == Cell::lstm) kernel(Copy{of.last_cell, of.first_cell}, stream);
  const Scratch memory(shape.sequences * shape.width * sizeof(T), stream);
  const View weight = transposed(of.weight);
  // `last` is the state that each sequence has, wherever it stands.
  shape.steps.for_each(of.is_reversed, false, [&](const LayerStep& step) {
    const View added = shape.matrix(memory, of.weight.dtype, step.count);
    kernel(Matmul{added, rows_of(of.last, 0, step.count), weight}, stream);
    const GateRows<T> rows{RowsOf<T>(of.gates, step.row),
                           RowsOf<T>(added),
                           RowsOf<T>(of.last),
                           RowsOf<T>(of.last_cell),
                           RowsOf<T>(of.out, step.row),
                           RowsOf<T>(of.cells, step.row),
                           of.bias.as<T>(),
                           shape.hidden};
    const std::int64_t count = step.count * shape.hidden;
    launch(pass_gates<T, cell>, {divided_up(count, threads), stream}, rows, count);
  });
}

/// What the gradients of a step read and write, each from the step's first row on. `d_state` is the
/// gradient for the states of the sequences, and becomes what the states before get beside the
/// product; `added` is what the product takes, where it is not the gradient for the gates.
template <class T>
struct SlopeRows {
  RowsOf<T> d_gates, d_candidate, before, d_state, d_cell, added;
  RowsOf<T> d_out, gates, out, cells, first, first_cell, out_before, cells_before;
  std::int64_t hidden, continued;  // sequences that were in the step before
};

template <class T, Cell cell>
__global__ void find_slopes(SlopeRows<T> rows, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= count) return;
  const std::int64_t row = i / rows.hidden, j = i % rows.hidden, hidden = rows.hidden;
  const bool continues = row < rows.continued;
  const T before = continues ? rows.out_before[row][j] : rows.first[row][j];
  T& d_state = rows.d_state[row][j];
  const T d = d_state + (rows.d_out ? rows.d_out[row][j] : T(0));
  T* const d_gate = rows.d_gates[row];
  rows.before[row][j] = before;
  if constexpr (cell == Cell::tanh || cell == Cell::relu) {
    const T out = rows.out[row][j];
    d_gate[j] = d * (cell == Cell::tanh ? 1 - out * out : T(out > 0));
    d_state = 0;
  } else if constexpr (cell == Cell::lstm) {
    const T* const gate = rows.gates[row];
    const LstmGates<T> gates{gate[j], gate[hidden + j], gate[2 * hidden + j], gate[3 * hidden + j]};
    T& d_cell = rows.d_cell[row][j];
    const auto slopes =
        gates.slopes(d, d_cell, rows.cells[row][j],
                     continues ? rows.cells_before[row][j] : rows.first_cell[row][j]);
    d_gate[j] = slopes.input;
    d_gate[hidden + j] = slopes.forget;
    d_gate[2 * hidden + j] = slopes.candidate;
    d_gate[3 * hidden + j] = slopes.output;
    d_cell = slopes.cell;
    d_state = 0;
  } else {
    const T* const gate = rows.gates[row];
    const GruGates<T> gates{gate[j], gate[hidden + j], gate[2 * hidden + j]};
    const auto slopes = gates.slopes(d, rows.cells[row][j], before);
    T* const added = rows.added[row];
    d_gate[j] = added[j] = slopes.reset;
    d_gate[hidden + j] = added[hidden + j] = slopes.update;
    d_gate[2 * hidden + j] = slopes.candidate;
    rows.d_candidate[row][j] = added[2 * hidden + j] = slopes.added;
    d_state = slopes.state;
  }
}

/// What is given, or 0.
void begin_with(const View& to, const View& given, Stream stream) {
  given.data ? kernel(Copy{to, given}, stream) : kernel(Fill{to, Scalar::of(0.0)}, stream);
}

template <class T, Cell cell>
void run_layer_backward(const RecurrenceGradient& of, Stream stream) {
  const Recurrence& layer = of.of;
  const LayerShape shape(layer);
  const std::int64_t hidden = shape.hidden;
  // The gradients for the states, which end as those for the first ones.
  begin_with(of.d_first, of.d_last, stream);
  if constexpr (cell == Cell::lstm) begin_with(of.d_first_cell, of.d_last_cell, stream);
  constexpr bool is_gru = cell == Cell::gru;
  const Scratch memory(is_gru ? shape.sequences * shape.width * sizeof(T) : 0, stream);
  shape.steps.for_each(layer.is_reversed, true, [&](const LayerStep& step) {
    const View added = is_gru ? shape.matrix(memory, layer.weight.dtype, step.count)
                              : rows_of(of.d_gates, step.row, step.count);
    const auto at_step = [&](const View& view) { return RowsOf<T>(view, step.row); };
    const auto at_step_before = [&](const View& view) { return RowsOf<T>(view, step.before_row); };
    const SlopeRows<T> rows{at_step(of.d_gates),
                            at_step(of.d_candidate),
                            at_step(of.before),
                            RowsOf<T>(of.d_first),
                            RowsOf<T>(of.d_first_cell),
                            RowsOf<T>(added),
                            at_step(of.d_out),
                            at_step(layer.gates),
                            at_step(layer.out),
                            at_step(layer.cells),
                            RowsOf<T>(layer.first),
                            RowsOf<T>(layer.first_cell),
                            at_step_before(layer.out),
                            at_step_before(layer.cells),
                            hidden,
                            step.before};
    const std::int64_t count = step.count * hidden;
    launch(find_slopes<T, cell>, {divided_up(count, threads), stream}, rows, count);
    kernel(Matmul{rows_of(of.d_first, 0, step.count), added, layer.weight, true}, stream);
  });
}

/// Calls `run` with the element type, float or double, and the cell as a constant.
template <class Run>
void visit_cell(DType dtype, Cell cell, Run run) {
  const auto with = [&]<class T>(Type<T>) {
    switch (cell) {
      case Cell::tanh:
        return run.template operator()<T, Cell::tanh>();
      case Cell::relu:
        return run.template operator()<T, Cell::relu>();
      case Cell::lstm:
        return run.template operator()<T, Cell::lstm>();
      case Cell::gru:
        return run.template operator()<T, Cell::gru>();
    }
  };
  dtype == DType::float32 ? with(Type<float>{}) : with(Type<double>{});
}

}  // namespace

template <>
void kernel(const Recurrence& of, Stream stream) {
  if (of.first.count == 0) return;
  visit_cell(of.weight.dtype, of.cell, [&]<class T, Cell cell> { run_layer<T, cell>(of, stream); });
}
template <>
void kernel(const RecurrenceGradient& of, Stream stream) {
  if (of.of.first.count == 0) return;
  visit_cell(of.of.weight.dtype, of.of.cell,
             [&]<class T, Cell cell> { run_layer_backward<T, cell>(of, stream); });
}

}  // namespace garboard::kernels::cuda
