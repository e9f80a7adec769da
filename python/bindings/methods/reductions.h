// What reductions say of their arguments, and how they are called. Those of var, std and what
// returns them with the mean take a correction, or, as PyTorch has it still, whether they are
// unbiased.
#pragma once

#include <optional>

#include "csrc/ops/reduce/reduce.h"
#include "python/bindings/call/doc.h"

namespace garboard::python {

using OverDims = std::optional<Dims>;

template <Tensor (*op)(const Tensor&, const Reduced&, std::optional<DType>)>
constexpr auto summing =
    [](const Tensor& input, const OverDims& dims, bool keepdim, std::optional<DType> dtype) {
      return op(input, {dims, keepdim}, dtype);
    };

constexpr const char* summed =
    "input: Tensor, dim: int | Size | None = None, keepdim: bool = False, *, "
    "dtype: DType | None = None";
constexpr const char* scanned = "input: Tensor, dim: int, *, dtype: DType | None = None";
constexpr const char* spread =
    "input: Tensor, dim: int | Size | None = None, *, correction: float | None = 1, "
    "keepdim: bool = False";
constexpr const char* spread_over =
    "input: Tensor, dim: int | Size | None, unbiased: bool, keepdim: bool = False";
constexpr const char* spread_of_all = "input: Tensor, unbiased: bool";

namespace docs {
constexpr Arg any_tensor{"input", "Tensor of any shape and dtype."};
constexpr Arg floating_tensor{"input", "Tensor of any shape and of a floating dtype."};
constexpr Arg reduced_dims{
    "dim",
    "The dims to reduce, each in [-ndim, ndim); None and an empty sequence stand for all of them."};
constexpr Arg keepdim{"keepdim", "True leaves the reduced dims in the result, with size 1."};
constexpr Arg correction{
    "correction",
    "What is taken from the count before it divides: 1, or None, for a sample, 0 for all."};
constexpr Arg unbiased{"unbiased", "True for a correction of 1, False for one of 0."};
constexpr const char* dims_error =
    "IndexOutOfRangeError: A dim lies outside.\n"
    "ShapeError: A dim is named twice.";
}  // namespace docs

}  // namespace garboard::python
