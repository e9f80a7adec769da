// Attention of narrow types and its gradients by definition, in float64, of the same numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/cuda/launch/parts.h"
#include "kernels/functors/philox.h"
#include "tests/support/close_arrays.h"

namespace garboard::kernels::cuda {

using shim::DeviceArray;
using shim::element;
using shim::normal_numbers;

enum class Masked { no, by_bools, by_numbers };

struct Form {
  std::int64_t batch, heads, shared_heads, rows, columns, depth, values;
  bool is_causal = false;
  Masked masked = Masked::no;
  double keep = 1;
  std::int64_t gap = 0;  // elements between rows
  double scale = 0.3;

  Dims q() const { return {batch, heads, rows, depth}; }
  Dims k() const { return {batch, shared_heads, columns, depth}; }
  Dims v() const { return {batch, shared_heads, columns, values}; }
  Dims out() const { return {batch, heads, rows, values}; }
  Dims mask() const { return {batch, heads, rows, columns}; }
};

/// What attention and its gradient read and write.
template <class T>
struct Call {
  explicit Call(const Form& form)
      : form(form),
        q(apart(form.q(), 1)),
        k(apart(form.k(), 2)),
        v(apart(form.v(), 3)),
        out(form.out().product()),
        log_sums(form.batch * form.heads * form.rows),
        numbers(normal_numbers<T>(form.mask().product(), 4)),
        bools(form.mask().product()),
        d_out(apart(form.out(), 5)),
        d_q(form.q().product()),
        d_k(form.k().product()),
        d_v(form.v().product()) {
    for (std::int64_t i = 0; i < bools.count(); ++i) {
      const std::int64_t row = i / std::max<std::int64_t>(form.columns, 1) % form.rows;
      bools.set(i, i % 3 != 0 && row != 2);  // of which row 2 sees nothing
      if (row == 2) numbers.set(i, T(-functors::infinity<float>));
    }
  }

  Attention forward() const {
    Attention of{};
    of.out = out.view(form.out());
    of.log_sums = log_sums.view({form.batch, form.heads, form.rows});
    of.q = spread(q, form.q());
    of.k = spread(k, form.k());
    of.v = spread(v, form.v());
    if (form.masked == Masked::by_bools) of.mask = bools.view(form.mask());
    if (form.masked == Masked::by_numbers) of.mask = numbers.view(form.mask());
    of.scale = form.scale;
    of.is_causal = form.is_causal;
    of.keep = form.keep;
    of.numbers = {11, 5};
    return of;
  }
  void run() const {
    const Attention of = forward();
    kernel(of, Stream{});
    kernel(AttentionGradient{d_q.view(form.q()), d_k.view(form.k()), d_v.view(form.v()),
                             spread(d_out, form.out()), of},
           Stream{});
  }

  const Form& form;
  DeviceArray<T> q, k, v, out;
  DeviceArray<float> log_sums;
  DeviceArray<T> numbers;
  DeviceArray<bool> bools;
  DeviceArray<T> d_out, d_q, d_k, d_v;

  View spread(const DeviceArray<T>& array, const Dims& sizes) const {
    Dims whole = sizes;
    whole[3] += form.gap;
    return array.view(sizes, contiguous_strides(whole), 0);
  }

 private:
  DeviceArray<T> apart(const Dims& sizes, unsigned seed) const {
    return normal_numbers<T>(sizes[0] * sizes[1] * sizes[2] * (sizes[3] + form.gap), seed);
  }
};

using Numbers = std::vector<double>;

template <class T>
Numbers doubles(const View& view) {
  Numbers all;
  shim::for_each_index(view.sizes, [&](const Dims& index) {
    all.push_back(static_cast<double>(element<T>(view, index)));
  });
  return all;
}

/// By definition, in float64, of the same halves.
template <class T>
struct Definition {
  Numbers out, log_sums, d_q, d_k, d_v;

  explicit Definition(const Call<T>& call) : form(call.form) {
    const Numbers q = doubles<T>(call.spread(call.q, form.q())),
                  k = doubles<T>(call.spread(call.k, form.k())),
                  v = doubles<T>(call.spread(call.v, form.v())),
                  given = doubles<T>(call.spread(call.d_out, form.out()));
    out.assign(form.out().product(), 0);
    d_q.assign(q.size(), 0);
    d_k.assign(k.size(), 0);
    d_v.assign(v.size(), 0);
    const std::int64_t sharing = form.heads / form.shared_heads;
    for (std::int64_t line = 0; line < form.batch * form.heads * form.rows; ++line) {
      const std::int64_t row = line % form.rows, head = line / form.rows % form.heads,
                         batch = line / form.rows / form.heads,
                         shared = batch * form.shared_heads + head / sharing;
      const auto at = [&](const Numbers& of, std::int64_t i, std::int64_t columns) {
        return const_cast<double*>(of.data()) + i * columns;
      };
      const double *own = at(q, line, form.depth), *slope = at(given, line, form.values);
      Numbers shares(form.columns), kept(form.columns), slopes(form.columns);
      double top = -INFINITY, sum = 0, mean = 0;
      for (std::int64_t c = 0; c < form.columns; ++c) {
        const double* other = at(k, shared * form.columns + c, form.depth);
        double score = 0;
        for (std::int64_t d = 0; d < form.depth; ++d) score += own[d] * other[d];
        score *= form.scale;
        const std::int64_t place = line * form.columns + c;
        if (form.masked == Masked::by_numbers) score += static_cast<double>(call.numbers.at(place));
        const bool is_hidden = form.masked == Masked::by_bools && !call.bools.at(place);
        shares[c] = is_hidden || (form.is_causal && c > row) ? -INFINITY : score;
        top = std::max(top, shares[c]);
      }
      for (double& share : shares) sum += share = top == -INFINITY ? 0 : std::exp(share - top);
      log_sums.push_back(sum == 0 ? -INFINITY : top + std::log(sum));
      if (sum == 0) continue;
      for (std::int64_t c = 0; c < form.columns; ++c) {
        const double* value = at(v, shared * form.columns + c, form.values);
        shares[c] /= sum;
        const auto quads = static_cast<std::uint64_t>((form.columns + 3) / 4);
        const auto words =
            functors::philox(5 + static_cast<std::uint64_t>(line) * quads + c / 4, 0, 11);
        const bool is_kept = form.keep >= 1 || words.word[c % 4] < form.keep * 0x1p32;
        kept[c] = is_kept ? 1 / form.keep : 0;
        for (std::int64_t d = 0; d < form.values; ++d) {
          at(out, line, form.values)[d] += shares[c] * kept[c] * value[d];
          at(d_v, shared * form.columns + c, form.values)[d] += shares[c] * kept[c] * slope[d];
          slopes[c] += kept[c] * slope[d] * value[d];
        }
        mean += shares[c] * slopes[c];
      }
      for (std::int64_t c = 0; c < form.columns; ++c) {
        const double all = shares[c] * (slopes[c] - mean) * form.scale;
        for (std::int64_t d = 0; d < form.depth; ++d) {
          const std::int64_t other = shared * form.columns + c;
          at(d_q, line, form.depth)[d] += all * at(k, other, form.depth)[d];
          at(d_k, other, form.depth)[d] += all * own[d];
        }
      }
    }
  }

  const Form& form;
};

/// To some units of T, of the largest number there is.
template <class T, class Stored>
void expect_near(const DeviceArray<Stored>& found, const Numbers& expected, const char* which,
                 double units = 4) {
  const double unit = std::is_same_v<Stored, float> && !std::is_same_v<T, float>
                          ? 1e-6
                          : static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
  double largest = std::is_same_v<T, float> ? 1 : 1e-3, error = 0;
  for (const double number : expected)
    if (std::isfinite(number)) largest = std::max(largest, std::abs(number));
  ASSERT_EQ(found.count(), static_cast<std::int64_t>(expected.size()));
  for (std::int64_t i = 0; i < found.count(); ++i) {
    const double one = static_cast<double>(found.at(i)), other = expected[i];
    if (one == other) continue;
    ASSERT_TRUE(std::isfinite(one) && std::isfinite(other)) << which << '[' << i << "] is " << one;
    error = std::max(error, std::abs(one - other) / largest);
  }
  EXPECT_LE(error / unit, units) << which;
}

template <class T>
void expect_by_definition(const Call<T>& call, double units = 4) {
  const Form& form = call.form;
  SCOPED_TRACE(testing::Message() << form.q() << form.k() << form.v() << form.is_causal);
  call.run();
  const Definition<T> right(call);

  expect_near<T>(call.out, right.out, "out", units);
  expect_near<T>(call.log_sums, right.log_sums, "log_sums", 2 * units);
  expect_near<T>(call.d_v, right.d_v, "d_v", units);
  expect_near<T>(call.d_q, right.d_q, "d_q", units);
  expect_near<T>(call.d_k, right.d_k, "d_k", units);
}

}  // namespace garboard::kernels::cuda
