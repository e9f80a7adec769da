// Recurrent layers: every sequence goes through all steps by itself, so blocks of sequences are
// what threads share, and no step waits for another thread. The weight is laid out for the product
// once for all steps.
#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/product/matmul.h"
#include "kernels/cpu/product/packed_product.h"
#include "kernels/formulas/gates.h"
#include "kernels/formulas/layer_steps.h"
#include "kernels/functors/unary.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// A matrix that many thin ones are multiplied by, from the left.
template <class T>
class Multiplier {
 public:
  /// [depth, columns], by its strides.
  Multiplier(const T* data, std::int64_t depth, std::int64_t columns, std::int64_t row_stride,
             std::int64_t column_stride)
      : depth_(depth),
        columns_(columns),
        memory_(divided_up(columns, PanelProduct::width) * PanelProduct::width * depth *
                std::int64_t{sizeof(T)}) {
    if (uses_panels()) {
      pack_columns(memory_.template as<float>(),
                   {reinterpret_cast<const float*>(data), row_stride, column_stride}, depth,
                   columns);
      return;
    }
    T* to = memory_.template as<T>();
    for (std::int64_t k = 0; k < depth; ++k)
      for (std::int64_t j = 0; j < columns; ++j) *to++ = data[k * row_stride + j * column_stride];
  }

  /// out = left @ this.
  void operator()(T* out, std::int64_t out_stride, const T* left, std::int64_t left_stride,
                  std::int64_t rows) const {
    if (uses_panels()) {
      multiply_panels({.a = reinterpret_cast<const float*>(left),
                       .a_row = left_stride,
                       .a_step = 1,
                       .a_strip = 0,
                       .panels = memory_.template as<float>(),
                       .rows = {rows},
                       .columns = columns_,
                       .depth = depth_,
                       .out = reinterpret_cast<float*>(out),
                       .out_stride = out_stride,
                       .is_turned = false,
                       .accumulate = false});
      return;
    }
    multiply(sizeof(T) == sizeof(float) ? DType::float32 : DType::float64,
             matrix(out, rows, columns_, out_stride), matrix(left, rows, depth_, left_stride),
             matrix(memory_.template as<T>(), depth_, columns_, columns_), false);
  }

 private:
  static bool uses_panels() { return sizeof(T) == sizeof(float) && has_panels(); }
  static Matrix matrix(const T* data, std::int64_t rows, std::int64_t columns,
                       std::int64_t stride) {
    return {reinterpret_cast<char*>(const_cast<T*>(data)), sizeof(T), rows, columns, stride, 1};
  }

  std::int64_t depth_, columns_;
  Scratch memory_;
};

template <class T>
struct RowsOf {
  T* data;
  std::int64_t stride;

  explicit RowsOf(const View& of) : data(of.as<T>()), stride(of.data ? of.strides.data()[0] : 0) {}
  T* operator[](std::int64_t row) const { return data + row * stride; }
  explicit operator bool() const { return data != nullptr; }
};

struct RecurrenceShape {
  std::int64_t steps, sequences, hidden, width;  // of all gates
  const std::int64_t* batch_sizes;

  explicit RecurrenceShape(const Recurrence& of)
      : steps(of.batch_sizes.count),
        sequences(of.first.sizes.data()[0]),
        hidden(of.weight.sizes.data()[1]),
        width(of.weight.sizes.data()[0]),
        batch_sizes(of.batch_sizes.as<std::int64_t>()) {}

  /// Sequences that go through all steps together.
  std::int64_t block() const { return sequences >= 32 ? 16 : 8; }

  /// Calls `run(first, last)` for blocks of sequences.
  template <class Run>
  void for_each_block(double products, Run run) const {
    const double ns = static_cast<double>(sequences * steps) * static_cast<double>(width) *
                      (2 + products * 0.03 * static_cast<double>(hidden));
    const std::int64_t some = block();
    for_each_part(divided_up(sequences, some), 1, ns, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) run(i * some, smaller(sequences, (i + 1) * some));
    });
  }

  /// Calls `visit(step)` for the steps that sequences [first, last) take part in, in the order of
  /// the layer or against it.
  template <class Visit>
  void for_each_step(std::int64_t first, std::int64_t last, bool is_reversed, bool is_backward,
                     Visit visit) const {
    LayerSteps{batch_sizes, steps, first, last}.for_each(is_reversed, is_backward, visit);
  }
};

// A call in a loop over gates keeps it from vectors: both are part of it.
template <class T>
__attribute__((always_inline)) inline T sigmoid(T x) {
  return functors::Sigmoid{}(x);
}
template <class T>
__attribute__((always_inline)) inline T tanh(T x) {
  return functors::Tanh{}(x);
}

/// What gates let by, from what the input adds (gate, in place) and what the state adds.
template <class T, Cell cell>
void pass_gates(T* gate, const T* added, const T* bias, const T* before, const T* cell_before,
                T* out, T* kept, std::int64_t hidden) {
  const auto at = [=](int part, std::int64_t j) __attribute__((always_inline)) {
    const std::int64_t i = part * hidden + j;
    return added[i] + (bias ? bias[i] : T(0));
  };
  if constexpr (cell == Cell::tanh || cell == Cell::relu) {
#pragma GCC ivdep
    for (std::int64_t j = 0; j < hidden; ++j) {
      const T x = gate[j] + at(0, j);
      out[j] = cell == Cell::tanh ? tanh(x) : x < 0 ? T(0) : x;
    }
  } else if constexpr (cell == Cell::lstm) {
    T *const input = gate, *const forget = gate + hidden, *const candidate = gate + 2 * hidden;
    T* const output = gate + 3 * hidden;
#pragma GCC ivdep
    for (std::int64_t j = 0; j < hidden; ++j) {
      input[j] = sigmoid(input[j] + at(0, j));
      forget[j] = sigmoid(forget[j] + at(1, j));
    }
#pragma GCC ivdep
    for (std::int64_t j = 0; j < hidden; ++j) {
      candidate[j] = tanh(candidate[j] + at(2, j));
      output[j] = sigmoid(output[j] + at(3, j));
    }
#pragma GCC ivdep
    for (std::int64_t j = 0; j < hidden; ++j) {
      const LstmGates<T> gates{input[j], forget[j], candidate[j], output[j]};
      kept[j] = gates.cell(cell_before[j]);
      out[j] = gates.state(kept[j]);
    }
  } else {
    T *const reset = gate, *const update = gate + hidden, *const candidate = gate + 2 * hidden;
#pragma GCC ivdep
    for (std::int64_t j = 0; j < hidden; ++j) {
      reset[j] = sigmoid(reset[j] + at(0, j));
      update[j] = sigmoid(update[j] + at(1, j));
    }
#pragma GCC ivdep
    for (std::int64_t j = 0; j < hidden; ++j) {
      kept[j] = at(2, j);
      candidate[j] = tanh(candidate[j] + reset[j] * kept[j]);
      out[j] = GruGates<T>{reset[j], update[j], candidate[j]}.state(before[j]);
    }
  }
}

template <class T>
void copy_row(T* to, const T* from, std::int64_t count) {
  for (std::int64_t j = 0; j < count; ++j) to[j] = from[j];
}

template <class T, Cell cell>
void run_layer(const Recurrence& of) {
  const RecurrenceShape shape(of);
  const std::int64_t hidden = shape.hidden, width = shape.width;
  const Multiplier<T> weight(of.weight.as<T>(), hidden, width, 1, hidden);
  const RowsOf<T> gates(of.gates), first(of.first), first_cell(of.first_cell), out(of.out);
  const RowsOf<T> cells(of.cells), last(of.last), last_cell(of.last_cell);
  shape.for_each_block(1, [&](std::int64_t begin, std::int64_t end) {
    const Scratch scratch(shape.block() * width * std::int64_t{sizeof(T)});
    T* const added = scratch.as<T>();
    for (std::int64_t i = begin; i < end; ++i) {
      copy_row(last[i], first[i], hidden);
      if constexpr (cell == Cell::lstm) copy_row(last_cell[i], first_cell[i], hidden);
    }
    shape.for_each_step(begin, end, of.is_reversed, false, [&](const auto& step) {
      interruption_point();
      // `last` is the state that each sequence has, wherever it stands.
      weight(added, width, last[begin], last.stride, step.count);
      for (std::int64_t i = 0; i < step.count; ++i) {
        const std::int64_t row = step.row + i;
        pass_gates<T, cell>(gates[row], added + i * width, of.bias.as<T>(), last[begin + i],
                            cell == Cell::lstm ? last_cell[begin + i] : nullptr, out[row],
                            cells ? cells[row] : nullptr, hidden);
      }
      for (std::int64_t i = 0; i < step.count; ++i) {
        copy_row(last[begin + i], out[step.row + i], hidden);
        if constexpr (cell == Cell::lstm)
          copy_row(last_cell[begin + i], cells[step.row + i], hidden);
      }
    });
  });
}

/// Of one row: `d_state` is the gradient for its state, and becomes what the state before gets
/// beside the product; `added` is what the product takes.
template <class T>
struct RowSlopes {
  T *d_state, *d_cell, *added;
  const T *gate, *out, *kept, *before, *cell_before;
  T *d_gate, *d_candidate;
};

template <class T, Cell cell>
void find_slopes(const RowSlopes<T>& of, std::int64_t hidden) {
  T* const d = of.d_state;
  if constexpr (cell == Cell::tanh || cell == Cell::relu) {
#pragma GCC ivdep
    for (std::int64_t j = 0; j < hidden; ++j) {
      const T slope = cell == Cell::tanh ? 1 - of.out[j] * of.out[j] : T(of.out[j] > 0);
      of.d_gate[j] = of.added[j] = d[j] * slope;
      d[j] = 0;
    }
  } else if constexpr (cell == Cell::lstm) {
    const T *const input = of.gate, *const forget = of.gate + hidden;
    const T *const candidate = of.gate + 2 * hidden, *const output = of.gate + 3 * hidden;
#pragma GCC ivdep
    for (std::int64_t j = 0; j < hidden; ++j) {
      const LstmGates<T> gates{input[j], forget[j], candidate[j], output[j]};
      const auto slopes = gates.slopes(d[j], of.d_cell[j], of.kept[j], of.cell_before[j]);
      of.d_gate[j] = slopes.input;
      of.d_gate[hidden + j] = slopes.forget;
      of.d_gate[2 * hidden + j] = slopes.candidate;
      of.d_gate[3 * hidden + j] = slopes.output;
      of.d_cell[j] = slopes.cell;
      d[j] = 0;
    }
    copy_row(of.added, of.d_gate, 4 * hidden);
  } else {
    const T *const reset = of.gate, *const update = of.gate + hidden;
    const T* const candidate = of.gate + 2 * hidden;
#pragma GCC ivdep
    for (std::int64_t j = 0; j < hidden; ++j) {
      const GruGates<T> gates{reset[j], update[j], candidate[j]};
      const auto slopes = gates.slopes(d[j], of.kept[j], of.before[j]);
      of.d_gate[j] = slopes.reset;
      of.d_gate[hidden + j] = slopes.update;
      of.d_gate[2 * hidden + j] = slopes.candidate;
      of.d_candidate[j] = slopes.added;
      d[j] = slopes.state;
    }
    copy_row(of.added, of.d_gate, 2 * hidden);
    copy_row(of.added + 2 * hidden, of.d_candidate, hidden);
  }
}

template <class T, Cell cell>
void run_layer_backward(const RecurrenceGradient& of) {
  const Recurrence& layer = of.of;
  const RecurrenceShape shape(layer);
  const std::int64_t hidden = shape.hidden, width = shape.width;
  const Multiplier<T> weight(layer.weight.as<T>(), width, hidden, hidden, 1);
  const RowsOf<T> gates(layer.gates), first(layer.first), first_cell(layer.first_cell);
  const RowsOf<T> out(layer.out), cells(layer.cells), d_gates(of.d_gates), before(of.before);
  const RowsOf<T> d_candidate(of.d_candidate), d_first(of.d_first), d_first_cell(of.d_first_cell);
  const RowsOf<T> d_out(of.d_out), d_last(of.d_last), d_last_cell(of.d_last_cell);
  shape.for_each_block(1, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t some = shape.block();
    const Scratch scratch(some * (width + hidden) * std::int64_t{sizeof(T)});
    T *const added = scratch.as<T>(), *const through = added + some * width;
    // The gradients for the states, which end as those for the first ones.
    for (std::int64_t i = begin; i < end; ++i)
      for (std::int64_t j = 0; j < hidden; ++j) {
        d_first[i][j] = d_last ? d_last[i][j] : T(0);
        if constexpr (cell == Cell::lstm)
          d_first_cell[i][j] = d_last_cell ? d_last_cell[i][j] : T(0);
      }
    shape.for_each_step(begin, end, layer.is_reversed, true, [&](const auto& step) {
      interruption_point();
      for (std::int64_t i = 0; i < step.count; ++i) {
        const std::int64_t row = step.row + i, sequence = begin + i;
        const bool is_first = i >= step.before;
        const T* const state = is_first ? first[sequence] : out[step.before_row + i];
        T* const d_state = d_first[sequence];
        if (d_out)
          for (std::int64_t j = 0; j < hidden; ++j) d_state[j] += d_out[row][j];
        RowSlopes<T> slopes{};
        slopes.d_state = d_state;
        slopes.added = added + i * width;
        slopes.gate = gates ? gates[row] : nullptr;
        slopes.out = out[row];
        slopes.kept = cells ? cells[row] : nullptr;
        slopes.before = state;
        slopes.d_gate = d_gates[row];
        slopes.d_candidate = d_candidate ? d_candidate[row] : nullptr;
        if constexpr (cell == Cell::lstm) {
          slopes.d_cell = d_first_cell[sequence];
          slopes.cell_before = is_first ? first_cell[sequence] : cells[step.before_row + i];
        }
        find_slopes<T, cell>(slopes, hidden);
        copy_row(before[row], state, hidden);
      }
      weight(through, hidden, added, width, step.count);
      for (std::int64_t i = 0; i < step.count; ++i)
        for (std::int64_t j = 0; j < hidden; ++j) d_first[begin + i][j] += through[i * hidden + j];
    });
  });
}

/// Calls `run` with the cell as a constant.
template <class Run>
void visit_cell(Cell cell, Run run) {
  switch (cell) {
    case Cell::tanh:
      return run.template operator()<Cell::tanh>();
    case Cell::relu:
      return run.template operator()<Cell::relu>();
    case Cell::lstm:
      return run.template operator()<Cell::lstm>();
    case Cell::gru:
      return run.template operator()<Cell::gru>();
  }
}

}  // namespace

template <>
void kernel(const Recurrence& of, Stream) {
  visit_cell(of.cell, [&]<Cell cell>() {
    of.weight.dtype == DType::float32 ? run_layer<float, cell>(of) : run_layer<double, cell>(of);
  });
}
template <>
void kernel(const RecurrenceGradient& of, Stream) {
  visit_cell(of.of.cell, [&]<Cell cell>() {
    of.of.weight.dtype == DType::float32 ? run_layer_backward<float, cell>(of)
                                         : run_layer_backward<double, cell>(of);
  });
}

}  // namespace garboard::kernels::GARBOARD_ISA
