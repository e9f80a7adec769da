// Random tensors, from a counter-based generator: the same seed gives the same numbers everywhere.
#pragma once

#include <cstdint>

#include "csrc/ops/random/generator.h"
#include "csrc/tensor/tensor.h"

namespace garboard {

/// Raises DTypeError unless `dtype` is floating.
void check_floating(const char* op, DType dtype);

/// Uniform in [0, 1); standard normal. Raise DTypeError unless floating.
Tensor rand(const Dims& sizes, DType dtype, Device device = {},
            Generator& from = Generator::standard());
Tensor randn(const Dims& sizes, DType dtype, Device device = {},
             Generator& from = Generator::standard());
/// int64 numbers from `low` to `last`, both included, each as likely to 2^-10 at least. Raises
/// ShapeError for more than 2^63 of them, unless they are all there are.
Tensor integers_from(const char* op, std::int64_t low, std::int64_t last, const Dims& sizes,
                     Device device, Generator& from);
/// Integers in [low, high). Raises DTypeError where `dtype` does not hold them.
Tensor randint(std::int64_t low, std::int64_t high, const Dims& sizes, DType dtype,
               Device device = {}, Generator& from = Generator::standard());
/// The integers from 0 to n - 1 in an order of which each is as likely. Raises ShapeError for a
/// negative n, DTypeError where `dtype` does not hold them all.
Tensor randperm(std::int64_t n, DType dtype, Device device = {},
                Generator& from = Generator::standard());
void uniform_(const Tensor& self, double low, double high, Generator& from = Generator::standard());
void normal_(const Tensor& self, double mean, double deviation,
             Generator& from = Generator::standard());
/// Zeroes each element with probability `p` and scales the rest by 1 / (1 - p).
Tensor dropout(const Tensor& input, double p);

}  // namespace garboard
