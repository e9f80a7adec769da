#include "csrc/ops/fuse/chain.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "csrc/core/error.h"
#include "csrc/ops/elementwise/activations.h"
#include "csrc/ops/elementwise/bessel.h"
#include "csrc/ops/elementwise/gamma_integrals.h"
#include "csrc/ops/elementwise/special.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/elementwise/transcendental.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/fuse/chain_on_device.h"
#include "csrc/ops/fuse/chain_run.h"

namespace garboard {
namespace {

/// So many ops run as one at most. It bounds how deep steps lie behind each other.
constexpr int most_weight = 64;

using OpsByName = std::unordered_map<std::string_view, ChainOp>;

OpsByName* all_ops() {
  auto* const all = new OpsByName;
  const auto add_all = [&](const auto& ops, auto member) {
    for (const auto* op : ops) {
      ChainOp entry;
      entry.*member = op;
      all->emplace(op->name, entry);
    }
  };
  add_all(unary_ops, &ChainOp::unary);
  add_all(transcendental_ops, &ChainOp::unary);
  add_all(special_ops, &ChainOp::unary);
  add_all(bessel_ops, &ChainOp::unary);
  add_all(activation_ops, &ChainOp::unary);
  add_all(tail_ops, &ChainOp::unary);
  add_all(binary_ops, &ChainOp::binary);
  add_all(transcendental_pairs, &ChainOp::binary);
  add_all(special_pairs, &ChainOp::binary);
  add_all(integral_pairs, &ChainOp::binary);
  add_all(activation_pairs, &ChainOp::binary);
  add_all(ternary_ops, &ChainOp::ternary);
  add_all(activation_triples, &ChainOp::ternary);
  for (const Closing& op : closings()) all->emplace(op.name, ChainOp{.closing = &op});
  return all;
}

bool takes_condition(const ChainOp& op) { return op.ternary && op.ternary->takes_condition; }

/// A step that has been made is what it made.
void look_behind(ChainOperand& operand) {
  if (!operand.step || !operand.step->made) return;
  operand.version = operand.step->made_version;
  operand.tensor = operand.step->made;
  operand.step = nullptr;
}

/// Whether pieces of it can be read later: nobody writes there without our knowing.
bool is_ours(const Tensor& tensor) {
  return fuses_on(tensor.device()) && !tensor.storage()->is_foreign &&
         tensor.storage()->export_count.load() == 0;
}

/// Sizes and dtypes of a call, or the reason why it runs on its own.
class CallPlan {
 public:
  bool make(const ChainOp& op, std::array<ChainOperand, 3>& operands) {
    for (int k = 0; k < op.operand_count(); ++k) {
      look_behind(operands[k]);
      if (!look_at(operands[k], takes_condition(op) && k == 0)) return false;
    }
    if (!dtype_ || !op.kernel().takes(*dtype_) || !has_tensor_) return false;
    if (is_complex(*dtype_)) return false;  // their gradients take another way
    if (has_number_ && !is_floating(*dtype_)) return false;
    if (has_number_ && is_half(*dtype_) && op.ternary == &lerp) return false;  // runs in float32
    const std::int64_t least = device_->is_cpu() ? least_chain_bytes : least_device_chain_bytes;
    return count() * static_cast<std::int64_t>(item_size(*dtype_)) >= least;
  }

  DType dtype() const { return *dtype_; }
  const Dims& sizes() const { return sizes_; }
  Device device() const { return *device_; }

 private:
  std::int64_t count() const { return sizes_.product(); }

  bool look_at(ChainOperand& operand, bool is_condition) {
    const bool is_number = !operand.step && !operand.tensor;
    if (is_number) {
      has_number_ = true;
      return !is_condition && operand.number.category != Category::complex;
    }
    if (operand.tensor && !is_ours(operand.tensor)) return false;
    const DType dtype = operand.step ? operand.step->result : operand.tensor.dtype();
    const Dims& sizes = operand.step ? operand.step->sizes : operand.tensor.sizes();
    const Device device = operand.step ? operand.step->device : operand.tensor.device();
    if (device_.value_or(device) != device) return false;
    device_ = device;
    if (is_condition) {
      if (dtype != DType::boolean) return false;
    } else if (dtype_.value_or(dtype) != dtype) {
      return false;
    } else {
      dtype_ = dtype;
    }
    if (!broadcasts(sizes)) return false;
    has_tensor_ = true;
    return true;
  }

  /// The op itself says what does not.
  bool broadcasts(const Dims& sizes) {
    Dims result = sizes_.size() < sizes.size() ? sizes : sizes_;
    for (int k = 1; k <= std::min(sizes.size(), sizes_.size()); ++k) {
      const std::int64_t a = sizes_[sizes_.size() - k], b = sizes[sizes.size() - k];
      if (a != b && a != 1 && b != 1) return false;
      result[result.size() - k] = a == 1 ? b : a;
    }
    sizes_ = result;
    return true;
  }

  std::optional<DType> dtype_;
  std::optional<Device> device_;
  Dims sizes_;
  bool has_number_ = false, has_tensor_ = false;
};

std::uint64_t next_number = 0;

void check_version(const ChainStep& step, const ChainOperand& operand) {
  if (!operand.tensor || operand.tensor.storage()->writes() == operand.version) return;
  throw VersionError(text(step.op->name(),
                          ": an input was written after the call and before its result was read, "
                          "by what fuse does not see; read the result first, or leave fuse"));
}

/// The steps behind `step` that have yet to run, each once.
void collect(const ChainStep& step, std::vector<const ChainStep*>& all) {
  if (std::ranges::find(all, &step) != all.end()) return;
  all.push_back(&step);
  for (const ChainOperand& operand : step.all())
    if (operand.step && !operand.step->made) collect(*operand.step, all);
}

/// A reduction of a step that has yet to run.
Counted<ChainStep> closing_step(const ChainOp& op, ChainOperand operand) {
  look_behind(operand);
  if (!operand.step || operand.step->op->closing || operand.step->mode != grad_mode) return nullptr;
  if (!is_floating(operand.step->result) && !op.closing->takes_integers) return nullptr;
  Counted<ChainStep> step(new ChainStep);
  step->op = &op;
  step->device = operand.step->device;
  step->dtype = step->result = operand.step->result;
  step->mode = grad_mode;
  step->weight = operand.step->weight + 1;
  step->requires_grad = operand.step->requires_grad && is_grad_enabled();
  step->operands[0] = std::move(operand);
  step->number = ++next_number;
  return step;
}

Tensor run_closing(const ChainStep& step) {
  const Closing& closing = *step.op->closing;
  ChainOperand operand = step.operands[0];
  look_behind(operand);
  if (operand.tensor) {
    check_version(step, operand);
    return closing.of(operand.tensor);
  }
  const ChainProgram program = program_of(*operand.step);
  const Tensor out =
      program.device.is_cpu() ? run_closed(program, closing) : closing.of(run_on_device(program));
  if (step.requires_grad) record_chain(program, &closing, out);
  return out;
}

}  // namespace

const ChainOp* find_chain_op(std::string_view name) {
  static const OpsByName& all = *all_ops();
  if (name.starts_with('_')) name.remove_prefix(1);  // as what Python's functions call is bound
  const auto found = all.find(name);
  return found == all.end() ? nullptr : &found->second;
}

Tensor ChainOp::operator()(const Operand* operands) const {
  if (unary) return (*unary)(*operands[0].tensor);
  if (binary) return (*binary)(operands[0], operands[1]);
  return (*ternary)(operands[0], operands[1], operands[2]);
}

Counted<ChainStep> chain_step(const ChainOp& op, std::array<ChainOperand, 3> operands) {
  if (op.closing) return closing_step(op, std::move(operands[0]));
  CallPlan plan;
  if (!plan.make(op, operands)) return nullptr;
  Counted<ChainStep> step(new ChainStep);
  step->op = &op;
  step->sizes = plan.sizes();
  step->device = plan.device();
  step->dtype = plan.dtype();
  step->result = op.kernel().gives_bool ? DType::boolean : plan.dtype();
  step->mode = grad_mode;
  bool requires_grad = false;
  for (int k = 0; k < op.operand_count(); ++k) {
    ChainOperand& operand = operands[k];
    if (operand.step) {
      // A step of other sizes, or recorded otherwise, is a tensor of its own first.
      if (operand.step->sizes != step->sizes || operand.step->mode != step->mode) return nullptr;
      step->weight += operand.step->weight;
      requires_grad |= operand.step->requires_grad;
    } else if (operand.tensor) {
      operand.version = operand.tensor.storage()->writes();
      requires_grad |= operand.tensor.requires_grad();
    }
  }
  if (step->weight > most_weight) return nullptr;
  step->requires_grad =
      requires_grad && is_grad_enabled() && op.gradient() && is_floating(step->result);
  step->operands = std::move(operands);
  step->number = ++next_number;
  return step;
}

ChainProgram program_of(const ChainStep& last) {
  std::vector<const ChainStep*> steps;
  collect(last, steps);
  std::ranges::sort(steps, {}, &ChainStep::number);
  ChainProgram program;
  program.sizes = last.sizes;
  program.device = last.device;
  const auto place_of = [](const auto& all, const auto& it) {
    return static_cast<int>(std::ranges::find(all, it) - all.begin());
  };
  for (const ChainStep* step : steps) {
    ChainProgram::Op op{step->op, step->dtype, step->result, {}};
    for (int k = 0; k < step->op->operand_count(); ++k) {
      ChainOperand operand = step->operands[k];
      look_behind(operand);
      check_version(*step, operand);
      if (operand.step) {
        op.sources[k] = {ChainSource::Kind::op, place_of(steps, operand.step.get())};
      } else if (operand.tensor) {
        op.sources[k] = {ChainSource::Kind::input, place_of(program.inputs, operand.tensor)};
        if (op.sources[k].index == static_cast<int>(program.inputs.size()))
          program.inputs.push_back(operand.tensor);
      } else {
        op.sources[k] = {ChainSource::Kind::number, static_cast<int>(program.numbers.size())};
        program.numbers.push_back(operand.number);
      }
    }
    program.ops.push_back(op);
  }
  return program;
}

Tensor run_chain(const ChainStep& last) {
  if (last.op->closing) return run_closing(last);
  const ChainProgram program = program_of(last);
  const Tensor out = program.device.is_cpu() ? run_pieces(program) : run_on_device(program);
  if (last.requires_grad) record_chain(program, nullptr, out);
  return out;
}

}  // namespace garboard
