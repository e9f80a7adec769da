// The elementwise families: each op's declaration gives its function, method and in-place method.
#include <cmath>
#include <limits>

#include "csrc/ops/create/convert.h"
#include "csrc/ops/elementwise/bessel.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/gamma_integrals.h"
#include "csrc/ops/elementwise/special.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/elementwise/transcendental.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/index/mask.h"
#include "csrc/ops/op/operators.h"
#include "python/bindings/call/methods.h"
#include "python/bindings/elementwise/docs.h"
#include "python/bindings/elementwise/families.h"
#include "python/bindings/elementwise/forms.h"

namespace garboard::python {
namespace {

enum class Approximation : std::uint8_t { none, tanh };

}  // namespace

template <>
struct Choices<Approximation> {
  static constexpr std::string_view annotation = "Literal['none', 'tanh']";
  static constexpr std::array<std::pair<const char*, Approximation>, 2> names{
      {{"none", Approximation::none}, {"tanh", Approximation::tanh}}};
};

namespace {

template <const Unary& op>
constexpr auto unary = [](const Tensor& input, const Out& out) {
  return made_or_written(
      out, [&] { return op(input); }, [&](const Tensor& to) { op.into(to, input); });
};
template <const Unary& op>
constexpr auto unary_in_place = [](const Tensor& input) {
  op.apply_in_place(input);
  return Itself();
};

template <const Binary& op>
constexpr auto binary = [](const Operand& a, const Operand& b, const Out& out) {
  const auto run = [&](const Operand& left) {
    return made_or_written(
        out, [&] { return op(left, b); }, [&](const Tensor& to) { op.into(to, left, b); });
  };
  if (&op == &mul || &op == &floor_divide) return with_tensor(a, b, run);
  refuse_two_numbers(op.name, a, b);
  return run(a);
};
template <const Binary& op>
constexpr auto binary_in_place = [](const Tensor& input, const Operand& other) {
  op.apply_in_place(input, other);
  return Itself();
};

// add and sub have PyTorch's `alpha`, the factor of the second operand.
Scalar negative(Scalar scalar) {
  if (scalar.category == Category::complex)
    return Scalar::of(Complex<double>(-scalar.real, -scalar.imaginary));
  return scalar.is_whole() ? Scalar::of(-scalar.integer) : Scalar::of(-scalar.real);
}

template <const Binary& op>
Tensor scaled(const Tensor* out, const Operand& a, const Operand& b, const Scalar& alpha) {
  if (!a.tensor && !b.tensor)
    return with_tensor(a, b, [&](const Operand& left) { return scaled<op>(out, left, b, alpha); });
  if (alpha.is(1)) {
    if (!out) return op(a, b);
    op.into(*out, a, b);
    return {};
  }
  const bool is_of_bools = &op == &add && result_dtype({&a, &b}) == DType::boolean;
  if (is_of_bools && alpha.is_whole()) {
    const Scalar times = Scalar::of(alpha.integer != 0);
    const Scalar one = Scalar::of(std::int64_t{1});
    if (!b.tensor) return scaled<op>(out, a, alpha.integer != 0 ? b : times, one);
    return scaled<op>(out, a, logical_and(b, times), one);
  }
  const Scalar factor = &op == &sub ? negative(alpha) : alpha;
  if (!out) return add_scaled(a, b, factor);
  add_scaled.into(*out, a, b, factor);
  return {};
}

/// As `moved`, of half types by a number, which is no half: 0.999 would be 1 in bfloat16.
Tensor moved_in_float(const Tensor* out, const Tensor& input, const Tensor& end,
                      const Operand& weight) {
  const Tensor from = to(input, DType::float32), towards = to(end, DType::float32);
  if (out && out != &input) {
    lerp.into(*out, from, towards, weight);
    return {};
  }
  const Tensor made = to(lerp(from, towards, weight), input.dtype());
  if (!out) return made;
  copy_(*out, made);
  return {};
}

Tensor moved(const Tensor* out, const Tensor& input, const Tensor& end, const Operand& weight) {
  const bool are_halves = is_half(input.dtype()) && end.dtype() == input.dtype();
  if (!weight.tensor && are_halves && weight.scalar.category != Category::complex)
    return moved_in_float(out, input, end, weight);
  if (!out) return lerp(input, end, weight);
  lerp.into(*out, input, end, weight);
  return {};
}

using Bound = std::optional<Operand>;

/// The bound; where it is left out, one that moves nothing.
Operand bound_or_none(const Bound& bound, DType dtype, bool is_low) {
  if (bound) return *bound;
  return visit_dtype(dtype, [&]<class T>(Type<T>) {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::is_same_v<T, bool>)
      return Scalar::of(!is_low);
    else if constexpr (Limits::is_integer)
      return Scalar::of(static_cast<std::int64_t>(is_low ? Limits::min() : Limits::max()));
    else
      return Scalar::of(is_low ? -HUGE_VAL : HUGE_VAL);
  });
}

template <const Ternary& op>
Tensor clamped(const Tensor* out, const Tensor& input, const Bound& low, const Bound& high) {
  if (!low && !high)  // a RuntimeError in PyTorch
    throw DTypeError("clamp: neither min nor max; at least one is needed");
  const Operand first(input), given = low ? *low : *high;
  const DType dtype = result_dtype({&first, &given});
  const Operand from = bound_or_none(low, dtype, true), to = bound_or_none(high, dtype, false);
  if (!out) return op(input, from, to);
  op.into(*out, input, from, to);
  return {};
}

constexpr Ternary clamp_called(const char* name) {
  Ternary op = clamp_between;
  op.name = name;
  return op;
}
template <bool is_low>
constexpr Ternary clamp_on_a_side = clamp_called(is_low ? "clamp_min" : "clamp_max");

template <bool is_low>
Tensor bounded(const Tensor* out, const Tensor& input, const Operand& bound) {
  if (!out && input.dtype() == DType::boolean)  // which has no clamp, but an order
    return is_low ? maximum(input, bound) : minimum(input, bound);
  constexpr auto& op = clamp_on_a_side<is_low>;
  return is_low ? clamped<op>(out, input, bound, {}) : clamped<op>(out, input, {}, bound);
}

template <class Family, std::size_t index>
constexpr const auto& op_at = *Family::ops[index];

struct UnaryFamily {
  static constexpr auto& ops = unary_ops;
  static constexpr const char* signature_of(std::string_view) {
    return "input: Tensor, *, out: Tensor | None = None";
  }
  static constexpr const char* in_place_signature_of(std::string_view) { return "input: Tensor"; }
  template <const Unary& op>
  static constexpr auto fresh = unary<op>;
  template <const Unary& op>
  static constexpr auto in_place = unary_in_place<op>;
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
  static constexpr auto fresh = binary<op>;
  template <const Binary& op>
  static constexpr auto in_place = binary_in_place<op>;
};

struct TranscendentalFamily : UnaryFamily {
  static constexpr auto& ops = transcendental_ops;
};
struct PairFamily : BinaryFamily {
  static constexpr auto& ops = transcendental_pairs;
};

struct SpecialFamily : UnaryFamily {
  static constexpr auto& ops = special_ops;
};
struct SpecialPairFamily : BinaryFamily {
  static constexpr auto& ops = special_pairs;
};
struct BesselFamily : UnaryFamily {
  static constexpr auto& ops = bessel_ops;
};
struct TailFamily : UnaryFamily {
  static constexpr auto& ops = tail_ops;
};
struct IntegralPairFamily : BinaryFamily {
  static constexpr auto& ops = integral_pairs;
};

/// The tables of a family; names with `_` are made once, before the tables are read.
template <class Family>
constexpr std::size_t size_of = std::tuple_size_v<std::remove_cvref_t<decltype(Family::ops)>>;

template <class Family>
std::array<Method, size_of<Family>> fresh = {};
template <class Family>
std::array<Method, size_of<Family>> in_place = {};

/// Of a row whose texts are put together when the tables are.
constexpr Doc doc_later{};

bool has_own_signature(std::string_view name) {
  return name == "add" || name == "sub" || name == "div" || name == "round";
}

template <class Family>
void add_family() {
  [&]<std::size_t... indices>(std::index_sequence<indices...>) {
    const auto add_one = [&]<std::size_t i>() {
      constexpr const auto& op = op_at<Family, i>;
      if (has_own_signature(op.name)) return;
      constexpr const char* signature = Family::signature_of(op.name);
      fresh<Family>[i] =
          bind(op.name, signature, doc_later, Family::template fresh<op>, op.place, "Tensor");
      fresh<Family>[i].doc = &keep(doc_of(op));
      add_entry<fresh<Family>, i, 1, parameter_count(signature)>();
      if (op.in_place == InPlace::no) return;
      constexpr const char* in_place_signature = Family::in_place_signature_of(op.name);
      in_place<Family>[i] = bind(op.name, in_place_signature, doc_later,
                                 Family::template in_place<op>, Place::method);
      in_place<Family>[i].name = keep(std::string(op.name) + "_");
      in_place<Family>[i].doc = &keep(in_place_doc_of(op));
      add_entry<in_place<Family>, i, 1, parameter_count(in_place_signature)>();
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

constexpr auto add_forms = FormsOf{.name = "add",
                                   .signature = scaled_signature,
                                   .doc = docs::add,
                                   .in_place_name = "add_",
                                   .in_place_signature = scaled_in_place_signature,
                                   .in_place_doc = docs::add_}
                               .rows<scaled<add>>();
constexpr auto sub_forms = FormsOf{.name = "sub",
                                   .signature = scaled_signature,
                                   .doc = docs::sub,
                                   .in_place_name = "sub_",
                                   .in_place_signature = scaled_in_place_signature,
                                   .in_place_doc = docs::sub_}
                               .rows<scaled<sub>>();
constexpr auto lerp_forms =
    FormsOf{.name = "lerp",
            .signature =
                "input: Tensor, end: Tensor, weight: Tensor | Number, *, "
                "out: Tensor | None = None",
            .doc = docs::lerp,
            .in_place_name = "lerp_",
            .in_place_signature = "input: Tensor, end: Tensor, weight: Tensor | Number",
            .in_place_doc = docs::lerp_}
        .rows<moved>();
constexpr auto clamp_forms =
    FormsOf{.name = "clamp",
            .signature =
                "input: Tensor, min: Tensor | Number | None = None, "
                "max: Tensor | Number | None = None, *, out: Tensor | None = None",
            .doc = docs::clamp,
            .in_place_name = "clamp_",
            .in_place_signature =
                "input: Tensor, min: Tensor | Number | None = None, "
                "max: Tensor | Number | None = None",
            .in_place_doc = docs::clamp_}
        .rows<clamped<clamp_between>>();

constexpr auto clamp_min_forms =
    FormsOf{.name = "clamp_min",
            .signature = "input: Tensor, min: Tensor | Number, *, out: Tensor | None = None",
            .doc = docs::clamp_min,
            .in_place_name = "clamp_min_",
            .in_place_signature = "input: Tensor, min: Tensor | Number",
            .in_place_doc = docs::clamp_min_}
        .rows<bounded<true>>();
constexpr auto clamp_max_forms =
    FormsOf{.name = "clamp_max",
            .signature = "input: Tensor, max: Tensor | Number, *, out: Tensor | None = None",
            .doc = docs::clamp_max,
            .in_place_name = "clamp_max_",
            .in_place_signature = "input: Tensor, max: Tensor | Number",
            .in_place_doc = docs::clamp_max_}
        .rows<bounded<false>>();

constexpr std::array others{
    bind(
        "gelu", "input: Tensor, *, approximate: Literal['none', 'tanh'] = 'none'", docs::gelu,
        [](const Tensor& input, Approximation approximate) {
          return approximate == Approximation::tanh ? gelu_tanh(input) : gelu(input);
        },
        Place::functional)
        .with_out(),
    bind(
        "where", "condition: Tensor, input: Tensor | Number, other: Tensor | Number", docs::where,
        [](const Tensor& condition, const Operand& input, const Operand& other) {
          return where(condition, input, other);
        },
        Place::functional)
        .with_out(),
    bind("where", "condition: Tensor", docs::where, fn<nonzero_places>, Place::functional)
        .with_out(),
};

constexpr std::array where_method{
    bind(
        "where", "input: Tensor, condition: Tensor, other: Tensor | Number", docs::where_method,
        [](const Tensor& input, const Tensor& condition, const Operand& other) {
          return where(condition, input, other);
        },
        Place::method),
};

}  // namespace

void add_elementwise_methods() {
  add_family<UnaryFamily>();
  add_family<BinaryFamily>();
  add_table<add_forms>();
  add_table<sub_forms>();
  add_family<TranscendentalFamily>();
  add_family<PairFamily>();
  add_family<SpecialFamily>();
  add_family<SpecialPairFamily>();
  add_family<BesselFamily>();
  add_family<TailFamily>();
  add_family<IntegralPairFamily>();
  add_table<others>();
  add_table<where_method>();
  add_table<lerp_forms>();
  add_table<clamp_forms>();
  add_table<clamp_min_forms>();
  add_table<clamp_max_forms>();
}

}  // namespace garboard::python
