#include "python/bindings/elementwise/families.h"

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "csrc/ops/elementwise/unary.h"
#include "python/bindings/call/methods.h"
#include "python/bindings/elementwise/docs.h"

namespace garboard::python {
namespace {

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}

bool takes_floats_alone(const kernels::Slot& kernel) { return kernel.accepts.has_gradients(); }

/// What makes a DTypeError: what the kernel refuses, `number` where that may not fit, `category`
/// where that of the result may be too high for what is written.
std::string dtype_errors(const kernels::Slot& kernel, std::string_view number,
                         std::string_view category) {
  std::string text;
  const auto add = [&](std::string_view cause) {
    if (!cause.empty()) text += joined({text.empty() ? "\nDTypeError: " : "; or ", cause});
  };
  if (!kernel.takes(DType::float32)) add("a dtype is a floating one");
  if (kernel.takes(DType::int64) && !kernel.takes(DType::boolean)) add("the dtype is bool");
  if (kernel.takes(DType::int64)) add(number);
  if (!kernel.gives_bool) add(category);
  if (text.empty()) return text;
  char& first = text[std::string_view("\nDTypeError: ").size()];
  first = static_cast<char>(std::toupper(first));
  return text + ".";
}

std::string result_of(const kernels::Slot& kernel, const char* shape, const char* dtype) {
  if (kernel.gives_bool) return joined({"A new bool tensor of ", shape, "; or `out`."});
  return joined(
      {"A new tensor of ", shape, " and ", dtype,
       takes_floats_alone(kernel) ? ", float32 for integers and bools; or `out`." : "; or `out`."});
}

/// What the graph holds on to, and whether a gradient passes at all.
std::string graph_of(Keep keep, GradientRule rule, const char* second) {
  if (!rule) return " No gradient passes.";
  if (rule == gradients::zero) return " Its gradient is 0.";
  if (keep == Keep::nothing) return " The graph keeps no tensor.";
  if (has(keep, Keep::crosswise))
    return " Until backward the graph keeps each operand whose partner requires grad.";
  std::vector<std::string> names;
  if (has(keep, Keep::first)) names.push_back("`input`");
  if (has(keep, Keep::second)) names.push_back(joined({"`", second, "`"}));
  if (has(keep, Keep::output)) names.push_back("the result");
  std::string kept;
  for (std::size_t i = 0; i < names.size(); ++i)
    kept += joined({i == 0 ? "" : i + 1 == names.size() ? " and " : ", ", names[i]});
  return joined({" Until backward the graph keeps ", kept, "."});
}

std::string in_place_summary(std::string_view summary) {
  summary.remove_suffix(1);  // the full stop
  return joined({summary, ", in place."});
}

std::string in_place_details(const char* details) {
  return joined({details, *details ? " " : "", docs::spoils_others});
}

/// A test's result as the numbers that are written over the operand.
std::string in_place_output(std::string output, const kernels::Slot& kernel) {
  if (!kernel.gives_bool) return output;
  for (std::size_t at; (at = output.find("False")) != output.npos;) output.replace(at, 5, "0");
  for (std::size_t at; (at = output.find("True")) != output.npos;) output.replace(at, 4, "1");
  return output;
}

std::string example_of(std::string_view name, std::initializer_list<const char*> operands,
                       std::string_view output) {
  std::string call = joined({">>> gb.", name, "("});
  const char* comma = "";
  for (const char* const operand : operands) {
    call += joined({comma, "gb.tensor(", operand, ")"});
    comma = ", ";
  }
  return joined({call, ")\ntensor(", output, ")"});
}

const char* second_of(const Binary& op) {
  return std::string_view(op.name) == "pow" ? "exponent" : "other";
}

}  // namespace

Doc doc_of(const Unary& op) {
  return {
      .summary = op.summary,
      .details = op.details,
      .args = {{"input", takes_floats_alone(op.kernel)
                             ? "Tensor of any shape; integers and bools are taken as float32."
                             : "Tensor of any shape."},
               docs::out},
      .returns = keep(result_of(op.kernel, "`input`'s shape", "dtype") +
                      graph_of(op.keep, op.gradient, "")),
      .raises = keep(joined({"ShapeError: `out` has other sizes than `input`.",
                             dtype_errors(op.kernel, "", docs::above_out), docs::device_error,
                             op.gradient ? docs::out_gradient : docs::out_requires_grad})),
      .example = keep(example_of(op.name, {op.example.input}, op.example.output)),
  };
}

Doc in_place_doc_of(const Unary& op) {
  const bool may_convert = takes_floats_alone(op.kernel);
  return {
      .summary = keep(in_place_summary(op.summary)),
      .details = keep(in_place_details(op.details)),
      .returns = docs::itself,
      .raises = keep(
          joined({"ShapeError: `input` meets an element twice, as what `expand` "
                  "returns.",
                  dtype_errors(op.kernel, "", may_convert ? "`input` is of integers or bools" : ""),
                  docs::in_place_gradient})),
      .example = keep(example_of(joined({op.name, "_"}), {op.example.input},
                                 in_place_output(op.example.output, op.kernel))),
  };
}

Doc doc_of(const Binary& op) {
  const char* const number = op.wraps ? "" : docs::number_does_not_fit;
  return {
      .summary = op.summary,
      .details = op.details,
      .args = {docs::first_operand, {second_of(op), docs::second_operand}, docs::out},
      .returns = keep(result_of(op.kernel, "the broadcast shape", "the promoted dtype") +
                      graph_of(op.keep, op.gradient, second_of(op))),
      .raises = keep(
          joined({docs::broadcast_fails, dtype_errors(op.kernel, number, docs::above_out),
                  docs::device_error, op.gradient ? docs::out_gradient : docs::out_requires_grad})),
      .example = keep(example_of(op.name, {op.example.input, op.example.other}, op.example.output)),
  };
}

Doc in_place_doc_of(const Binary& op) {
  const char* const number = op.wraps ? "" : docs::number_does_not_fit;
  return {
      .summary = keep(in_place_summary(op.summary)),
      .details = keep(in_place_details(op.details)),
      .args = {{second_of(op), docs::in_place_operand}},
      .returns = docs::itself,
      .raises = keep(joined({docs::in_place_broadcast_fails,
                             dtype_errors(op.kernel, number, docs::above_input), docs::device_error,
                             docs::in_place_gradient})),
      .example = keep(example_of(joined({op.name, "_"}), {op.example.input, op.example.other},
                                 in_place_output(op.example.output, op.kernel))),
  };
}

}  // namespace garboard::python
