// The gradient of a chain: its ops run once more on a piece, and their own rules go back over it.
#include <algorithm>

#include "csrc/core/outer_lock.h"
#include "csrc/core/thread_pool.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/fuse/chain.h"
#include "csrc/ops/fuse/chain_pieces.h"
#include "csrc/ops/op/promotion.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/reduce/reduce.h"

namespace garboard {
namespace {

/// A program without its tensors, which the node keeps.
struct Recipe {
  /// An operand that is an input. Each has an edge: gradients meet in the order in which those of
  /// the ops by themselves would.
  struct Use {
    int op, operand, input;
  };

  ChainProgram program;
  const Closing* closing;  // null: none
  std::vector<Use> uses;
  std::vector<Dims> input_sizes;
  std::vector<DType> input_dtypes;
  std::vector<bool> is_read;  // of the inputs: whether a rule asks for values made of it
};

Keep keep_of(const ChainOp& op) {
  return op.unary ? op.unary->keep : op.binary ? op.binary->keep : op.ternary->keep;
}

/// Finds the inputs of which backward needs the values.
class Readers {
 public:
  explicit Readers(const ChainProgram& program)
      : program_(program), is_read(program.inputs.size()), is_made_(program.ops.size()) {
    std::vector<bool> requires_grad(program.ops.size());
    const auto asks = [&](const ChainSource& source) {
      const auto at = static_cast<std::size_t>(source.index);
      return source.kind == ChainSource::Kind::op      ? requires_grad[at]
             : source.kind == ChainSource::Kind::input ? program.inputs[at].requires_grad()
                                                       : false;
    };
    for (std::size_t i = 0; i < program.ops.size(); ++i) {
      const auto& [op, dtype, result, sources] = program.ops[i];
      bool any = false;
      for (int k = 0; k < op->operand_count(); ++k) any |= asks(sources[k]);
      requires_grad[i] = any && op->gradient() && is_floating(result);
      if (!requires_grad[i]) continue;
      const Keep keep = keep_of(*op);
      if (has(keep, Keep::output)) make(static_cast<int>(i));
      for (int k = 0; k < op->operand_count(); ++k) {
        const bool is_crossed = has(keep, Keep::crosswise) && k < 2 && asks(sources[1 - k]);
        if (has(keep, Keep(1 << k)) || is_crossed) read(sources[k]);
      }
    }
  }

 private:
  void read(const ChainSource& source) {
    if (source.kind == ChainSource::Kind::input)
      is_read[static_cast<std::size_t>(source.index)] = true;
    if (source.kind == ChainSource::Kind::op) make(source.index);
  }
  void make(int op) {
    if (is_made_[static_cast<std::size_t>(op)]) return;
    is_made_[static_cast<std::size_t>(op)] = true;
    const auto& it = program_.ops[static_cast<std::size_t>(op)];
    for (int k = 0; k < it.op->operand_count(); ++k) read(it.sources[k]);
  }

  const ChainProgram& program_;

 public:
  std::vector<bool> is_read;

 private:
  std::vector<bool> is_made_;
};

/// Runs the ops, recorded, and then their rules; `is_recorded`: these too. Returns the gradients of
/// the recipe's uses.
std::vector<Tensor> walk(const Recipe& recipe, const std::vector<Tensor>& inputs, Tensor gradient,
                         bool is_recorded) {
  const std::vector<ChainProgram::Op>& ops = recipe.program.ops;
  std::vector<Tensor> values(ops.size()), gradients(ops.size());
  {
    const GradModeGuard recording(true);
    for (std::size_t i = 0; i < ops.size(); ++i) {
      Operand operands[3] = {Scalar{}, Scalar{}, Scalar{}};
      for (int k = 0; k < ops[i].op->operand_count(); ++k) {
        const auto [kind, index] = ops[i].sources[k];
        const auto at = static_cast<std::size_t>(index);
        if (kind == ChainSource::Kind::number)
          operands[k] = recipe.program.numbers[at];
        else
          operands[k] = kind == ChainSource::Kind::op ? values[at] : inputs[at];
      }
      values[i] = (*ops[i].op)(operands);
    }
  }
  const GradModeGuard mode(is_recorded);
  std::vector<Tensor> results(recipe.uses.size());
  gradients.back() = std::move(gradient);
  std::size_t use = 0;
  for (std::size_t i = ops.size(); i-- > 0;) {
    const Counted<GradNode> node = values[i].body()->grad_node;
    Grads grads;
    if (gradients[i] && node) grads = node->run(Backward(*node, std::exchange(gradients[i], {})));
    for (int k = 0; k < ops[i].op->operand_count(); ++k) {
      const auto [kind, index] = ops[i].sources[k];
      if (kind == ChainSource::Kind::number) continue;
      const auto at = static_cast<std::size_t>(index);
      Tensor part = std::exchange(grads[k], {});
      const bool is_asked_for =
          kind == ChainSource::Kind::op ? values[at].requires_grad() : inputs[at].requires_grad();
      if (part && is_asked_for) {
        const Tensor& operand = kind == ChainSource::Kind::op ? values[at] : inputs[at];
        part = to(sum_to(part, operand.sizes()), operand.dtype());
        if (kind == ChainSource::Kind::input)
          results[use] = std::move(part);
        else
          gradients[at] = gradients[at] ? add(gradients[at], part) : std::move(part);
      }
      if (kind == ChainSource::Kind::input) ++use;
    }
    if (!is_recorded) values[i] = {};  // with what its node kept
  }
  return results;
}

Tensor part_of(const Tensor& whole, const View& seen, const ChainPieces& pieces,
               const ChainPieces::Piece& piece) {
  const View part = pieces.part(seen, piece);
  return whole.alias_of_storage(part.sizes, part.strides,
                                whole.offset() + pieces.offset(seen, piece));
}

class ChainRule final : public ForeignRule {
 public:
  explicit ChainRule(Recipe recipe) : recipe_(std::move(recipe)) { only_output = 0; }

  Grads run(const Backward& at) override {
    std::vector<Tensor> inputs;
    int kept = 0;
    for (std::size_t i = 0; i < recipe_.is_read.size(); ++i)
      inputs.push_back(recipe_.is_read[i] ? at.other(kept++) : stand_in(i));
    Grads grads;
    // What is not read is asked for nevertheless: the node's edges know it.
    const bool is_recorded = is_grad_enabled();
    const Tensor gradient =
        recipe_.closing ? recipe_.closing->spread(at.grad, recipe_.program.sizes) : at.grad;
    // Of a device that has to be told of every op, pieces would take longer.
    const bool is_whole = is_recorded || !recipe_.program.device.is_cpu();
    const std::vector<Tensor> results =
        is_whole ? walk(recipe_, asking(at, std::move(inputs), true), gradient, is_recorded)
                 : by_pieces(at, inputs, gradient);
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (at.needs(static_cast<int>(i))) grads[static_cast<int>(i)] = results[i];
    }
    return grads;
  }

 private:
  /// Of the right sizes and dtype, of one element: nobody reads its values.
  Tensor stand_in(std::size_t i) const {
    const Dims& sizes = recipe_.input_sizes[i];
    return zeros({}, recipe_.input_dtypes[i], recipe_.program.device)
        .alias_of_storage(sizes, Dims::filled(sizes.size(), 0), 0);
  }

  bool needs(const Backward& at, std::size_t input) const {
    for (std::size_t i = 0; i < recipe_.uses.size(); ++i) {
      if (recipe_.uses[i].input == static_cast<int>(input) && at.needs(static_cast<int>(i)))
        return true;
    }
    return false;
  }

  /// Has those inputs ask for gradients that an edge leads to.
  std::vector<Tensor> asking(const Backward& at, std::vector<Tensor> inputs, bool is_whole) const {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!needs(at, i) || inputs[i].requires_grad()) continue;
      if (is_whole && recipe_.is_read[i])
        inputs[i] =
            inputs[i].alias_of_storage(inputs[i].sizes(), inputs[i].strides(), inputs[i].offset());
      inputs[i].set_requires_grad(true);
    }
    return inputs;
  }

  std::vector<Tensor> by_pieces(const Backward& at, const std::vector<Tensor>& inputs,
                                const Tensor& gradient) const {
    // Several threads share an op of a piece only where it is long.
    const std::int64_t threads = thread_count();
    const std::int64_t elements = threads > 1 ? (std::int64_t{1} << 17) * threads : 1 << 15;
    const Dims& sizes = recipe_.program.sizes;
    const ChainPieces pieces(sizes, elements);
    std::vector<View> seen;
    for (const Tensor& input : inputs) seen.push_back(broadcast_view(input.view(), sizes));
    std::vector<Tensor> whole(recipe_.uses.size());
    const std::uint8_t mode = grad_mode;
    OuterLock::Turns turns;
    for (std::int64_t p = 0; p < pieces.count; ++p) {
      const ChainPieces::Piece piece = pieces[p];
      std::vector<Tensor> parts;
      for (std::size_t i = 0; i < inputs.size(); ++i)
        parts.push_back(part_of(inputs[i], seen[i], pieces, piece));
      grad_mode = static_cast<std::uint8_t>(mode & ~mode::packs);  // nobody else's business
      try {
        const std::vector<Tensor> made =
            walk(recipe_, asking(at, std::move(parts), false),
                 part_of(gradient, gradient.view(), pieces, piece), false);
        for (std::size_t i = 0; i < whole.size(); ++i) {
          if (!made[i] || !at.needs(static_cast<int>(i))) continue;  // nothing is not zero
          const auto input = static_cast<std::size_t>(recipe_.uses[i].input);
          if (!whole[i]) whole[i] = empty(sizes, recipe_.input_dtypes[input]);
          copy_into(part_of(whole[i], whole[i].view(), pieces, piece), made[i]);
        }
      } catch (...) {
        grad_mode = mode;
        throw;
      }
      grad_mode = mode;
      turns.offer();
    }
    for (std::size_t i = 0; i < whole.size(); ++i) {
      const auto input = static_cast<std::size_t>(recipe_.uses[i].input);
      if (whole[i]) whole[i] = sum_to(whole[i], recipe_.input_sizes[input]);
    }
    return whole;
  }

  Recipe recipe_;
};

}  // namespace

void record_chain(const ChainProgram& program, const Closing* closing, const Tensor& out) {
  Recipe recipe{program, closing, {}, {}, {}, Readers(program).is_read};
  recipe.program.inputs.clear();
  for (const Tensor& input : program.inputs) {
    recipe.input_sizes.push_back(input.sizes());
    recipe.input_dtypes.push_back(input.dtype());
  }
  const Counted<GradNode> node = GradNode::make("fuse", out);
  for (std::size_t i = program.ops.size(); i-- > 0;) {
    for (int k = 0; k < program.ops[i].op->operand_count(); ++k) {
      const auto [kind, index] = program.ops[i].sources[k];
      if (kind != ChainSource::Kind::input) continue;
      recipe.uses.push_back({static_cast<int>(i), k, index});
      node->add_edge([&] { return edge_of(program.inputs[static_cast<std::size_t>(index)]); });
    }
  }
  std::vector<Other> kept;
  for (std::size_t i = 0; i < program.inputs.size(); ++i)
    if (recipe.is_read[i]) kept.push_back({"an input of a fused chain", program.inputs[i]});
  node->set_foreign_rule(Counted<ForeignRule>(new ChainRule(std::move(recipe))));
  if (!kept.empty()) node->keep_others(kept);
  attach(node, out, Keep::nothing);
}

}  // namespace garboard
