// Random tensors, from one counter-based generator: the same seed gives the same numbers
// everywhere.
#pragma once

#include <cstdint>

#include "csrc/tensor/tensor.h"
#include "kernels/arguments.h"

namespace garboard {

/// Restarts the default generator.
void manual_seed(std::uint64_t seed) noexcept;

struct GeneratorState {
  std::uint64_t seed;
  std::uint64_t offset;  // of Philox's counter
};
/// Numbers for `rows`, each of which takes so many counters, four numbers a counter.
kernels::RandomStream next_random_numbers(std::int64_t rows, std::int64_t counters_each);
GeneratorState generator_state() noexcept;
void set_generator_state(GeneratorState state) noexcept;

/// Uniform in [0, 1); standard normal. Raise DTypeError unless floating.
Tensor rand(const Dims& sizes, DType dtype, Device device = {});
Tensor randn(const Dims& sizes, DType dtype, Device device = {});
/// Integers in [low, high).
Tensor randint(std::int64_t low, std::int64_t high, const Dims& sizes, DType dtype,
               Device device = {});
/// The integers from 0 to n - 1 in an order of which each is as likely. Raises ShapeError for a
/// negative n, DTypeError where `dtype` does not hold them all.
Tensor randperm(std::int64_t n, DType dtype, Device device = {});
void uniform_(const Tensor& self, double low, double high);
void normal_(const Tensor& self, double mean, double deviation);
/// Zeroes each element with probability `p` and scales the rest by 1 / (1 - p).
Tensor dropout(const Tensor& input, double p);

}  // namespace garboard
