// Depthwise convolutions of many planes, a plane in each lane.
#include <vector>

#include "kernels/cpu/convolution/depthwise.h"
#include "kernels/cpu/convolution/plane_lanes.h"
#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// What a tap meets, from where the first output of its class lies, and where its factor stands.
struct LaneTap {
  std::int64_t offset, factor;
};

/// Some outputs of a line: sums over taps.
template <class T>
struct LaneLine {
  T* out;
  const T* met;
  std::int64_t out_step, met_step, count;  // steps in elements
  const LaneTap *first, *last;
  const T* factors;
  const T* begin;  // of each lane, or null: what is in out
};

template <class T, std::int64_t places>
void gather_places(const LaneLine<T>& line, std::int64_t from) {
  using V = WideVector<T>;
  const std::int64_t kept = smaller(line.count - from, places);
  T* const out = line.out + from * line.out_step;
  const T* const met = line.met + from * line.met_step;
  typename V::Type sum[places];
#pragma GCC unroll 8
  for (std::int64_t i = 0; i < places; ++i)
    sum[i] = V::load(line.begin ? line.begin : out + smaller(i, kept - 1) * line.out_step);
  for (const LaneTap* tap = line.first; tap < line.last; ++tap) {
    const auto factor = V::load(line.factors + tap->factor);
#pragma GCC unroll 8
    for (std::int64_t i = 0; i < places; ++i)
      sum[i] += factor * V::load(met + tap->offset + i * line.met_step);
  }
#pragma GCC unroll 8
  for (std::int64_t i = 0; i < places; ++i)
    if (i < kept) V::store(out + i * line.out_step, sum[i]);
}

/// In parts about equally long, of up to eight.
template <class T>
void gather_line(const LaneLine<T>& line) {
  using Function = void (*)(const LaneLine<T>&, std::int64_t);
  constexpr std::int64_t least = 3, most = 8;
  constexpr Function of[] = {gather_places<T, 3>, gather_places<T, 4>, gather_places<T, 5>,
                             gather_places<T, 6>, gather_places<T, 7>, gather_places<T, 8>};
  const std::int64_t each = divided_up(line.count, divided_up(line.count, most));
  for (std::int64_t i = 0; i < line.count; i += each) of[larger(each, least) - least](line, i);
}

struct LaneAxes {
  LaneAxis of[space_dims];
};

/// The places of a convolution, and the elements that they meet.
LaneAxes places_of(const Convolution& of, const Sizes& sizes) {
  LaneAxes axes{};
  for (int d = 0; d < space_dims; ++d)
    axes.of[d] = {.outputs = sizes.places[d],
                  .inputs = sizes.sizes[d],
                  .taps = sizes.taps[d],
                  .step = of.stride[d],
                  .shift = -of.padding[d],
                  .tap_step = of.dilation[d],
                  .divisor = 1};
  return axes;
}
/// Its elements, and the places that meet them.
LaneAxes elements_of(const Convolution& of, const Sizes& sizes) {
  LaneAxes axes{};
  for (int d = 0; d < space_dims; ++d)
    axes.of[d] = {.outputs = sizes.sizes[d],
                  .inputs = sizes.places[d],
                  .taps = sizes.taps[d],
                  .step = 1,
                  .shift = of.padding[d],
                  .tap_step = -of.dilation[d],
                  .divisor = of.stride[d]};
  return axes;
}

/// The planes of the lanes, and what taps multiply there.
template <class T>
class LaneBlocks {
 public:
  static constexpr std::int64_t lanes = WideVector<T>::lanes;

  LaneBlocks(const Convolution& of, const LaneAxes& axes)
      : of(of), sizes(of), bands(axes.of, lanes * std::int64_t{sizeof(T)}) {
    const LaneAxis& x = bands.x;
    for (std::int64_t r = 0; r < smaller(x.divisor, x.outputs); ++r) {
      for (std::int64_t k = 0; k < x.taps; ++k)
        if (x.meets(r, k)) line_taps_.push_back({x.input(r, k) * lanes, k * lanes});
      class_ends_.push_back(line_taps_.size());
    }
  }

  std::int64_t all() const { return sizes.samples * sizes.groups; }
  std::int64_t blocks() const { return divided_up(all(), lanes); }
  std::int64_t planes(std::int64_t block) const { return smaller(all() - block * lanes, lanes); }
  std::int64_t taps() const { return product(sizes.taps); }
  std::int64_t channel(std::int64_t block, std::int64_t lane) const {
    return (block * lanes + lane) % sizes.groups;
  }

  PlaneLanes<T> met() const {
    return {bands.most_met(), bands.x.inputs, bands.left, bands.right, bands.x.step};
  }
  PlaneLanes<T> made() const {
    return {bands.height * bands.z.outputs, bands.x.outputs, 0, 0, bands.x.divisor};
  }

  void read_factors(T* to, std::int64_t block, std::int64_t row) const {
    for (std::int64_t lane = 0; lane < planes(block); ++lane) {
      const T* const from = of.weight.as<T>() + (channel(block, lane) * sizes.rows + row) * taps();
      for (std::int64_t t = 0; t < taps(); ++t) to[t * lanes + lane] = from[t];
    }
  }
  void read_bias(T* to, std::int64_t block, std::int64_t row, std::int64_t rows,
                 const T* bias) const {
    for (std::int64_t lane = 0; lane < planes(block); ++lane)
      to[lane] = bias ? bias[channel(block, lane) * rows + row] : T(0);
  }

  // Of a block's planes, the first of which is at `plane` and each `apart` from the next one, the
  // lines that a band meets and those that it makes.
  void read_met(const PlaneLanes<T>& met, const T* plane, std::int64_t apart, std::int64_t block,
                std::int64_t band) const {
    const std::int64_t line = bands.first_met(band);
    met.read(plane + line * bands.x.inputs, apart, planes(block),
             (bands.last_met(band) - line) * bands.z.inputs);
  }
  void read_made(const PlaneLanes<T>& made, const T* plane, std::int64_t apart, std::int64_t block,
                 std::int64_t band) const {
    made.read(plane + bands.first(band) * bands.x.outputs, apart, planes(block), lines(band));
  }
  void write_made(const PlaneLanes<T>& made, T* plane, std::int64_t apart, std::int64_t block,
                  std::int64_t band) const {
    made.write(plane + bands.first(band) * bands.x.outputs, apart, planes(block), lines(band));
  }

  /// `each(line, z, y)` for each output's line of a band.
  template <class Each>
  void for_each_line(std::int64_t band, Each each) const {
    std::int64_t line = 0;
    for (std::int64_t z = 0; z < bands.z.outputs; ++z)
      for (std::int64_t y = bands.first(band); y < bands.last(band); ++y) each(line++, z, y);
  }
  /// `each(met, factor)` for each line that an output's line meets: where it is, and its taps'
  /// first.
  template <class Each>
  void for_each_met(std::int64_t band, std::int64_t z, std::int64_t y, Each each) const {
    const LaneAxis &deep = bands.z, &high = bands.y;
    const std::int64_t first = bands.first_met(band), lines = bands.last_met(band) - first;
    for (std::int64_t i = 0; i < deep.taps; ++i) {
      const std::int64_t at = deep.input(z, i);
      if (!deep.meets(z, i) || at < 0 || at >= deep.inputs) continue;
      for (std::int64_t j = 0; j < high.taps; ++j) {
        const std::int64_t line = high.input(y, j);
        if (high.meets(y, j) && line >= 0 && line < high.inputs)
          each(at * lines + line - first, (i * high.taps + j) * bands.x.taps);
      }
    }
  }

  /// Sums of a band, to which `begin` is added, or to what is there.
  void gather(const PlaneLanes<T>& out, const PlaneLanes<T>& met, std::int64_t band,
              const T* factors, const T* begin, std::vector<LaneTap>& list) const {
    const LaneAxis& x = bands.x;
    for_each_line(band, [&](std::int64_t line, std::int64_t z, std::int64_t y) {
      std::size_t tap = 0;
      for (std::size_t r = 0; r < class_ends_.size(); tap = class_ends_[r++]) {
        list.clear();
        for_each_met(band, z, y, [&](std::int64_t of_line, std::int64_t factor) {
          for (std::size_t i = tap; i < class_ends_[r]; ++i)
            list.push_back(
                {met.at(of_line, 0) + line_taps_[i].offset, factor * lanes + line_taps_[i].factor});
        });
        const auto first = static_cast<std::int64_t>(r);
        gather_line<T>({out.data() + out.at(line, first), met.data(), x.divisor * lanes,
                        x.step * lanes, divided_up(x.outputs - first, x.divisor), list.data(),
                        list.data() + list.size(), factors, begin});
      }
    });
  }

  /// `run(block, band)` for all, shared among threads.
  template <class Run>
  void for_each(std::int64_t units, Run run) const {
    const double ns = 0.005 * sizeof(T) * static_cast<double>(all() * sizes.rows) *
                      static_cast<double>(product(sizes.places) * taps() + 20);
    for_each_part(units, 1, ns, run);
  }

  const Convolution& of;
  Sizes sizes;
  LaneBands bands;

 private:
  std::int64_t lines(std::int64_t band) const {
    return (bands.last(band) - bands.first(band)) * bands.z.outputs;
  }

  // Of a line, class after class; offsets are from its first place.
  std::vector<LaneTap> line_taps_;
  std::vector<std::size_t> class_ends_;
};

template <class T>
void convolve_lanes(const Convolve& of) {
  const Sizes sizes(of);
  const LaneBlocks<T> all(of, places_of(of, sizes));
  constexpr std::int64_t lanes = WideVector<T>::lanes;
  const std::int64_t plane = product(sizes.sizes), made = product(sizes.places), rows = sizes.rows;
  all.for_each(all.blocks() * all.bands.count, [&](std::int64_t first, std::int64_t last) {
    const PlaneLanes<T> met = all.met(), out = all.made();
    const Scratch factors(all.taps() * lanes, sizeof(T));
    fill(factors.as<T>(), all.taps() * lanes, T(0));
    T bias[lanes] = {};
    std::vector<LaneTap> list;
    for (std::int64_t i = first; i < last; ++i) {
      interruption_point();
      const std::int64_t block = i / all.bands.count, band = i % all.bands.count;
      all.read_met(met, of.x.as<T>() + block * lanes * plane, plane, block, band);
      for (std::int64_t r = 0; r < rows; ++r) {
        all.read_factors(factors.as<T>(), block, r);
        all.read_bias(bias, block, r, rows, of.bias.as<T>());
        all.gather(out, met, band, factors.as<T>(), bias, list);
        all.write_made(out, of.out.as<T>() + (block * lanes * rows + r) * made, rows * made, block,
                       band);
      }
    }
  });
}

template <class T>
void spread_lanes(const ConvolutionInputGradient& of) {
  const Sizes sizes(of);
  const LaneBlocks<T> all(of, elements_of(of, sizes));
  constexpr std::int64_t lanes = WideVector<T>::lanes;
  const std::int64_t plane = product(sizes.sizes), came = product(sizes.places), rows = sizes.rows;
  all.for_each(all.blocks() * all.bands.count, [&](std::int64_t first, std::int64_t last) {
    const PlaneLanes<T> met = all.met(), out = all.made();
    const Scratch factors(all.taps() * lanes, sizeof(T));
    fill(factors.as<T>(), all.taps() * lanes, T(0));
    T bias[lanes] = {};
    std::vector<LaneTap> list;
    for (std::int64_t i = first; i < last; ++i) {
      interruption_point();
      const std::int64_t block = i / all.bands.count, band = i % all.bands.count;
      all.read_bias(bias, block, 0, 1, of.bias.as<T>());
      for (std::int64_t r = 0; r < rows; ++r) {
        all.read_met(met, of.out.as<T>() + (block * lanes * rows + r) * came, rows * came, block,
                     band);
        all.read_factors(factors.as<T>(), block, r);
        all.gather(out, met, band, factors.as<T>(), r == 0 ? bias : nullptr, list);
      }
      all.write_made(out, of.x.as<T>() + block * lanes * plane, plane, block, band);
    }
  });
}

constexpr int most_summed = 7;  // taps of a line at once

/// sums[k] += gradients times what tap k meets, over the places of a line.
template <class T, int taps>
void sum_line(T* sums, const T* grads, const T* met, std::int64_t met_step, std::int64_t tap_step,
              std::int64_t count) {
  using V = WideVector<T>;
  typename V::Type sum[2][taps];
#pragma GCC unroll 7
  for (int k = 0; k < taps; ++k) {
    sum[0][k] = V::load(sums + k * V::lanes);
    sum[1][k] = typename V::Type{};
  }
  std::int64_t i = 0;
  for (; i + 2 <= count; i += 2)
#pragma GCC unroll 2
    for (int n = 0; n < 2; ++n) {
      const auto grad = V::load(grads + (i + n) * V::lanes);
#pragma GCC unroll 7
      for (int k = 0; k < taps; ++k)
        sum[n][k] += grad * V::load(met + (i + n) * met_step + k * tap_step);
    }
  if (i < count) {
    const auto grad = V::load(grads + i * V::lanes);
#pragma GCC unroll 7
    for (int k = 0; k < taps; ++k) sum[0][k] += grad * V::load(met + i * met_step + k * tap_step);
  }
#pragma GCC unroll 7
  for (int k = 0; k < taps; ++k) V::store(sums + k * V::lanes, sum[0][k] + sum[1][k]);
}

template <class T>
using SumLine = void (*)(T*, const T*, const T*, std::int64_t, std::int64_t, std::int64_t);
template <class T>
constexpr SumLine<T> sum_lines[most_summed] = {sum_line<T, 1>, sum_line<T, 2>, sum_line<T, 3>,
                                               sum_line<T, 4>, sum_line<T, 5>, sum_line<T, 6>,
                                               sum_line<T, 7>};

/// Each block's bands are added up by themselves, and then in order.
template <class T>
void sum_in_lanes(const ConvolutionWeightGradient& of) {
  const Sizes sizes(of);
  const LaneBlocks<T> all(of, places_of(of, sizes));
  constexpr std::int64_t lanes = WideVector<T>::lanes;
  const std::int64_t plane = product(sizes.sizes), came = product(sizes.places), rows = sizes.rows;
  const std::int64_t each = rows * all.taps() * lanes;
  const Scratch sums(all.blocks() * each, sizeof(T));
  all.for_each(all.blocks(), [&](std::int64_t begin, std::int64_t end) {
    const PlaneLanes<T> met = all.met(), grads = all.made();
    const LaneAxis& x = all.bands.x;
    for (std::int64_t block = begin; block < end; ++block) {
      T* const of_block = sums.as<T>() + block * each;
      fill(of_block, each, T(0));
      for (std::int64_t band = 0; band < all.bands.count; ++band) {
        interruption_point();
        all.read_met(met, of.x.as<T>() + block * lanes * plane, plane, block, band);
        for (std::int64_t r = 0; r < rows; ++r) {
          all.read_made(grads, of.out.as<T>() + (block * lanes * rows + r) * came, rows * came,
                        block, band);
          T* const of_row = of_block + r * all.taps() * lanes;
          all.for_each_line(band, [&](std::int64_t to, std::int64_t z, std::int64_t y) {
            all.for_each_met(band, z, y, [&](std::int64_t of_line, std::int64_t tap) {
              for (std::int64_t k = 0; k < x.taps; k += most_summed)
                sum_lines<T>[smaller(x.taps - k, most_summed) - 1](
                    of_row + (tap + k) * lanes, grads.data() + grads.at(to, 0),
                    met.data() + met.at(of_line, x.input(0, k)), x.step * lanes, x.tap_step * lanes,
                    x.outputs);
            });
          });
        }
      }
    }
  });
  T* const weight = of.weight.as<T>();
  fill(weight, sizes.groups * rows * all.taps(), T(0));
  for (std::int64_t i = 0; i < all.all(); ++i) {
    const T* const from = sums.as<T>() + i / lanes * each + i % lanes;
    T* const to = weight + i % sizes.groups * rows * all.taps();
    for (std::int64_t t = 0; t < rows * all.taps(); ++t) to[t] += from[t * lanes];
  }
}

}  // namespace

bool has_planes_for_lanes(const Convolution& of) noexcept {
  const Sizes sizes(of);
  const std::int64_t lanes = vector_bytes / (of.x.dtype == DType::float32 ? 4 : 8);
  constexpr std::int64_t most_elements = 1 << 13;  // of a volume, which is read whole
  const bool is_flat = sizes.sizes[0] == 1 && sizes.places[0] == 1;
  return sizes.samples * sizes.groups * 4 >= lanes * 3 && product(sizes.places) > 0 &&
         (is_flat ||
          (product(sizes.sizes) <= most_elements && product(sizes.places) <= most_elements));
}

void convolve_in_lanes(const Convolve& of) {
  of.x.dtype == DType::float32 ? convolve_lanes<float>(of) : convolve_lanes<double>(of);
}
void input_gradient_in_lanes(const ConvolutionInputGradient& of) {
  of.x.dtype == DType::float32 ? spread_lanes<float>(of) : spread_lanes<double>(of);
}
void weight_gradient_in_lanes(const ConvolutionWeightGradient& of) {
  of.x.dtype == DType::float32 ? sum_in_lanes<float>(of) : sum_in_lanes<double>(of);
}

}  // namespace garboard::kernels::GARBOARD_ISA
