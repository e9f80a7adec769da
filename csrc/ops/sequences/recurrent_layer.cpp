#include "csrc/ops/sequences/recurrent_layer.h"

#include <string>

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/products/matmul.h"
#include "csrc/ops/reduce/reduce.h"
#include "csrc/ops/sequences/recurrent_formula.h"
#include "csrc/ops/shape/join.h"
#include "csrc/ops/shape/views.h"
#include "kernels/run.h"

namespace garboard {
namespace {

const char* name_of(kernels::Cell cell) {
  static constexpr const char* names[] = {"rnn_tanh", "rnn_relu", "lstm", "gru"};
  return names[static_cast<int>(cell)];
}

std::int64_t gates_of(kernels::Cell cell) {
  return cell == kernels::Cell::lstm ? 4 : cell == kernels::Cell::gru ? 3 : 1;
}

/// All that the rule holds.
struct LayerForm {
  kernels::Cell cell;
  bool is_reversed;
  std::int64_t rows, sequences, hidden;

  bool has_cells() const { return cell == kernels::Cell::lstm; }
  /// Beside the states, what backward needs of each row.
  bool keeps_more() const { return has_cells() || cell == kernels::Cell::gru; }
  std::int64_t all_rows() const { return rows + sequences * (has_cells() ? 2 : 1); }
};

/// Rows [first, first + count) of a dense matrix.
View rows_of(const Tensor& matrix, std::int64_t first, std::int64_t count) {
  View view = matrix.view();
  view.sizes[0] = count;
  view.count = count * view.sizes[1];
  view.data = static_cast<char*>(view.data) +
              first * view.sizes[1] * static_cast<std::int64_t>(item_size(view.dtype));
  return view;
}

void check_operand(const char* op, const char* name, const Tensor& tensor, const Dims& sizes,
                   const Tensor& input) {
  if (!tensor) return;
  if (tensor.sizes() != sizes)
    throw ShapeError(text(op, ": ", name, " of sizes ", tensor.sizes(), ", input of sizes ",
                          input.sizes(), "; ", sizes, " are needed"));
  if (tensor.dtype() != input.dtype())
    throw DTypeError(text(op, ": ", name, " of dtype ", garboard::name_of(tensor.dtype()),
                          ", input of ", garboard::name_of(input.dtype()),
                          "; they must be equal, convert with to()"));
  if (tensor.device() != input.device())
    throw DeviceError(text(op, ": ", name, " on ", tensor.device(), ", input on ", input.device(),
                           "; they must be on one device, use to()"));
}

/// What the kernels may not be given: steps whose rows are not the rows of `form`. Else empty.
std::string fault_in(const Tensor& batch_sizes, const LayerForm& form) {
  const auto* const each = static_cast<const std::int64_t*>(batch_sizes.data());
  const std::int64_t stride = batch_sizes.strides()[0];
  std::int64_t rows = 0, before = form.sequences;
  for (std::int64_t t = 0; t < batch_sizes.count(); ++t) {
    const std::int64_t size = each[t * stride];
    if (size < 1 || size > before || (t == 0 && size != before))
      return text("batch size ", size, " of step ", t, " for ", form.sequences, " sequences");
    before = size;
    rows += size;
  }
  if (rows == form.rows) return {};
  return text("batch_sizes of ", rows, " rows, input of ", form.rows);
}

LayerForm checked(const RecurrentLayer& layer, const Tensor& input, const Tensor& first,
                  const Tensor& first_cell, const Tensor& batch_sizes) {
  const char* const op = name_of(layer.cell);
  if (!is_floating(input.dtype()))
    throw DTypeError(text(op, ": input of dtype ", garboard::name_of(input.dtype()),
                          "; a floating one is needed"));
  if (input.ndim() != 2 || first.ndim() != 2 || layer.hidden_weight.ndim() != 2)
    throw ShapeError(text(op, ": input ", input.sizes(), ", states ", first.sizes(), ", weight ",
                          layer.hidden_weight.sizes(), "; two dims are needed of each"));
  const LayerForm form{layer.cell, layer.is_reversed, input.size(0), first.size(0),
                       layer.hidden_weight.size(1)};
  const std::int64_t width = gates_of(layer.cell) * form.hidden;
  check_operand(op, "weight_ih", layer.input_weight, {width, input.size(1)}, input);
  check_operand(op, "weight_hh", layer.hidden_weight, {width, form.hidden}, input);
  check_operand(op, "bias_ih", layer.input_bias, {width}, input);
  check_operand(op, "bias_hh", layer.hidden_bias, {width}, input);
  check_operand(op, "first state", first, {form.sequences, form.hidden}, input);
  check_operand(op, "first cell", first_cell, {form.sequences, form.hidden}, input);
  if (static_cast<bool>(first_cell) != form.has_cells())
    throw ShapeError(text(op, first_cell ? ": a first cell" : ": no first cell",
                          "; lstm, and nothing else, needs one"));
  if (batch_sizes.dtype() != DType::int64 || batch_sizes.ndim() != 1 ||
      !batch_sizes.device().is_cpu() || !batch_sizes.is_contiguous())
    throw ShapeError(text(op, ": batch_sizes ", batch_sizes.sizes(),
                          "; one dense dim of int64 on the CPU is needed"));
  if (const std::string fault = fault_in(batch_sizes, form); !fault.empty())
    throw ShapeError(text(op, ": ", fault, "; all sequences, then never more than before, and as ",
                          "many rows as the input has are needed"));
  return form;
}

/// What is kept for backward, in this order.
enum KeptTensor {
  kept_gates,
  kept_weight,
  kept_first,
  kept_first_cell,
  kept_cells,
  kept_sizes,
  kept_input,
  kept_input_weight,
  kept_input_bias,
  kept_bias
};

kernels::Recurrence views(const LayerForm& form, const Tensor& gates, const Tensor& weight,
                          const Tensor& bias, const Tensor& first, const Tensor& first_cell,
                          const Tensor& cells, const Tensor& out, const Tensor& batch_sizes) {
  kernels::Recurrence of{};
  of.cell = form.cell;
  of.is_reversed = form.is_reversed;
  of.batch_sizes = batch_sizes.view();
  of.gates = gates.view();
  of.weight = weight.view();
  if (bias) of.bias = bias.view();
  of.first = first.view();
  if (first_cell) of.first_cell = first_cell.view();
  of.out = rows_of(out, 0, form.rows);
  if (cells) of.cells = cells.view();
  of.last = rows_of(out, form.rows, form.sequences);
  if (form.has_cells()) of.last_cell = rows_of(out, form.rows + form.sequences, form.sequences);
  return of;
}

/// d^T before: of gru, what reaches the candidate by way of the state is not what the input gets.
Tensor weight_gradient(const LayerForm& form, const Tensor& d_gates, const Tensor& d_candidate,
                       const Tensor& before) {
  if (!d_candidate) return matmul(t(d_gates), before);
  const Tensor others = narrow(d_gates, 1, 0, 2 * form.hidden);
  return cat({matmul(t(others), before), matmul(t(d_candidate), before)}, 0);
}

Tensor bias_gradient(const LayerForm& form, const Tensor& d_gates, const Tensor& d_candidate) {
  const Reduced rows{Dims{0}};
  if (!d_candidate) return sum(d_gates, rows);
  return cat({sum(narrow(d_gates, 1, 0, 2 * form.hidden), rows), sum(d_candidate, rows)}, 0);
}

Tensor dense(const Tensor& tensor) {
  const GradModeGuard no_grad(false);
  return tensor ? contiguous(tensor) : tensor;
}

Grads layer_gradients(const Backward& at, const LayerForm& form) {
  const char* const op = name_of(form.cell);
  if (const std::string fault = fault_in(at.other(kept_sizes), form); !fault.empty())
    throw VersionError(text(op, ": ", fault, "; they were overwritten from outside, as through an ",
                            "array that shares their memory: pack a clone()"));
  if (is_grad_enabled()) {
    const Tensor from_input =
        linear(at.other(kept_input), at.other(kept_input_weight), at.other(kept_input_bias));
    return RecurrentFormula{form.cell,
                            form.is_reversed,
                            from_input,
                            at.other(kept_weight),
                            at.other(kept_bias),
                            at.other(kept_first),
                            at.other(kept_first_cell),
                            at.other(kept_sizes),
                            at.grad}
        .run();
  }
  const Tensor grad = contiguous(at.grad), gates = at.other(kept_gates);
  const DType dtype = grad.dtype();
  const Device device = grad.device();
  const Tensor d_gates = empty_of(op, gates.sizes(), dtype, device);
  const Tensor before = empty_of(op, {form.rows, form.hidden}, dtype, device);
  const Tensor d_first = empty_of(op, {form.sequences, form.hidden}, dtype, device);
  const bool is_gru = form.cell == kernels::Cell::gru;
  const Tensor d_candidate =
      is_gru ? empty_of(op, {form.rows, form.hidden}, dtype, device) : Tensor();
  const Tensor d_first_cell =
      form.has_cells() ? empty_of(op, d_first.sizes(), dtype, device) : Tensor();
  const Tensor weight = dense(at.other(kept_weight)), first = dense(at.other(kept_first));
  const Tensor first_cell = dense(at.other(kept_first_cell));
  const kernels::Recurrence layer = views(form, gates, weight, {}, first, first_cell,
                                          at.other(kept_cells), at.output(), at.other(kept_sizes));
  const View none{};
  kernels::run(
      kernels::RecurrenceGradient{
          d_gates.view(), d_candidate ? d_candidate.view() : none, before.view(), d_first.view(),
          d_first_cell ? d_first_cell.view() : none, rows_of(grad, 0, form.rows),
          rows_of(grad, form.rows, form.sequences),
          form.has_cells() ? rows_of(grad, form.rows + form.sequences, form.sequences) : none,
          layer},
      device);
  Grads grads;
  if (at.needs(1)) grads[1] = weight_gradient(form, d_gates, d_candidate, before);
  if (at.needs(2)) grads[2] = bias_gradient(form, d_gates, d_candidate);
  if (at.needs(3)) grads[3] = d_first;
  if (at.needs(4)) grads[4] = d_first_cell;
  if (at.needs(0)) grads[0] = d_gates;
  return grads;
}

Tensor in_float(const Tensor& tensor) { return tensor ? to(tensor, DType::float32) : tensor; }

RecurrentLayer in_float(const RecurrentLayer& layer) {
  return {layer.cell,
          in_float(layer.input_weight),
          in_float(layer.hidden_weight),
          in_float(layer.input_bias),
          in_float(layer.hidden_bias),
          layer.is_reversed};
}

}  // namespace

Tensor recurrent_layer(const RecurrentLayer& layer, const Tensor& input, const Tensor& first,
                       const Tensor& first_cell, const Tensor& batch_sizes) {
  const LayerForm form = checked(layer, input, first, first_cell, batch_sizes);
  if (is_half(input.dtype()))
    return to(recurrent_layer(in_float(layer), in_float(input), in_float(first),
                              in_float(first_cell), batch_sizes),
              input.dtype());
  const char* const op = name_of(layer.cell);
  // What the input adds, of all steps at once. The kernel writes over it: nobody else has it, and
  // its own gradient does not read it.
  const Tensor gates = linear(input, layer.input_weight, layer.input_bias);
  const Tensor weight = dense(layer.hidden_weight), from = dense(first);
  const Tensor from_cell = dense(first_cell);
  const Tensor out = empty_of(op, {form.all_rows(), form.hidden}, input.dtype(), input.device());
  const Tensor cells = form.keeps_more()
                           ? empty_of(op, {form.rows, form.hidden}, input.dtype(), input.device())
                           : Tensor();
  kernels::run(views(form, gates, weight, dense(layer.hidden_bias), from, from_cell, cells, out,
                     batch_sizes),
               input.device());
  const Operand none = Scalar::of(0.0);
  const auto or_none = [&](const Tensor& tensor) { return tensor ? Operand(tensor) : none; };
  if (!must_record(
          {gates, layer.hidden_weight, or_none(layer.hidden_bias), first, or_none(first_cell)}))
    return out;
  Counted<GradNode> node = GradNode::make(op, out);
  for (const Tensor* operand :
       {&gates, &layer.hidden_weight, &layer.hidden_bias, &first, &first_cell})
    node->add_edge([&] { return *operand ? edge_of(*operand) : Edge(); });
  node->set_rule([form](const Backward& at) { return layer_gradients(at, form); });
  const Tensor overwritten = detach(gates);
  const Other others[] = {{"its gates", overwritten},    {"weight_hh", layer.hidden_weight},
                          {"its first states", first},   {"its first cells", first_cell},
                          {"its cells", cells},          {"batch_sizes", batch_sizes},
                          {"its input", input},          {"weight_ih", layer.input_weight},
                          {"bias_ih", layer.input_bias}, {"bias_hh", layer.hidden_bias}};
  node->keep_others(others);
  attach(std::move(node), out, Keep::output);
  return out;
}

}  // namespace garboard
