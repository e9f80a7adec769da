// The elementwise families: each op's declaration gives its function, method and in-place method.
#include <cmath>
#include <limits>

#include "csrc/ops/create/convert.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/op/operators.h"
#include "python/bindings/call/methods.h"
#include "python/bindings/methods/elementwise_docs.h"
#include "python/bindings/methods/elementwise_families.h"

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

/// Where the result goes: `out=`, or nowhere yet.
using Out = std::optional<Handle>;

/// Writes into `out` and returns it, or returns what is made.
template <class Make, class Write>
PyObject* made_or_written(const Out& out, Make make, Write write) {
  if (!out) return wrap(make());
  write(*out->tensor);
  return Py_NewRef(out->object);
}

void refuse_two_numbers(const char* op, const Operand& a, const Operand& b) {
  if (!a.tensor && !b.tensor)
    throw_type_error("%s: two numbers; at least one Tensor is needed", op);
}

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
  refuse_two_numbers(op.name, a, b);
  return made_or_written(
      out, [&] { return op(a, b); }, [&](const Tensor& to) { op.into(to, a, b); });
};
template <const Binary& op>
constexpr auto binary_in_place = [](const Tensor& input, const Operand& other) {
  op.apply_in_place(input, other);
  return Itself();
};

// add and sub have PyTorch's `alpha`, the factor of the second operand.
Scalar negative(Scalar scalar) {
  return scalar.category == Category::floating ? Scalar::of(-scalar.real)
                                               : Scalar::of(-scalar.integer);
}

template <const Binary& op>
constexpr auto scaled = [](const Operand& a, const Operand& b, Scalar alpha, const Out& out) {
  refuse_two_numbers(op.name, a, b);
  if (alpha.real == 1) return binary<op>(a, b, out);
  const Scalar factor = &op == &sub ? negative(alpha) : alpha;
  return made_or_written(
      out, [&] { return add_scaled(a, b, factor); },
      [&](const Tensor& to) { add_scaled.into(to, a, b, factor); });
};
template <const Binary& op>
constexpr auto scaled_in_place = [](const Tensor& input, const Operand& other, Scalar alpha) {
  if (alpha.real == 1) return binary_in_place<op>(input, other);
  add_scaled.into(input, input, other, &op == &sub ? negative(alpha) : alpha);
  return Itself();
};

using Bound = std::optional<Operand>;

/// The bound; where it is left out, one that moves nothing.
Operand bound_or_none(const Bound& bound, DType dtype, bool is_low) {
  if (bound) return *bound;
  if (is_floating(dtype)) return Scalar::of(is_low ? -HUGE_VAL : HUGE_VAL);
  if (dtype == DType::uint8) return Scalar::of(std::int64_t{is_low ? 0 : 255});
  using Limits = std::numeric_limits<std::int64_t>;
  using Limits32 = std::numeric_limits<std::int32_t>;
  if (dtype == DType::int32)
    return Scalar::of(std::int64_t{is_low ? Limits32::min() : Limits32::max()});
  return Scalar::of(is_low ? Limits::min() : Limits::max());
}

/// Calls `run` with both bounds.
template <class Run>
auto bounded(const Tensor& input, const Bound& low, const Bound& high, Run run) {
  if (!low && !high) throw_type_error("clamp: neither min nor max; at least one is needed");
  return run(bound_or_none(low, input.dtype(), true), bound_or_none(high, input.dtype(), false));
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

/// The tables of a family; names with `_` are made once, before the tables are read.
template <class Family>
constexpr std::size_t size_of = std::tuple_size_v<std::remove_cvref_t<decltype(Family::ops)>>;

template <class Family>
std::array<Method, size_of<Family>> fresh = {};
template <class Family>
std::array<Method, size_of<Family>> in_place = {};

/// Of a row whose texts are put together when the tables are.
constexpr Doc doc_later{};

bool has_own_signature(std::string_view name) { return name == "add" || name == "sub"; }

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

constexpr const char* clamped =
    "input: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None";
constexpr const char* moved = "input: Tensor, end: Tensor, weight: Tensor | Number";

constexpr std::array others{
    bind("add", scaled_signature, docs::add, scaled<add>, Place::everywhere, "Tensor"),
    bind("add_", scaled_in_place_signature, docs::add_, scaled_in_place<add>, Place::method),
    bind("sub", scaled_signature, docs::sub, scaled<sub>, Place::everywhere, "Tensor"),
    bind("sub_", scaled_in_place_signature, docs::sub_, scaled_in_place<sub>, Place::method),
    bind(
        "gelu", "input: Tensor, *, approximate: Literal['none', 'tanh'] = 'none'", docs::gelu,
        [](const Tensor& input, Approximation approximate) {
          return approximate == Approximation::tanh ? gelu_tanh(input) : gelu(input);
        },
        Place::functional),
    bind(
        "where", "condition: Tensor, input: Tensor | Number, other: Tensor | Number", docs::where,
        [](const Tensor& condition, const Operand& input, const Operand& other) {
          return where(condition, input, other);
        },
        Place::functional),
    bind("lerp", moved, docs::lerp,
         [](const Tensor& input, const Tensor& end, const Operand& weight) {
           return lerp(input, end, weight);
         }),
    bind(
        "lerp_", moved, docs::lerp_,
        [](const Tensor& input, const Tensor& end, const Operand& weight) {
          lerp.into(input, input, end, weight);
          return Itself();
        },
        Place::method),
    bind("clamp", clamped, docs::clamp,
         [](const Tensor& input, const Bound& low, const Bound& high) {
           return bounded(input, low, high, [&](const Operand& from, const Operand& to) {
             return clamp_between(input, from, to);
           });
         }),
    bind(
        "clamp_", clamped, docs::clamp_,
        [](const Tensor& input, const Bound& low, const Bound& high) {
          return bounded(input, low, high, [&](const Operand& from, const Operand& to) {
            clamp_between.into(input, input, from, to);
            return Itself();
          });
        },
        Place::method),
};

}  // namespace

void add_elementwise_methods() {
  add_family<UnaryFamily>();
  add_family<BinaryFamily>();
  add_table<others>();
}

}  // namespace garboard::python
