// Draws from distributions other than the uniform and the standard normal one: made of these.
#pragma once

#include <optional>

#include "csrc/ops/op/operand.h"
#include "csrc/ops/random/generator.h"
#include "csrc/tensor/tensor.h"

namespace garboard {

// Into `self`, which is not read. They raise ShapeError where the distribution's numbers make none,
// DTypeError where `self` cannot hold what is drawn.

/// 1 with probability `p`, a number or a floating tensor that broadcasts, else 0.
void bernoulli_(const Tensor& self, const Operand& p, Generator& from);
/// Of the density rate e^(-rate x).
void exponential_(const Tensor& self, double rate, Generator& from);
/// How often one must try until it succeeds with probability `p`.
void geometric_(const Tensor& self, double p, Generator& from);
void cauchy_(const Tensor& self, double median, double sigma, Generator& from);
/// e to the power of a normal number.
void log_normal_(const Tensor& self, double mean, double deviation, Generator& from);
/// Integers in [low, high); without `high` all from `low` that the dtype holds exactly.
void random_(const Tensor& self, std::int64_t low, std::optional<std::int64_t> high,
             Generator& from);

/// 0 or 1 for each probability.
Tensor bernoulli(const Tensor& probabilities, Generator& from);
/// A count for each rate, of how much happens that happens so often on average (Hoermann, "The
/// transformed rejection method for generating Poisson random variables", 1993).
Tensor poisson(const Tensor& rates, Generator& from);
/// Normal numbers of any means and deviations, which broadcast; not both are numbers.
Tensor normal(const Operand& mean, const Operand& deviation, Generator& from);
/// The places of `count` elements a row of `weights`, drawn as often as they weigh. Without
/// `replacement` none is drawn twice (Efraimidis and Spirakis, "Weighted random sampling with a
/// reservoir", 2006).
Tensor multinomial(const Tensor& weights, std::int64_t count, bool replacement, Generator& from);

}  // namespace garboard
