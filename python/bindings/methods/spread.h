// How var, std and what returns them with the mean are called: by a correction, or, as PyTorch has
// it still, by whether they are unbiased.
#pragma once

#include "python/bindings/call/doc.h"

namespace garboard::python {

constexpr const char* spread =
    "input: Tensor, dim: int | Size | None = None, *, correction: float | None = 1, "
    "keepdim: bool = False";
constexpr const char* spread_over =
    "input: Tensor, dim: int | Size | None, unbiased: bool, keepdim: bool = False";
constexpr const char* spread_of_all = "input: Tensor, unbiased: bool";

namespace docs {
constexpr Arg correction{
    "correction",
    "What is taken from the count before it divides: 1, or None, for a sample, 0 for all."};
constexpr Arg unbiased{"unbiased", "True for a correction of 1, False for one of 0."};
}  // namespace docs

}  // namespace garboard::python
