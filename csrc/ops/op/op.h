// An op is data: what it is called, what it computes, what backward keeps and how gradients flow.
#pragma once

#include "csrc/ops/op/operand.h"
#include "csrc/tensor/grad_node.h"
#include "kernels/run.h"

namespace garboard {

/// Where users find an op: `gb.name(x)`, `x.name()`, or both.
enum class Place : std::uint8_t { everywhere, functional, method };

/// Whether `x.name_()` exists.
enum class InPlace : std::uint8_t { yes, no };

using GradientRule = Grads (*)(const Backward&);

/// A small call and what comes of it: elements as Python writes them, the result as a tensor prints
/// them. Documentation shows them and tests run them.
struct UnaryExample {
  const char* input;
  const char* output;
};
struct BinaryExample {
  const char* input;
  const char* other;
  const char* output;
};

/// An elementwise op of one input. Integers and booleans are converted to float32 where the kernel
/// takes no others.
struct Unary {
  const char* name;
  const char* summary;       // a sentence in the imperative, of `input`
  const char* details = "";  // formula, error and edge cases, in sentences
  UnaryExample example = {};
  kernels::Slot kernel;
  Keep keep = Keep::nothing;
  GradientRule gradient = nullptr;  // null: no gradient passes, as in a comparison
  Place place = Place::everywhere;
  InPlace in_place = InPlace::yes;
  bool counts_bools = false;  // as int64
  /// Its rule asks of the output only whether elements are at most 0, and takes that as bits, too.
  bool keeps_signs = false;
  Remake remake = nullptr;             // of a large result, for who would keep it: see remade.h
  bool is_remade_after_input = false;  // by it, out of an input that is made anew, too
  bool is_in_rows = false;  // the result lies row-major whatever the input does, as in PyTorch

  Tensor operator()(const Tensor& input) const;
  /// Writes into `out`, which may be `input`. Raises ShapeError, DTypeError, GradientError.
  void into(const Tensor& out, const Tensor& input) const;
  void apply_in_place(const Tensor& self) const { into(self, self); }
};

/// An elementwise op of two operands, broadcast and promoted to one dtype.
struct Binary {
  const char* name;
  const char* summary;
  const char* details = "";
  BinaryExample example = {};
  kernels::Slot kernel;
  Keep keep = Keep::nothing;
  GradientRule gradient = nullptr;
  Place place = Place::everywhere;
  InPlace in_place = InPlace::yes;
  bool wraps = false;  // modulo 2^n, so that a number beyond an integer dtype may wrap first
  bool is_number_in_rows = false;  // as of `Unary`, where the first operand is a number
  Remake remake = nullptr;         // as of `Unary`

  Tensor operator()(const Operand& a, const Operand& b) const;
  /// The same, for two tensors: the shortest way.
  Tensor of_tensors(const Tensor& a, const Tensor& b) const;
  /// The same of a rule's gradient, which it is written over where nobody else can see that. For
  /// rules of one input, which have no other use for the gradient.
  Tensor of_gradient(const Backward& at, const Tensor& other) const;
  void into(const Tensor& out, const Operand& a, const Operand& b) const;
  void apply_in_place(const Tensor& self, const Operand& other) const { into(self, self, other); }
};

/// Where a rule of one input writes its gradient, of what `like` is: over the one it is given,
/// where nobody else can see that, for the rule reads an element before it writes that; else fresh
/// memory.
Tensor place_of_gradient(const char* op, const Backward& at, const Tensor& like);

/// Calls `write`, which writes over a spent input. Where it ends before its time, the node is
/// released: what it keeps is not what it was.
template <class Write>
void write_over_spent(const Backward& at, Write&& write) {
  try {
    write();
  } catch (...) {
    at.node().is_released = true;
    throw;
  }
}

/// An elementwise op of three operands. The first of `where` is a condition and promotes nothing.
struct Ternary {
  const char* name;
  const char* summary;
  kernels::Slot kernel;
  Keep keep = Keep::nothing;
  GradientRule gradient = nullptr;
  bool takes_condition = false;
  bool wraps = false;

  Tensor operator()(const Operand& a, const Operand& b, const Operand& c) const;
  void into(const Tensor& out, const Operand& a, const Operand& b, const Operand& c) const;
};

}  // namespace garboard
