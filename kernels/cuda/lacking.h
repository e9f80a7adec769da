// Kernels that CUDA has not got: in their places stand functions that say so.
#pragma once

#include <algorithm>
#include <cstddef>

#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "kernels/table.h"

namespace garboard::kernels::cuda {

/// A text as a template argument.
template <std::size_t size>
struct Name {
  char letters[size];
  constexpr Name(const char (&text)[size]) { std::copy(text, text + size, letters); }
};

template <Name op, class Kernel>
struct Lacking;
template <Name op, class Result, class... Arguments>
struct Lacking<op, Result (*)(Arguments...)> {
  static Result kernel(Arguments...) {
    throw DeviceError(text(op.letters,
                           ": tensors on a CUDA device; it has a kernel for the CPU alone, move "
                           "them with to(\"cpu\")"));
  }
};

/// Puts into `entry` a kernel that raises DeviceError in the name of `op`.
template <Name op, class Kernel>
void lack(Kernel& entry) {
  entry = Lacking<op, Kernel>::kernel;
}

/// A table that raises DeviceError whatever is called.
inline Table lacking_table() {
  Table table{};
  for (auto& entry : table.unary) lack<"op of one input">(entry);
  for (auto& entry : table.binary) lack<"op of two inputs">(entry);
  for (auto& entry : table.ternary) lack<"op of three inputs">(entry);
  for (auto& entry : table.reduce) lack<"reduction">(entry);
  lack<"max along a dim">(table.maximum_index);
  lack<"min along a dim">(table.minimum_index);
  lack<"softmax">(table.softmax);
  lack<"log_softmax">(table.log_softmax);
  lack<"softmax backward">(table.softmax_gradient);
  lack<"log_softmax backward">(table.log_softmax_gradient);
  lack<"cross_entropy">(table.cross_entropy);
  lack<"cross_entropy backward">(table.cross_entropy_gradient);
  lack<"matmul">(table.matmul);
  lack<"linear">(table.linear);
  lack<"copy">(table.copy);
  lack<"fill">(table.fill);
  lack<"arange">(table.arange);
  lack<"rand">(table.uniform);
  lack<"randn">(table.normal);
  lack<"bernoulli">(table.bernoulli);
  lack<"Adam">(table.adam);
  lack<"SGD">(table.sgd);
  return table;
}

}  // namespace garboard::kernels::cuda
