#include "csrc/ops/fuse/expression.h"

#include <algorithm>

namespace garboard {
namespace {

Operand borrowed(const ChainOperand& operand) {
  return operand.tensor ? Operand(operand.tensor) : Operand(operand.number);
}

Tensor call(const ChainOp& op, std::span<const ChainOperand> operands) {
  if (op.unary) return (*op.unary)(operands[0].tensor);
  if (op.binary) return (*op.binary)(borrowed(operands[0]), borrowed(operands[1]));
  return (*op.ternary)(borrowed(operands[0]), borrowed(operands[1]), borrowed(operands[2]));
}

}  // namespace

bool Expression::is_large() const {
  return operand_.step || (operand_.tensor && operand_.tensor.nbytes() >= least_chain_bytes);
}

bool Expression::is_recorded() const {
  return operand_.tensor && operand_.tensor.requires_grad() && is_grad_enabled();
}

Tensor Expression::made() const {
  if (const Counted<ChainStep> step = std::move(operand_.step)) {
    if (!step->made) {
      step->made = run_chain(*step);
      step->made_version = step->made.storage()->version();
      step->operands = {};
    }
    operand_.tensor = step->made;
  }
  return operand_.tensor;
}

Expression Expression::called(const ChainOp& op, std::initializer_list<Expression> operands) {
  std::array<ChainOperand, 3> given;
  std::ranges::transform(operands, given.begin(), &Expression::operand_);
  Expression result{Scalar{}};
  if (std::ranges::any_of(operands, &Expression::is_large) &&
      std::ranges::none_of(operands, &Expression::is_recorded)) {
    result.operand_.step = chain_step(op, given);
    if (result.operand_.step) return result;
  }
  std::ranges::transform(operands, given.begin(), [](const Expression& it) {
    it.made();
    return it.operand_;
  });
  result.operand_.tensor = call(op, given);
  return result;
}

Tensor Expression::closed(const ChainOp& closing) const {
  if (operand_.step) {
    if (const Counted<ChainStep> step = chain_step(closing, {operand_})) return run_chain(*step);
  }
  return closing.closing->of(made());
}

Tensor Expression::sum() const {
  static const ChainOp& closing = *find_chain_op("sum");
  return closed(closing);
}

Tensor Expression::mean() const {
  static const ChainOp& closing = *find_chain_op("mean");
  return closed(closing);
}

}  // namespace garboard
