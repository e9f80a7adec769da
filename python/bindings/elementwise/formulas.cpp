// Elementwise functions that are formulas of others: one declaration gives function, method and
// method in place, with their docs.
#include <string>
#include <type_traits>

#include "csrc/ops/composite/elementwise.h"
#include "python/bindings/call/methods.h"
#include "python/bindings/elementwise/docs.h"
#include "python/bindings/elementwise/forms.h"

namespace garboard::python {

namespace {
enum class Rounding : std::uint8_t { floor, trunc };
}

template <>
struct Choices<Rounding> {
  static constexpr std::string_view annotation = "Literal['trunc', 'floor']";
  static constexpr std::array<std::pair<const char*, Rounding>, 2> names{
      {{"trunc", Rounding::trunc}, {"floor", Rounding::floor}}};
};

namespace {

Tensor rounded(const Tensor* out, const Tensor& input, const std::int64_t& decimals) {
  if (decimals != 0)
    return made_into("round", out, input,
                     [&](const Tensor& x) { return composite::rounded_to(x, decimals); });
  if (!out) return garboard::round(input);
  garboard::round.into(*out, input);
  return {};
}

Tensor divided(const Tensor* out, const Operand& a, const Operand& b,
               const std::optional<Rounding>& rounding) {
  if (!a.tensor && !b.tensor)
    return with_tensor(a, b, [&](const Operand& left) { return divided(out, left, b, rounding); });
  if (rounding == Rounding::trunc)
    return made_into("div", out, a,
                     [&](const Operand& x) { return composite::truncated_quotient(x, b); });
  const Binary& op = rounding ? floor_divide : garboard::div;
  if (!out) return op(a, b);
  op.into(*out, a, b);
  return {};
}

/// What Python calls a function made of others; `make` has the parameters of both signatures,
/// behind `out` where it knows a shorter way to write there.
template <auto make_>
struct ComposedOp {
  static constexpr auto make = make_;
  const char* name;
  const char* signature;  // ends with `out`
  Doc doc;                // that of the form in place follows from it
  const char* in_place_signature = "input: Tensor";
};

constexpr const char* unary_signature = "input: Tensor, *, out: Tensor | None = None";
constexpr const char* binary_signature =
    "input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None";
constexpr const char* binary_in_place_signature = "input: Tensor, other: Tensor | Number";

constexpr Arg any_real{"input", "Tensor of any shape; integers and bools are taken as float32."};
constexpr Arg any_number{"input", "Tensor of any shape and of any dtype but bool."};
constexpr Arg second{"other", docs::second_operand};
constexpr const char* like_input =
    "A new tensor of `input`'s shape and dtype, float32 for integers and bools; or `out`. Until "
    "backward the graph keeps what is made of `input`.";
constexpr const char* unary_raises =
    "ShapeError: `out` has other sizes than `input`.\n"
    "DTypeError: The result's category (bool, integer, floating) is above that of `out`.\n"
    "DeviceError: The tensors are on several devices.\n"
    "GradientError: Grad mode is on, `out` is given, and a tensor requires grad.";
constexpr const char* number_raises =
    "ShapeError: `out` has other sizes than `input`.\n"
    "DTypeError: The dtype is bool, or that of `out` is an integer one and the result's is not.\n"
    "DeviceError: The tensors are on several devices.\n"
    "GradientError: Grad mode is on, `out` is given, and a tensor requires grad.";
constexpr const char* binary_raises =
    "ShapeError: The sizes do not broadcast, or `out` has others than the result.\n"
    "DTypeError: The result's category (bool, integer, floating) is above that of `out`.\n"
    "DeviceError: The tensors are on several devices.\n"
    "GradientError: Grad mode is on, `out` is given, and a tensor requires grad.\n"
    "TypeError: Both operands are numbers.";

constexpr ComposedOp<composite::frac> frac{
    .name = "frac",
    .signature = unary_signature,
    .doc = {.summary = "Take the integer part away from `input`.",
            .details = "frac(x) = x - trunc(x), of x's sign.",
            .args = {any_number, docs::out},
            .returns =
                "A new tensor of `input`'s shape and dtype; or `out`. The graph keeps no tensor.",
            .raises = number_raises,
            .example = ">>> gb.frac(gb.tensor([1.5, -2.25]))\n"
                       "tensor([ 0.5000, -0.2500])"},
};
constexpr ComposedOp<composite::sinc> sinc{
    .name = "sinc",
    .signature = unary_signature,
    .doc = {.summary = "Compute sin(pi x) / (pi x) of `input`, which is 1 at 0.",
            .args = {any_real, docs::out},
            .returns = like_input,
            .raises = unary_raises,
            .example = ">>> gb.sinc(gb.tensor([0.0, 0.5]))\n"
                       "tensor([1.0000, 0.6366])"},
};
constexpr ComposedOp<composite::deg2rad> deg2rad{
    .name = "deg2rad",
    .signature = unary_signature,
    .doc = {.summary = "Convert degrees to radians.",
            .details = "deg2rad(x) = x pi / 180.",
            .args = {any_real, docs::out},
            .returns = like_input,
            .raises = unary_raises,
            .example = ">>> gb.deg2rad(gb.tensor([180.0, 90.0]))\n"
                       "tensor([3.1416, 1.5708])"},
};
constexpr ComposedOp<composite::rad2deg> rad2deg{
    .name = "rad2deg",
    .signature = unary_signature,
    .doc = {.summary = "Convert radians to degrees.",
            .details = "rad2deg(x) = x 180 / pi.",
            .args = {any_real, docs::out},
            .returns = like_input,
            .raises = unary_raises,
            .example = ">>> gb.rad2deg(gb.tensor([0.0, 3.0]))\n"
                       "tensor([  0.0000, 171.8873])"},
};
constexpr ComposedOp<composite::logit> logit{
    .name = "logit",
    .signature = "input: Tensor, eps: float | None = None, *, out: Tensor | None = None",
    .doc = {.summary = "Compute the logarithm of the odds of `input`.",
            .details = "logit(x) = ln(x / (1 - x)), NaN beyond [0, 1].",
            .args = {any_real,
                     {"eps", "With it, `input` is moved into [eps, 1 - eps] first."},
                     docs::out},
            .returns = like_input,
            .raises = unary_raises,
            .example = ">>> gb.logit(gb.tensor([0.5, 0.75]))\n"
                       "tensor([0.0000, 1.0986])"},
    .in_place_signature = "input: Tensor, eps: float | None = None",
};
constexpr ComposedOp<composite::float_power> float_power{
    .name = "float_power",
    .signature = "input: Tensor | Number, exponent: Tensor | Number, *, out: Tensor | None = None",
    .doc = {.summary = "Raise `input` to the power of `exponent` in float64.",
            .args = {docs::first_operand, {"exponent", docs::second_operand}, docs::out},
            .returns =
                "A new float64 tensor of the broadcast shape; or `out`. Until backward the graph "
                "keeps both as float64.",
            .raises = binary_raises,
            .example = ">>> gb.float_power(gb.tensor([2.0, 3.0], dtype=gb.float64), 2)\n"
                       "tensor([4., 9.], dtype=garboard.float64)"},
    .in_place_signature = "input: Tensor, exponent: Tensor | Number",
};
constexpr ComposedOp<composite::ldexp> ldexp{
    .name = "ldexp",
    .signature = "input: Tensor, other: Tensor | Number, *, out: Tensor | None = None",
    .doc = {.summary = "Multiply `input` by 2 to the power of `other`.",
            .args = {any_real, {"other", "Tensor that broadcasts, or a number."}, docs::out},
            .returns =
                "A new tensor of the broadcast shape and the promoted dtype, at least float32; or "
                "`out`. Until backward the graph keeps `input` and the power.",
            .raises = unary_raises,
            .example = ">>> gb.ldexp(gb.tensor([1.5, 3.0]), gb.tensor([2, -1]))\n"
                       "tensor([6.0000, 1.5000])"},
    .in_place_signature = binary_in_place_signature,
};
constexpr ComposedOp<composite::lcm> lcm{
    .name = "lcm",
    .signature = binary_signature,
    .doc = {.summary = "Compute the least common multiple of `input` and `other`.",
            .details = "At least 0, wrapping; 0 where one is 0.",
            .args = {docs::first_operand, second, docs::out},
            .returns = "A new tensor of the broadcast shape and the promoted integer dtype; or "
                       "`out`. No gradient passes.",
            .raises =
                "ShapeError: The sizes do not broadcast, or `out` has others than the result.\n"
                "DTypeError: The dtype is no integer one.\n"
                "DeviceError: The tensors are on several devices.\n"
                "TypeError: Both operands are numbers.",
            .example = ">>> gb.lcm(gb.tensor([4, 6]), gb.tensor([6, 0]))\n"
                       "tensor([12,  0])"},
    .in_place_signature = binary_in_place_signature,
};
constexpr ComposedOp<rounded> rounding{
    .name = "round",
    .signature = "input: Tensor, *, decimals: int = 0, out: Tensor | None = None",
    .doc = {.summary = "Round `input` to the nearest integer, or to so many decimals.",
            .details = "Halves go to the even neighbour. Integers and bools stay as they are.",
            .args = {{"input", "Tensor of any shape."},
                     {"decimals", "How many; -1 rounds to tens."},
                     docs::out},
            .returns = "A new tensor of `input`'s shape and dtype; or `out`. Its gradient is 0.",
            .raises =
                "ShapeError: `out` has other sizes than `input`.\n"
                "DTypeError: `decimals` is not 0 and the dtype no floating one; or the result's "
                "category (bool, integer, floating) is above that of `out`.\n"
                "DeviceError: The tensors are on several devices.\n"
                "GradientError: Grad mode is on, `out` is given, and a tensor requires grad.",
            .example = ">>> gb.round(gb.tensor([0.5, 1.5, -1.2]))\n"
                       "tensor([ 0.,  2., -1.])\n"
                       ">>> gb.round(gb.tensor([1.26, 2.0]), decimals=1)\n"
                       "tensor([1.3000, 2.0000])"},
    .in_place_signature = "input: Tensor, *, decimals: int = 0",
};
constexpr ComposedOp<divided> division{
    .name = "div",
    .signature =
        "input: Tensor | Number, other: Tensor | Number, *, rounding_mode: Literal['trunc', "
        "'floor'] | None = None, out: Tensor | None = None",
    .doc = {.summary = "Divide `input` by `other`.",
            .details =
                "Without rounding integers and bools are divided as float32. By 0 it is inf, or "
                "NaN for 0 / 0; of integers that are rounded 0.",
            .args = {docs::first_operand,
                     second,
                     {"rounding_mode",
                      "'trunc' rounds towards 0, 'floor' down; of integers both give integers. "
                      "Their gradient is 0."},
                     docs::out},
            .returns =
                "A new tensor of the broadcast shape and the promoted dtype, float32 for integers "
                "and bools that are not rounded; or `out`. Until backward the graph keeps `input` "
                "and `other`.",
            .raises =
                "ShapeError: The sizes do not broadcast, or `out` has others than the result.\n"
                "DTypeError: The result's category (bool, integer, floating) is above that of "
                "`out`; or bools are rounded.\n"
                "DeviceError: The tensors are on several devices.\n"
                "GradientError: Grad mode is on, `out` is given, and a tensor requires grad.\n"
                "TypeError: Both operands are numbers.\n"
                "ValueError: `rounding_mode` is no such word.",
            .example = ">>> gb.div(gb.tensor([1.0, 2.0]), gb.tensor([2.0, 8.0]))\n"
                       "tensor([0.5000, 0.2500])\n"
                       ">>> gb.div(gb.tensor([-7, 7]), 2, rounding_mode='trunc')\n"
                       "tensor([-3,  3])"},
    .in_place_signature =
        "input: Tensor, other: Tensor | Number, *, rounding_mode: Literal['trunc', 'floor'] | "
        "None = None",
};

/// What is said of the function, as of its form in place: without `input` and `out`.
Doc in_place_doc_of(const Doc& fresh, const char* name) {
  Doc doc = fresh;
  std::string summary(fresh.summary);
  summary.pop_back();  // the full stop
  doc.summary = keep(summary + ", in place.");
  doc.details =
      keep(std::string(fresh.details) + (*fresh.details ? " " : "") + docs::spoils_others);
  std::fill(std::begin(doc.args), std::end(doc.args), Arg{});
  std::copy_if(std::begin(fresh.args), std::end(fresh.args), std::begin(doc.args),
               [](const Arg& arg) {
                 const std::string_view word = arg.name ? arg.name : "input";
                 return word != "input" && word != "out";
               });
  doc.returns = docs::itself;
  doc.raises =
      keep(std::string(docs::in_place_broadcast_fails) + "\nDTypeError: " + docs::above_input +
           "." + docs::device_error + docs::in_place_gradient);
  std::string example(fresh.example);
  const std::string call = std::string(name) + "(";
  for (std::size_t at = 0; (at = example.find(call, at)) != example.npos; at += call.size() + 1)
    example.insert(at + call.size() - 1, "_");
  doc.example = keep(example);
  return doc;
}

template <auto make>
constexpr bool takes_out = requires {
  sizeof(Forms<make>);
};
template <const auto& formula, auto make = std::remove_cvref_t<decltype(formula)>::make>
using FormsOfFormula = typename std::conditional_t<takes_out<make>, std::type_identity<Forms<make>>,
                                                   std::type_identity<MadeForms<make>>>::type;

template <const auto& formula>
std::array<Method, 1> in_place_row = {};
template <const auto& formula>
constexpr std::array<Method, 1> fresh_row = {bind(formula.name, formula.signature, formula.doc,
                                                  fn<&FormsOfFormula<formula>::made_or_written>,
                                                  Place::everywhere, "Tensor")};

template <const auto& formula>
void add_formula() {
  add_table<fresh_row<formula>>();
  auto& row = in_place_row<formula>[0];
  constexpr Method bound = bind(formula.name, formula.in_place_signature, formula.doc,
                                fn<&FormsOfFormula<formula>::in_place>, Place::method);
  row = bound;
  row.name = keep(std::string(formula.name) + "_");
  row.doc = &keep(in_place_doc_of(formula.doc, formula.name));
  add_entry<in_place_row<formula>, 0, 1, parameter_count(formula.in_place_signature)>();
}

constexpr const char* bools_like_input =
    "A new bool tensor of `input`'s shape. No gradient passes.";
constexpr Doc isposinf{
    .summary = "Test where `input` is plus infinity.",
    .args = {{"input", "Tensor of any shape; integers and bools never are."}},
    .returns = bools_like_input,
    .example =
        ">>> gb.isposinf(gb.tensor([float('inf'), 1.0]))\n"
        "tensor([ True, False])",
};
constexpr Doc isneginf{
    .summary = "Test where `input` is minus infinity.",
    .args = {{"input", "Tensor of any shape; integers and bools never are."}},
    .returns = bools_like_input,
    .example =
        ">>> gb.isneginf(gb.tensor([-float('inf'), 1.0]))\n"
        "tensor([ True, False])",
};
constexpr Doc positive{
    .summary = "Give `input` as it is, as `+input` does.",
    .args = {any_number},
    .returns = "A new handle on `input`'s memory.",
    .raises = "DTypeError: The dtype is bool.",
    .example =
        ">>> gb.positive(gb.tensor([-1, 2]))\n"
        "tensor([-1,  2])",
};
constexpr Doc rsub{
    .summary = "Subtract `input` from `other`.",
    .details = "other - alpha * input.",
    .args = {{"input", "Tensor of any shape."},
             {"other", "Tensor whose sizes broadcast with `input`'s, or a number."},
             {"alpha", "What `input` is multiplied with first."}},
    .returns =
        "A new tensor of the broadcast shape and the promoted dtype. The graph keeps no tensor.",
    .raises =
        "ShapeError: The sizes do not broadcast.\n"
        "DTypeError: The dtype is bool.\n"
        "DeviceError: The tensors are on several devices.",
    .example =
        ">>> gb.rsub(gb.tensor([1, 2]), 10)\n"
        "tensor([9, 8])",
};

constexpr std::array without_forms{
    bind("isposinf", "input: Tensor", isposinf, fn<composite::is_infinity<true>>).with_out(),
    bind("isneginf", "input: Tensor", isneginf, fn<composite::is_infinity<false>>).with_out(),
    bind("positive", "input: Tensor", positive, fn<composite::positive>),
    bind(
        "rsub", "input: Tensor, other: Tensor | Number, *, alpha: Number = 1", rsub,
        [](const Tensor& input, const Operand& other, Scalar alpha) {
          return sub(other, alpha.is(1) ? input : mul(input, alpha));
        },
        Place::functional),
};

}  // namespace

void add_formulas() {
  add_formula<frac>();
  add_formula<sinc>();
  add_formula<deg2rad>();
  add_formula<rad2deg>();
  add_formula<logit>();
  add_formula<float_power>();
  add_formula<ldexp>();
  add_formula<lcm>();
  add_formula<rounding>();
  add_formula<division>();
  add_table<without_forms>();
}

}  // namespace garboard::python
