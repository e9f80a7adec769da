#include <gtest/gtest.h>

#include <numeric>

#include "kernels/cuda/launch/parts.h"
#include "tests/support/close_arrays.h"

namespace garboard::kernels::cuda {
namespace {

using shim::DeviceArray;
using shim::expect_close;
using shim::normal_numbers;

constexpr Cell cells_of_all_kinds[] = {Cell::tanh, Cell::relu, Cell::lstm, Cell::gru};

std::int64_t gates_of(Cell cell) { return cell == Cell::lstm ? 4 : cell == Cell::gru ? 3 : 1; }

struct Form {
  Cell cell;
  bool is_reversed, has_bias;
  std::vector<std::int64_t> batch_sizes;
  std::int64_t hidden;

  std::int64_t sequences() const { return batch_sizes.empty() ? 2 : batch_sizes.front(); }
  std::int64_t rows() const {
    return std::accumulate(batch_sizes.begin(), batch_sizes.end(), std::int64_t{0});
  }
  std::int64_t width() const { return gates_of(cell) * hidden; }
};

std::vector<Form> forms() {
  std::vector<Form> forms;
  for (const Cell cell : cells_of_all_kinds)
    for (const bool is_reversed : {false, true}) {
      forms.push_back({cell, is_reversed, true, {5, 5, 3, 1}, 7});
      forms.push_back({cell, is_reversed, false, {40, 9}, 19});
      forms.push_back({cell, is_reversed, true, {1, 1, 1}, 1});
      forms.push_back({cell, is_reversed, true, {}, 3});
    }
  return forms;
}

/// What a layer reads and writes.
template <class T>
struct Layer {
  explicit Layer(const Form& form)
      : form(form),
        gates(normal_numbers<T>(form.rows() * form.width(), 1)),
        weight(normal_numbers<T>(form.width() * form.hidden, 2)),
        bias(normal_numbers<T>(form.width(), 3)),
        first(normal_numbers<T>(form.sequences() * form.hidden, 4)),
        first_cell(normal_numbers<T>(form.sequences() * form.hidden, 5)),
        out(form.rows() * form.hidden),
        cells(form.rows() * form.hidden),
        last(form.sequences() * form.hidden),
        last_cell(form.sequences() * form.hidden) {}

  Recurrence call() const {
    Recurrence of{};
    const bool is_lstm = form.cell == Cell::lstm;
    const Dims states{form.sequences(), form.hidden}, rows{form.rows(), form.hidden};
    of.cell = form.cell;
    of.is_reversed = form.is_reversed;
    const Dims steps{static_cast<std::int64_t>(form.batch_sizes.size())};
    of.batch_sizes = make_view(const_cast<std::int64_t*>(form.batch_sizes.data()), DType::int64,
                               steps, contiguous_strides(steps));
    of.gates = gates.view({form.rows(), form.width()});
    of.weight = weight.view({form.width(), form.hidden});
    if (form.has_bias) of.bias = bias.view({form.width()});
    of.first = first.view(states);
    of.out = out.view(rows);
    of.last = last.view(states);
    if (is_lstm) of.first_cell = first_cell.view(states);
    if (is_lstm) of.last_cell = last_cell.view(states);
    if (is_lstm || form.cell == Cell::gru) of.cells = cells.view(rows);
    return of;
  }

  const Form& form;
  DeviceArray<T> gates, weight, bias, first, first_cell, out, cells, last, last_cell;
};

/// What the gradient of a layer reads and writes.
template <class T>
struct LayerSlopes {
  explicit LayerSlopes(const Form& form)
      : form(form),
        d_gates(form.rows() * form.width()),
        d_candidate(form.rows() * form.hidden),
        before(form.rows() * form.hidden),
        d_first(form.sequences() * form.hidden),
        d_first_cell(form.sequences() * form.hidden),
        d_out(normal_numbers<T>(form.rows() * form.hidden, 6)),
        d_last(normal_numbers<T>(form.sequences() * form.hidden, 7)),
        d_last_cell(normal_numbers<T>(form.sequences() * form.hidden, 8)) {}

  template <class Run>
  void run(const Recurrence& layer, bool is_given, Run run) const {
    const bool is_lstm = form.cell == Cell::lstm;
    const Dims states{form.sequences(), form.hidden}, rows{form.rows(), form.hidden};
    const View none{};
    run(RecurrenceGradient{
        d_gates.view({form.rows(), form.width()}),
        form.cell == Cell::gru ? d_candidate.view(rows) : none, before.view(rows),
        d_first.view(states), is_lstm ? d_first_cell.view(states) : none,
        is_given ? d_out.view(rows) : none, is_given ? d_last.view(states) : none,
        is_given && is_lstm ? d_last_cell.view(states) : none, layer});
  }

  const Form& form;
  DeviceArray<T> d_gates, d_candidate, before, d_first, d_first_cell, d_out, d_last, d_last_cell;
};

template <class T>
class RecurrenceOnCuda : public testing::Test {};
using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(RecurrenceOnCuda, Numbers);

TYPED_TEST(RecurrenceOnCuda, GivesTheStatesThatTheCpuGives) {
  for (const Form& form : forms()) {
    const Layer<TypeParam> found(form), expected(form);

    kernel(found.call(), Stream{});

    cpu_table().run(expected.call(), Stream{});
    expect_close(found.out, expected.out, 512);
    expect_close(found.last, expected.last, 512);
    expect_close(found.gates, expected.gates, 512);
    if (form.cell == Cell::lstm) expect_close(found.last_cell, expected.last_cell, 512);
    if (form.cell == Cell::lstm || form.cell == Cell::gru)
      expect_close(found.cells, expected.cells, 512);
  }
}

TYPED_TEST(RecurrenceOnCuda, GivesTheGradientsThatTheCpuGives) {
  for (const Form& form : forms())
    for (const bool is_given : {true, false}) {
      const Layer<TypeParam> layer(form);
      cpu_table().run(layer.call(), Stream{});
      const LayerSlopes<TypeParam> found(form), expected(form);

      found.run(layer.call(), is_given, [](const auto& call) { kernel(call, Stream{}); });

      expected.run(layer.call(), is_given,
                   [](const auto& call) { cpu_table().run(call, Stream{}); });
      expect_close(found.d_gates, expected.d_gates, 2048);
      expect_close(found.before, expected.before, 0);
      expect_close(found.d_first, expected.d_first, 2048);
      if (form.cell == Cell::lstm) expect_close(found.d_first_cell, expected.d_first_cell, 2048);
      if (form.cell == Cell::gru) expect_close(found.d_candidate, expected.d_candidate, 2048);
    }
}

TYPED_TEST(RecurrenceOnCuda, OfNoSequencesStartsNothing) {
  const DeviceArray<TypeParam> none(0), weight(3 * 3);
  Recurrence of{};
  const std::int64_t* const no_steps = nullptr;
  of.batch_sizes = make_view(const_cast<std::int64_t*>(no_steps), DType::int64, {0}, {1});
  of.gates = of.first = of.out = of.last = none.view({0, 3});
  of.weight = weight.view({3, 3});
  const std::int64_t before = shim::launches;

  kernel(of, Stream{});
  kernel(RecurrenceGradient{of.gates, {}, of.out, of.first, {}, {}, {}, {}, of}, Stream{});

  EXPECT_EQ(shim::launches, before);
}

TYPED_TEST(RecurrenceOnCuda, GivesItsScratchBack) {
  for (const Form& form : forms()) {
    const Layer<TypeParam> layer(form);
    const LayerSlopes<TypeParam> slopes(form);
    const auto before = shim::DeviceMemory::live_count();

    kernel(layer.call(), Stream{});
    slopes.run(layer.call(), true, [](const auto& call) { kernel(call, Stream{}); });

    EXPECT_EQ(shim::DeviceMemory::live_count(), before);
  }
}

}  // namespace
}  // namespace garboard::kernels::cuda
