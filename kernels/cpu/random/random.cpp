// Philox blocks are computed many at a time, word by word, and interleaved at the end.
#include "kernels/cpu/loop/loop.h"
#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/functors/philox.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

constexpr int batch = 128;  // counters at a time

struct Words {
  alignas(64) std::uint32_t word[4][batch];
};

/// Blocks of `count` counters, rounded up to whole vectors.
void generate(Words& words, int count, std::uint64_t counter, std::uint64_t plane,
              std::uint64_t seed) {
  const int rounded = (count + 15) & ~15;
  for (int j = 0; j < rounded; ++j) {
    const auto block = functors::philox(counter + j, plane, seed);
    for (int k = 0; k < 4; ++k) words.word[k][j] = block.word[k];
  }
}

/// Numbers of T, as they are computed.
template <class T>
using Four = functors::Widened<T>[4][batch];

/// Calls `make(four, counter, n)`, which computes four numbers of each of n counters, and writes
/// them to `out`: elements `begin` to `end`, of which `begin` is the first of a batch.
template <class T, class Make>
void make_batches(T* y, std::int64_t begin, std::int64_t end, RandomStream stream, Make& make) {
  alignas(64) Four<T> four;
  for (std::int64_t i = begin; i < end; i += 4 * batch) {
    const std::int64_t left = end - i;
    const int counters = left >= 4 * batch ? batch : static_cast<int>((left + 3) / 4);
    make(four, stream.offset + static_cast<std::uint64_t>(i) / 4, counters);
    const int whole = left >= 4 * counters ? counters : counters - 1;
    for (int j = 0; j < whole; ++j)
      for (int k = 0; k < 4; ++k) y[i + 4 * j + k] = static_cast<T>(four[k][j]);
    for (int k = 0; k < left - 4 * whole && whole < counters; ++k)
      y[i + 4 * whole + k] = static_cast<T>(four[k][whole]);
  }
}
template <class T, class Make>
void for_each_batch(const View& out, RandomStream stream, Make make) {
  constexpr std::int64_t in_batch = 4 * batch, grain = tuning::random_part;
  constexpr double element_ns = tuning::random_ns;
  for_each_part(divided_up(out.count, in_batch), grain, static_cast<double>(out.count) * element_ns,
                [&](std::int64_t first, std::int64_t last) {
                  make_batches<T>(out.as<T>(), first * in_batch,
                                  smaller(out.count, last * in_batch), stream, make);
                });
}

/// Four numbers in [0, 1) a counter.
template <class T>
void generate_units(Four<T>& four, std::uint64_t counter, int count, std::uint64_t seed) {
  Words first, second;
  generate(first, count, counter, 0, seed);
  if constexpr (sizeof(T) == 8) generate(second, count, counter, 1, seed);
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < count; ++j)
      four[k][j] =
          functors::unit_interval<T>(first.word[k][j], sizeof(T) == 8 ? second.word[k][j] : 0);
}

void uniform(const View& out, double low, double high, RandomStream stream) {
  visit_floating(out.dtype, [&]<class T>(Type<T>) {
    using Wide = functors::Widened<T>;
    const Wide bottom = static_cast<Wide>(low), top = static_cast<Wide>(high);
    for_each_batch<T>(out, stream, [&](Four<T>& four, std::uint64_t counter, int count) {
      generate_units<T>(four, counter, count, stream.seed);
      for (auto& units : four)
        for (int j = 0; j < count; ++j) units[j] = functors::uniform<T>(units[j], bottom, top);
    });
  });
}

void normal(const View& out, double mean, double deviation, RandomStream stream) {
  visit_floating(out.dtype, [&]<class T>(Type<T>) {
    using Wide = functors::Widened<T>;
    const Wide center = static_cast<Wide>(mean), scale = static_cast<Wide>(deviation);
    for_each_batch<T>(out, stream, [&](Four<T>& four, std::uint64_t counter, int count) {
      generate_units<Wide>(four, counter, count, stream.seed);
      for (int k = 0; k < 4; k += 2) {
        for (int j = 0; j < count; ++j) {
          Wide one, other;
          functors::normal_pair(four[k][j], four[k + 1][j], one, other);
          four[k][j] = center + scale * one;
          four[k + 1][j] = center + scale * other;
        }
      }
    });
  });
}

void bernoulli(const View& out, double keep, RandomStream stream) {
  const double scaled = keep * 0x1p32;
  const auto limit = static_cast<std::uint64_t>(scaled < 0 ? 0 : scaled > 0x1p32 ? 0x1p32 : scaled);
  visit_real("bernoulli", out.dtype, [&]<class T>(Type<T>) {
    for_each_batch<T>(out, stream, [&](Four<T>& four, std::uint64_t counter, int count) {
      Words words;
      generate(words, count, counter, 0, stream.seed);
      for (int k = 0; k < 4; ++k)
        for (int j = 0; j < count; ++j) four[k][j] = words.word[k][j] < limit;
    });
  });
}

void integers(const View& out, std::int64_t low, std::uint32_t count, RandomStream stream) {
  const std::uint32_t surplus = count ? (0u - count) % count : 0;
  const auto above_low = [=](std::uint32_t step) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + step);
  };
  for_each_batch<std::int64_t>(
      out, stream, [&](Four<std::int64_t>& four, std::uint64_t counter, int counters) {
        Words words;
        generate(words, counters, counter, 0, stream.seed);
        std::uint32_t any_again = 0;
        for (int k = 0; k < 4; ++k) {
          for (int j = 0; j < counters; ++j) {
            const std::uint32_t word = words.word[k][j];
            four[k][j] = above_low(count ? functors::product_high(word, count) : word);
            any_again |= word * count < surplus;
          }
        }
        if (!any_again) return;
        for (int k = 0; k < 4; ++k) {
          for (int j = 0; j < counters; ++j)
            four[k][j] = above_low(
                functors::one_below(count, words.word[k][j], counter + j, k, stream.seed));
        }
      });
}

}  // namespace

template <>
void kernel(const Uniform& of, Stream) {
  uniform(of.out, of.low, of.high, of.numbers);
}
template <>
void kernel(const Normal& of, Stream) {
  normal(of.out, of.mean, of.deviation, of.numbers);
}
template <>
void kernel(const Bernoulli& of, Stream) {
  bernoulli(of.out, of.keep, of.numbers);
}
template <>
void kernel(const Integers& of, Stream) {
  integers(of.out, of.low, of.count, of.numbers);
}

}  // namespace garboard::kernels::GARBOARD_ISA
