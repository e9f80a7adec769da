#include "csrc/ops/fuse/expression.h"

#include <algorithm>

namespace garboard {
// On other devices a chain is compiled, which users ask for.
bool Expression::is_large() const {
  return operand_.step || (operand_.tensor && operand_.tensor.device().is_cpu() &&
                           operand_.tensor.nbytes() >= least_chain_bytes);
}

bool Expression::is_recorded() const {
  return operand_.tensor && operand_.tensor.requires_grad() && is_grad_enabled();
}

Tensor Expression::made() const {
  if (const Counted<ChainStep> step = std::move(operand_.step)) {
    if (!step->made) {
      step->made = run_chain(*step);
      step->made_version = step->made.storage()->writes();
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
  Operand made[3] = {Scalar{}, Scalar{}, Scalar{}};
  std::ranges::transform(operands, made, [](const Expression& it) {
    it.made();
    return it.operand_.tensor ? Operand(it.operand_.tensor) : Operand(it.operand_.number);
  });
  result.operand_.tensor = op(made);
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
