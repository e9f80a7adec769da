// How composite ops are written down: their elementwise ops run as one chain where operands are
// large and nothing is recorded, else as they are called. A chain's gradient would run its ops once
// more.
#pragma once

#include <type_traits>

#include "csrc/ops/fuse/chain.h"
#include "csrc/ops/op/operand.h"

namespace garboard {

/// A tensor, a number, or what ops have yet to make of them.
class Expression {
 public:
  Expression(const Tensor& tensor) { operand_.tensor = tensor; }
  Expression(Scalar number) { operand_.number = number; }
  Expression(double number) : Expression(Scalar::of(number)) {}
  Expression(const Operand& given) : Expression(given.scalar) {
    if (given.tensor) operand_.tensor = *given.tensor;
  }

  /// The tensor, recorded as the ops would be. Raises what they raise.
  Tensor made() const;
  /// The sum of its elements, which are in memory only where they have been made.
  Tensor sum() const;
  Tensor mean() const;

  /// What an op makes of as many expressions as it has operands: see `of`.
  static Expression called(const ChainOp& op, std::initializer_list<Expression> operands);

 private:
  Tensor closed(const ChainOp& closing) const;
  bool is_large() const;
  bool is_recorded() const;

  mutable ChainOperand operand_;  // what has been made stays
};

template <const auto& op>
inline constexpr ChainOp as_chain_op = [] {
  ChainOp result;
  if constexpr (std::is_same_v<decltype(op), const Unary&>) result.unary = &op;
  if constexpr (std::is_same_v<decltype(op), const Binary&>) result.binary = &op;
  if constexpr (std::is_same_v<decltype(op), const Ternary&>) result.ternary = &op;
  return result;
}();

/// What an op by its declaration makes of expressions, as in `of<sub>(x, of<trunc>(x))`.
template <const auto& op, class... Operands>
Expression of(const Operands&... operands) {
  return Expression::called(as_chain_op<op>, {Expression(operands)...});
}

}  // namespace garboard
