// How an op leaves its trace: a node with edges to its inputs, what backward keeps, and the rule.
#pragma once

#include <initializer_list>
#include <span>

#include "csrc/ops/op/operand.h"
#include "csrc/tensor/grad_node.h"

namespace garboard {

/// Has a view see what was written into its base through another view.
void refresh_history(const Tensor& view);

/// Leads to where the gradient of `tensor` goes; empty where it asks for none.
inline Edge edge_of(const Tensor& tensor) {
  const TensorBody& body = *tensor.body();
  if (body.base && body.base->history != body.base_history) refresh_history(tensor);
  if (body.grad_node) return {body.grad_node, {}};
  if (body.requires_grad) return {{}, tensor};
  return {};
}

/// True when grad mode is on and one of the operands asks for a gradient.
inline bool must_record(std::initializer_list<Operand> operands) {
  if (!is_grad_enabled()) return false;
  for (const Operand& operand : operands) {
    if (operand.tensor && operand.tensor->requires_grad()) return true;
  }
  return false;
}

/// Builds the node of an op whose output is `output`; call it only when `must_record`. `version_of`
/// the inputs is taken now, so an in-place op calls it before the storage's version moves on.
Counted<GradNode> make_node(const char* name, const Tensor& output,
                            std::initializer_list<Operand> operands, Keep keep);

/// Remembers which inputs were broadcast, so that the walk sums their gradients back.
void note_sizes(GradNode& node, const Dims& output, std::initializer_list<const Operand*> operands);

/// Set once: who packs what nodes keep, where that is asked for (mode::packs).
void set_packer(Pack pack) noexcept;
/// Packs what `node` keeps. Raises what the packer raises, and GradientError where it wrote into
/// what it packs.
void pack_kept(GradNode& node);

/// Keeps `output` in `node`.
void save_output(GradNode& node, const Tensor& output);
/// Does that where `keep` says so, and makes the node the output's history.
inline void attach(Counted<GradNode> node, const Tensor& output, Keep keep) {
  if (has(keep, Keep::output)) save_output(*node, output);
  if (grad_mode & mode::packs) [[unlikely]]
    pack_kept(*node);
  output.body()->grad_node = std::move(node);
}

/// Records a fresh output, if anything asks for it. Only floating and complex ones have gradients.
template <class Rule>
void record_with(std::span<const Other> others, const char* name, const Tensor& output,
                 std::initializer_list<Operand> operands, Keep keep, Rule rule) {
  if (!has_gradient(output.dtype()) || !must_record(operands)) return;
  Counted<GradNode> node = make_node(name, output, operands, keep);
  node->set_rule(rule);
  if (!others.empty()) node->keep_others(others);
  attach(std::move(node), output, keep);
}
template <class Rule>
void record(const char* name, const Tensor& output, std::initializer_list<Operand> operands,
            Keep keep, Rule rule, std::initializer_list<Other> others = {}) {
  record_with({others.begin(), others.size()}, name, output, operands, keep, rule);
}

/// As `run_rule`, of a rule with complex factors.
Grads run_conjugated(Backward at);

/// Runs a node's rule. The gradient of a complex tensor points to where a real loss grows most, as
/// in PyTorch: g conj(f'(z)) of an op whose rule is g f'(z). A rule is linear in g, so the
/// conjugate of what it makes of conj(g) is that, and no rule need know. One that keeps nothing has
/// no factor but real numbers; one from beyond this library is taken at its word.
inline Grads run_rule(const Backward& at) {
  const GradNode& node = at.node();
  if (is_complex(node.output_dtype) && node.has_complex_factors()) return run_conjugated(at);
  return at.node().run(at);
}

/// Raises where `self` must not be written: a leaf that asks for a gradient, a view that was made
/// unrecorded of what has a history, overlapping elements, read-only memory. Comes before any work.
void check_writable(const char* op, const Tensor& self);

/// Calls `write`, which writes into what somebody may have saved: into `self`. Where it ends before
/// its time, by an error or an interruption, part of that is written and the version moves on.
template <class Write>
void write_into(const Tensor& self, Write&& write) {
  try {
    write();
  } catch (...) {
    note_write(self);
    throw;
  }
}

/// Moves the version of `self` on and, if anything asks for it, rebases its history, and that of
/// the tensor it is a view of, on `node`.
void finish_in_place(const Tensor& self, const Counted<GradNode>& node, Keep keep);

/// Records an op that has just overwritten `self`, its first operand; `others` are the rest, `kept`
/// what backward is to have besides.
template <class Rule>
void record_in_place(const char* name, const Tensor& self, std::initializer_list<Operand> others,
                     Keep keep, Rule rule, std::span<const Other> kept = {}) {
  Counted<GradNode> node;
  if (has_gradient(self.dtype()) && (must_record({self}) || must_record(others))) {
    Operand operands[3] = {self, Scalar{}, Scalar{}};
    int count = 1;
    for (const Operand& other : others) operands[count++] = other;
    node = count == 1   ? make_node(name, self, {operands[0]}, keep)
           : count == 2 ? make_node(name, self, {operands[0], operands[1]}, keep)
                        : make_node(name, self, {operands[0], operands[1], operands[2]}, keep);
    note_sizes(*node, self.sizes(), {&operands[0], &operands[1], &operands[2]});
    node->set_rule(rule);
    if (!kept.empty()) node->keep_others(kept);
  }
  finish_in_place(self, node, keep);
}

/// The gradient for what an op has overwritten whole: zeros, where it goes anywhere.
Tensor gradient_of_overwritten(const Backward& at);
/// Records an op that has just overwritten all of `self` by what asks for no gradient.
void record_overwritten(const char* name, const Tensor& self);

}  // namespace garboard
