// The elementwise families: each op's declaration gives its function, method and in-place method.
#include <cmath>
#include <limits>

#include "csrc/ops/binary.h"
#include "csrc/ops/convert.h"
#include "csrc/ops/operators.h"
#include "csrc/ops/ternary.h"
#include "csrc/ops/unary.h"
#include "python/bindings/docs/elementwise.h"
#include "python/bindings/docs/elementwise_families.h"
#include "python/bindings/methods.h"
#include "python/bindings/unicode.h"

namespace garboard::python {
namespace {

template <const Unary& op>
PyObject* call_unary(const Arguments& arguments) {
  const Tensor& input = arguments.tensor(0);
  if (!arguments.has(1)) return wrap(op(input));
  op.into(arguments.tensor(1), input);
  return same(arguments, 1);
}

template <const Unary& op>
PyObject* call_unary_in_place(const Arguments& arguments) {
  op.apply_in_place(arguments.tensor(0));
  return same(arguments);
}

template <const Binary& op>
PyObject* call_binary(const Arguments& arguments) {
  const auto [a, b] = arguments.operands(0, 1);
  if (!a.tensor && !b.tensor)
    throw_type_error("%s: two numbers; at least one Tensor is needed", op.name);
  if (!arguments.has(2)) return wrap(op(a, b));
  op.into(arguments.tensor(2), a, b);
  return same(arguments, 2);
}

template <const Binary& op>
PyObject* call_binary_in_place(const Arguments& arguments) {
  op.apply_in_place(arguments.tensor(0), arguments.operand(1));
  return same(arguments);
}

// add and sub have PyTorch's `alpha`.
Scalar negative(Scalar scalar) {
  return scalar.category == Category::floating ? Scalar::of(-scalar.real)
                                               : Scalar::of(-scalar.integer);
}
/// The factor of the second operand.
Scalar alpha_of(const Arguments& arguments, bool subtracts) {
  const Scalar alpha = arguments.has(2) ? arguments.scalar(2) : Scalar::of(std::int64_t{1});
  return subtracts ? negative(alpha) : alpha;
}
bool is_plain(const Scalar& alpha, bool subtracts) { return alpha.real == (subtracts ? -1 : 1); }

template <const Binary& op, bool subtracts>
PyObject* call_scaled(const Arguments& arguments) {
  const auto [a, b] = arguments.operands(0, 1);
  if (!a.tensor && !b.tensor)
    throw_type_error("%s: two numbers; at least one Tensor is needed", op.name);
  const Scalar alpha = alpha_of(arguments, subtracts);
  const bool plain = is_plain(alpha, subtracts);
  if (!arguments.has(3)) return wrap(plain ? op(a, b) : add_scaled(a, b, alpha));
  const Tensor& out = arguments.tensor(3);
  plain ? op.into(out, a, b) : add_scaled.into(out, a, b, alpha);
  return same(arguments, 3);
}

template <const Binary& op, bool subtracts>
PyObject* call_scaled_in_place(const Arguments& arguments) {
  const Tensor& self = arguments.tensor(0);
  const Operand other = arguments.operand(1);
  const Scalar alpha = alpha_of(arguments, subtracts);
  if (is_plain(alpha, subtracts)) {
    op.apply_in_place(self, other);
  } else {
    add_scaled.into(self, self, other, alpha);
  }
  return same(arguments);
}

const Unary& gelu_of(const Arguments& arguments) {
  if (!arguments.object(1)) return gelu;
  PyObject* const given = arguments.object(1);
  const std::string text = PyUnicode_Check(given) ? text_or_mark(given) : "";
  if (text == "none") return gelu;
  if (text == "tanh") return gelu_tanh;
  throw_no_choice("gelu", "approximate", given, "'none' or 'tanh'");
}

/// The bound at `i`; where it is left out, one that moves nothing.
Operand bound(const Arguments& arguments, int i, DType dtype, bool is_low) {
  if (arguments.has(i)) return arguments.operand(i);
  if (is_floating(dtype)) return Scalar::of(is_low ? -HUGE_VAL : HUGE_VAL);
  if (dtype == DType::uint8) return Scalar::of(std::int64_t{is_low ? 0 : 255});
  using Limits = std::numeric_limits<std::int64_t>;
  using Limits32 = std::numeric_limits<std::int32_t>;
  if (dtype == DType::int32)
    return Scalar::of(std::int64_t{is_low ? Limits32::min() : Limits32::max()});
  return Scalar::of(is_low ? Limits::min() : Limits::max());
}

struct Bounds {
  explicit Bounds(const Arguments& arguments) : Bounds(arguments, arguments.tensor(0)) {
    if (!arguments.has(1) && !arguments.has(2))
      throw_type_error("clamp: neither min nor max; at least one is needed");
  }
  const Tensor& input;
  Operand low, high;

 private:
  Bounds(const Arguments& arguments, const Tensor& input)
      : Bounds(input, arguments.has(1) && arguments.has(2)
                          ? arguments.operands(1, 2)
                          : std::pair(bound(arguments, 1, input.dtype(), true),
                                      bound(arguments, 2, input.dtype(), false))) {}
  Bounds(const Tensor& input, const std::pair<Operand, Operand>& both)
      : input(input), low(both.first), high(both.second) {}
};

template <class Family, std::size_t index>
constexpr const auto& op_at = *Family::ops[index];

struct UnaryFamily {
  static constexpr auto& ops = unary_ops;
  static constexpr const char* signature_of(std::string_view) {
    return "input: Tensor, *, out: Tensor | None = None";
  }
  static constexpr const char* in_place_signature_of(std::string_view) { return "input: Tensor"; }
  template <const Unary& op>
  static constexpr auto call = call_unary<op>;
  template <const Unary& op>
  static constexpr auto call_in_place = call_unary_in_place<op>;
};
struct BinaryFamily {
  static constexpr auto& ops = binary_ops;
  static constexpr const char* signature_of(std::string_view name) {
    if (name == "pow")  // PyTorch's name for the second operand
      return "input: Tensor | Number, exponent: Tensor | Number, *, out: Tensor | None = None";
    return "input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None";
  }
  static constexpr const char* in_place_signature_of(std::string_view name) {
    return name == "pow" ? "input: Tensor, exponent: Tensor | Number"
                         : "input: Tensor, other: Tensor | Number";
  }
  template <const Binary& op>
  static constexpr auto call = call_binary<op>;
  template <const Binary& op>
  static constexpr auto call_in_place = call_binary_in_place<op>;
};

/// The tables of a family; names with `_` are made once, before the tables are read.
template <class Family>
constexpr std::size_t size_of = std::tuple_size_v<std::remove_cvref_t<decltype(Family::ops)>>;

template <class Family>
std::array<Method, size_of<Family>> fresh = {};
template <class Family>
std::array<Method, size_of<Family>> in_place = {};

bool has_own_signature(std::string_view name) { return name == "add" || name == "sub"; }

template <class Family>
void add_family() {
  [&]<std::size_t... indices>(std::index_sequence<indices...>) {
    const auto add_one = [&]<std::size_t i>() {
      constexpr const auto& op = op_at<Family, i>;
      if (has_own_signature(op.name)) return;
      fresh<Family>[i] = {op.name,  Family::signature_of(op.name), "Tensor", &keep(doc_of(op)),
                          op.place, Family::template call<op>};
      add_entry<fresh<Family>, i, parameter_count(Family::signature_of(op.name))>();
      if (op.in_place == InPlace::no) return;
      in_place<Family>[i] = {keep(std::string(op.name) + "_"),
                             Family::in_place_signature_of(op.name),
                             "Tensor",
                             &keep(in_place_doc_of(op)),
                             Place::method,
                             Family::template call_in_place<op>};
      add_entry<in_place<Family>, i, parameter_count(Family::in_place_signature_of(op.name))>();
    };
    (add_one.template operator()<indices>(), ...);
  }
  (std::make_index_sequence<size_of<Family>>());
}

constexpr const char* scaled_signature =
    "input: Tensor | Number, other: Tensor | Number, *, alpha: Number = 1, out: Tensor | None = "
    "None";
constexpr const char* scaled_in_place_signature =
    "input: Tensor, other: Tensor | Number, *, alpha: Number = 1";

constexpr std::array others{
    Method{"add", scaled_signature, "Tensor", &docs::add, Place::everywhere,
           call_scaled<add, false>},
    Method{"add_", scaled_in_place_signature, "Tensor", &docs::add_, Place::method,
           call_scaled_in_place<add, false>},
    Method{"sub", scaled_signature, "Tensor", &docs::sub, Place::everywhere,
           call_scaled<sub, true>},
    Method{"sub_", scaled_in_place_signature, "Tensor", &docs::sub_, Place::method,
           call_scaled_in_place<sub, true>},
    Method{"gelu", "input: Tensor, *, approximate: str = 'none'", "Tensor", &docs::gelu,
           Place::functional,
           [](const Arguments& given) { return wrap(gelu_of(given)(given.tensor(0))); }},
    Method{"where", "condition: Tensor, input: Tensor | Number, other: Tensor | Number", "Tensor",
           &docs::where, Place::functional,
           [](const Arguments& given) {
             const Tensor& condition = given.tensor(0);
             const auto [input, other] = given.operands(1, 2);
             return wrap(where(condition, input, other));
           }},
    Method{"lerp", "input: Tensor, end: Tensor, weight: Tensor | Number", "Tensor", &docs::lerp,
           Place::everywhere,
           [](const Arguments& given) {
             const Tensor& end = given.tensor(1);
             return wrap(lerp(given.tensor(0), end, given.operand(2)));
           }},
    Method{"lerp_", "input: Tensor, end: Tensor, weight: Tensor | Number", "Tensor", &docs::lerp_,
           Place::method,
           [](const Arguments& given) {
             const Tensor &self = given.tensor(0), &end = given.tensor(1);
             lerp.into(self, self, end, given.operand(2));
             return same(given);
           }},
    Method{"clamp",
           "input: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None",
           "Tensor", &docs::clamp, Place::everywhere,
           [](const Arguments& given) {
             const Bounds bounds(given);
             return wrap(clamp_between(bounds.input, bounds.low, bounds.high));
           }},
    Method{"clamp_",
           "input: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None",
           "Tensor", &docs::clamp_, Place::method,
           [](const Arguments& given) {
             const Bounds bounds(given);
             clamp_between.into(bounds.input, bounds.input, bounds.low, bounds.high);
             return same(given);
           }},
};

}  // namespace

void add_elementwise_methods() {
  add_family<UnaryFamily>();
  add_family<BinaryFamily>();
  add_table<others>();
}

}  // namespace garboard::python
