// Random numbers by Philox: each thread turns one counter into four elements, the same ones as on
// the CPU. Nothing is read, each element is written once.
#include "kernels/cuda/launch/launch.h"
#include "kernels/cuda/launch/packs.h"
#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/launch/played.h"
#include "kernels/functors/philox.h"

namespace garboard::kernels::cuda {
namespace {

using functors::FourWords;

/// Four numbers in [0, 1).
template <class T>
GARBOARD_HD void make_units(functors::Widened<T>* four, std::uint64_t counter, std::uint64_t seed) {
  const FourWords first = functors::philox(counter, 0, seed);
  const FourWords second = sizeof(T) == 8 ? functors::philox(counter, 1, seed) : FourWords{};
  for (int k = 0; k < 4; ++k) four[k] = functors::unit_interval<T>(first.word[k], second.word[k]);
}

template <class T>
struct DrawUniform {
  using Wide = functors::Widened<T>;
  Wide low, high;

  GARBOARD_HD void operator()(Wide* four, std::uint64_t counter, std::uint64_t seed) const {
    make_units<T>(four, counter, seed);
    for (int k = 0; k < 4; ++k) four[k] = functors::uniform<T>(four[k], low, high);
  }
};

template <class T>
struct DrawNormal {
  using Wide = functors::Widened<T>;
  Wide mean, deviation;

  GARBOARD_HD void operator()(Wide* four, std::uint64_t counter, std::uint64_t seed) const {
    make_units<Wide>(four, counter, seed);
    for (int k = 0; k < 4; k += 2) {
      Wide one, other;
      functors::normal_pair(four[k], four[k + 1], one, other);
      four[k] = mean + deviation * one;
      four[k + 1] = mean + deviation * other;
    }
  }
};

/// 1 where a word is below `limit`.
template <class T>
struct DrawBernoulli {
  std::uint64_t limit;

  GARBOARD_HD void operator()(functors::Widened<T>* four, std::uint64_t counter,
                              std::uint64_t seed) const {
    const FourWords words = functors::philox(counter, 0, seed);
    for (int k = 0; k < 4; ++k) four[k] = words.word[k] < limit;
  }
};

struct DrawIntegers {
  std::int64_t low;
  std::uint32_t count;

  GARBOARD_HD void operator()(std::int64_t* four, std::uint64_t counter, std::uint64_t seed) const {
    const FourWords words = functors::philox(counter, 0, seed);
    for (int k = 0; k < 4; ++k) {
      const std::uint32_t step = functors::one_below(count, words.word[k], counter, k, seed);
      four[k] = static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + step);
    }
  }
};

template <class T, class Make>
__global__ void draw(T* out, std::int64_t count, bool is_aligned, RandomStream numbers, Make make) {
  const std::int64_t step = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (4 * step >= count) return;
  numbers = played(numbers);
  functors::Widened<T> four[4];
  make(four, numbers.offset + static_cast<std::uint64_t>(step), numbers.seed);
  ElementPack<T, 4> pack;
  for (int k = 0; k < 4; ++k) pack.item[k] = static_cast<T>(four[k]);
  store_part(out + 4 * step, pack, count - 4 * step, is_aligned);
}

template <class T, class Make>
void launch_draw(const View& out, RandomStream numbers, Stream stream, Make make) {
  if (out.count == 0) return;
  const bool is_aligned = suits_packs<T, 4>(out.as<T>());
  launch(draw<T, Make>, {divided_up(out.count, 4 * threads), stream}, out.as<T>(), out.count,
         is_aligned, numbers, make);
}

template <template <class> class Make>
void draw_real(const View& out, double first, double second, RandomStream numbers, Stream stream) {
  visit_floating(out.dtype, [&]<class T>(Type<T>) {
    using Wide = functors::Widened<T>;
    launch_draw<T>(out, numbers, stream,
                   Make<T>{static_cast<Wide>(first), static_cast<Wide>(second)});
  });
}

void bernoulli(const View& out, double keep, RandomStream numbers, Stream stream) {
  const auto limit = static_cast<std::uint64_t>(std::clamp(keep, 0.0, 1.0) * 0x1p32);
  visit_real("bernoulli", out.dtype, [&]<class T>(Type<T>) {
    launch_draw<T>(out, numbers, stream, DrawBernoulli<T>{limit});
  });
}

}  // namespace

template <>
void kernel(const Uniform& of, Stream stream) {
  draw_real<DrawUniform>(of.out, of.low, of.high, of.numbers, stream);
}
template <>
void kernel(const Normal& of, Stream stream) {
  draw_real<DrawNormal>(of.out, of.mean, of.deviation, of.numbers, stream);
}
template <>
void kernel(const Bernoulli& of, Stream stream) {
  bernoulli(of.out, of.keep, of.numbers, stream);
}
template <>
void kernel(const Integers& of, Stream stream) {
  launch_draw<std::int64_t>(of.out, of.numbers, stream, DrawIntegers{of.low, of.count});
}

}  // namespace garboard::kernels::cuda
