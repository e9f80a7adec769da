#include "kernels/cpu/table.h"

#include "kernels/cpu/parts.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

Table filled() noexcept {
  Table table{};
  for (const auto fill : {fill_unary, fill_binary, fill_ternary, fill_reduce, fill_indexed_reduce,
                          fill_variance, fill_scan, fill_layer_norm, fill_softmax,
                          fill_cross_entropy, fill_matmul, fill_copy, fill_random, fill_optimizers})
    fill(table);
  return table;
}

}  // namespace

const Table& table() {
  static const Table filled_once = filled();
  return filled_once;
}

}  // namespace garboard::kernels::GARBOARD_ISA
