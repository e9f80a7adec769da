// Sampling at any places of a plane. Where a place is and what it is made of does not depend on the
// channel: tables are made for a block of places, and every channel reads them.
#include <cstring>

#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/formulas/grid_dim.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

constexpr int block = 128;  // places
constexpr int channels_at_once = 4;

/// What a block of places is made of: element k of place i, with its factor.
template <class T>
struct PlaceTable {
  std::int32_t at[most_mixed][block];  // in the plane; -1: nowhere
  T factor[most_mixed][block];
  T slope[space_dims][most_mixed][block];  // of the grid's coordinates, as they stand there
  // Of four elements, two pairs side by side: where these begin; and the places of others.
  std::int32_t pair[2][block];
  std::int32_t others[block];
  int other_count;
  // Of sixteen, four lines of four side by side, with their factors.
  typedef T Four __attribute__((vector_size(4 * sizeof(T))));
  std::int32_t line[4][block];
  Four line_factors[block][4];

  void find_pairs(int count) {
    other_count = 0;
    for (int i = 0; i < count; ++i) {
      const std::int32_t high = at[0][i], low = at[2][i];
      const bool are_pairs = high >= 0 && low >= 0 && at[1][i] == high + 1 && at[3][i] == low + 1;
      pair[0][i] = are_pairs ? high : 0;
      pair[1][i] = are_pairs ? low : 0;
      others[other_count] = i;
      other_count += !are_pairs;
    }
  }

  void find_lines(int count) {
    other_count = 0;
    for (int i = 0; i < count; ++i) {
      bool are_lines = true;
      for (int k = 0; k < 16; ++k) {
        const std::int32_t first = at[k / 4 * 4][i];
        are_lines &= first >= 0 && at[k][i] == first + k % 4;
        line_factors[i][k / 4][k % 4] = factor[k][i];
      }
      for (int y = 0; y < 4; ++y) line[y][i] = are_lines ? at[4 * y][i] : 0;
      others[other_count] = i;
      other_count += !are_lines;
    }
  }
};

template <class T>
class GridWalk {
 public:
  explicit GridWalk(const GridSample& of)
      : of_(of),
        samples(of.x.sizes.data()[0]),
        channels(of.x.sizes.data()[1]),
        places(of.out.sizes.data()[2]),
        blocks(divided_up(places, block)) {
    const std::int64_t* const sizes = of.x.sizes.data() + 2;
    plane = sizes[0] * sizes[1] * sizes[2];
    high_ = static_cast<std::int32_t>(sizes[1]);
    wide_ = static_cast<std::int32_t>(sizes[2]);
    elements = 1;
    for (int d = 0; d < of.dims; ++d) {
      dim_[d] = GridDim<T>(of, sizes[space_dims - 1 - d]);
      elements *= dim_[d].along();
    }
  }

  int count(std::int64_t number) const {
    return static_cast<int>(smaller(places - number * block, block));
  }

  /// Whether so many channels as are worth it are made of two pairs a place.
  bool has_pairs() const { return elements == 4 && plane > 1 && channels >= channels_at_once; }
  /// And of four lines.
  bool has_lines() const { return elements == 16 && plane > 3 && channels >= channels_at_once; }

  /// Element after element: each for all places of the block, in vectors.
  template <bool wants_slopes>
  void fill(PlaceTable<T>& table, std::int64_t sample, std::int64_t number) const {
    const int dims = of_.dims, along = dim_[0].along(), count = this->count(number);
    Along found[space_dims];
    find(found, of_.grid.as<T>() + (sample * places + number * block) * dims, count);
    int k = 0;
    for (int z = 0; z < (dims < space_dims ? 1 : along); ++z)
      for (int y = 0; y < along; ++y)
        for (int x = 0; x < along; ++x, ++k)
          fill_element<wants_slopes>(table, found, count, k, x, y, z);
  }

  /// Calls `run(sample, number, table, pace)` for each block of places, with its table.
  template <bool wants_slopes, class Run>
  void for_each_block(Run run) const {
    const double ns = static_cast<double>(samples * places) *
                      (static_cast<double>(channels * elements) * 0.5 + 10 * elements);
    for_each_part(samples * blocks, 1, ns, [&](std::int64_t first, std::int64_t last) {
      const Scratch memory(std::int64_t{sizeof(PlaceTable<T>)});
      PlaceTable<T>& table = *memory.as<PlaceTable<T>>();
      Pace pace;
      for (std::int64_t i = first; i < last; ++i) {
        fill<wants_slopes>(table, i / blocks, i % blocks);
        run(i / blocks, i % blocks, table, pace);
      }
    });
  }

  const GridSample& of_;
  std::int64_t samples, channels, places, blocks, plane;
  int elements;

 private:
  /// Calls `visit` with how is sampled, known when this is compiled.
  template <class Visit>
  void visit_kind(Visit visit) const {
    const auto sampled = [&]<Sampling sampling>() {
      switch (of_.beyond) {
        case Beyond::zeros:
          return visit.template operator()<sampling, Beyond::zeros>();
        case Beyond::border:
          return visit.template operator()<sampling, Beyond::border>();
        case Beyond::reflection:
          return visit.template operator()<sampling, Beyond::reflection>();
      }
    };
    switch (of_.sampling) {
      case Sampling::cubic:
        return sampled.template operator()<Sampling::cubic>();
      case Sampling::linear:
        return sampled.template operator()<Sampling::linear>();
      default:
        return sampled.template operator()<Sampling::nearest>();
    }
  }

  /// What a block of places meets along one dim.
  struct Along {
    std::int32_t at[most_along][block];
    T factor[most_along][block], slope[most_along][block];
  };

  /// What so many places meet along each dim.
  [[gnu::noinline]] void find(Along (&found)[space_dims], const T* grid, int count) const {
    const int dims = of_.dims;
    visit_kind([&]<Sampling sampling, Beyond beyond>() {
      for (int d = 0; d < dims; ++d) {
        const GridDim<T> dim = dim_[d].known_as(sampling, beyond);
        Along& to = found[d];
#pragma GCC ivdep
        for (int i = 0; i < count; ++i)
          dim.read(grid[i * dims + d], &to.at[0][i], &to.factor[0][i], &to.slope[0][i], block);
      }
    });
    if (dims == space_dims) return;
    for (int i = 0; i < count; ++i) {
      found[2].at[0][i] = 0;
      found[2].factor[0][i] = 1;
      found[2].slope[0][i] = 0;
    }
  }

  /// Element k of each place: x, y and z of what they meet along the dims.
  template <bool wants_slopes>
  void fill_element(PlaceTable<T>& table, const Along* along, int count, int k, int x, int y,
                    int z) const {
    const std::int32_t *const at_x = along[0].at[x], *const at_y = along[1].at[y],
                              *const at_z = along[2].at[z];
    const T *const f = along[0].factor[x], *const g = along[1].factor[y],
                   *const h = along[2].factor[z];
#pragma GCC ivdep
    for (int i = 0; i < count; ++i) {
      const std::int32_t place = (at_z[i] * high_ + at_y[i]) * wide_ + at_x[i];
      const bool is_there = (at_z[i] | at_y[i] | at_x[i]) >= 0;
      table.at[k][i] = is_there ? place : -1;
      table.factor[k][i] = f[i] * g[i] * h[i];  // nowhere, it meets 0: NaN alone remains
      if constexpr (wants_slopes) {
        table.slope[0][k][i] = along[0].slope[x][i] * g[i] * h[i];
        table.slope[1][k][i] = f[i] * along[1].slope[y][i] * h[i];
        table.slope[2][k][i] = f[i] * g[i] * along[2].slope[z][i];
      }
    }
  }

  std::int32_t high_, wide_;
  GridDim<T> dim_[space_dims];
};

template <class T>
__attribute__((always_inline)) inline T element_at(const T* x, std::int32_t at) {
  const T found = x[at < 0 ? 0 : at];
  return at < 0 ? T(0) : found;  // of a place outside even NaN is nothing
}

template <class T, int elements>
void mix_row(T* out, const T* x, const PlaceTable<T>& table, int count) {
#pragma GCC ivdep
  for (int i = 0; i < count; ++i) {
    T sum = 0;
    for (int k = 0; k < elements; ++k) sum += table.factor[k][i] * element_at(x, table.at[k][i]);
    out[i] = sum;
  }
}

/// What of a block lies in no pairs or lines, of so many channels.
template <class T, int elements>
void mix_others(T* out, std::int64_t out_stride, const T* x, std::int64_t stride,
                const PlaceTable<T>& table) {
  for (int k = 0; k < table.other_count; ++k) {
    const int i = table.others[k];
    for (int c = 0; c < channels_at_once; ++c) {
      T sum = 0;
      for (int e = 0; e < elements; ++e)
        sum += table.factor[e][i] * element_at(x + c * stride, table.at[e][i]);
      out[c * out_stride + i] = sum;
    }
  }
}

/// As `mix_row`, of two pairs a place and so many channels: what is read of the table is read once
/// for all of them, and an element costs a load. A gather would cost more than that.
template <class T>
void mix_pairs(T* out, std::int64_t out_stride, const T* x, std::int64_t stride,
               const PlaceTable<T>& table, int count) {
  for (int i = 0; i < count; ++i) {
    const T* const high = x + table.pair[0][i];
    const T* const low = x + table.pair[1][i];
    const T f0 = table.factor[0][i], f1 = table.factor[1][i];
    const T f2 = table.factor[2][i], f3 = table.factor[3][i];
#pragma GCC unroll 4
    for (int c = 0; c < channels_at_once; ++c) {
      const T* const a = high + c * stride;
      const T* const b = low + c * stride;
      out[c * out_stride + i] = f0 * a[0] + f1 * a[1] + f2 * b[0] + f3 * b[1];
    }
  }
  mix_others<T, 4>(out, out_stride, x, stride, table);
}

/// The same of four lines a place.
template <class T>
void mix_lines(T* out, std::int64_t out_stride, const T* x, std::int64_t stride,
               const PlaceTable<T>& table, int count) {
  typename PlaceTable<T>::Four met, sum;
  for (int i = 0; i < count; ++i) {
#pragma GCC unroll 4
    for (int c = 0; c < channels_at_once; ++c) {
      sum = typename PlaceTable<T>::Four{};
#pragma GCC unroll 4
      for (int y = 0; y < 4; ++y) {
        std::memcpy(&met, x + c * stride + table.line[y][i], sizeof met);
        sum += table.line_factors[i][y] * met;
      }
      out[c * out_stride + i] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
  }
  mix_others<T, 16>(out, out_stride, x, stride, table);
}

/// Adds what each element of a place is times what came back there.
template <class T, int elements>
void add_met(T (*met)[block], const T* given, const T* x, const PlaceTable<T>& table, int count) {
#pragma GCC ivdep
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < elements; ++k) met[k][i] += given[i] * element_at(x, table.at[k][i]);
}

/// The same of two pairs a place and so many channels: see `mix_pairs`.
template <class T>
void add_met_pairs(T (*met)[block], const T* given, std::int64_t given_stride, const T* x,
                   std::int64_t stride, const PlaceTable<T>& table, int count) {
  const auto add = [&](int i, const auto& element) __attribute__((always_inline)) {
    T sums[4] = {};
#pragma GCC unroll 4
    for (int c = 0; c < channels_at_once; ++c)
      for (int k = 0; k < 4; ++k) sums[k] += given[c * given_stride + i] * element(c, k);
    for (int k = 0; k < 4; ++k) met[k][i] += sums[k];
  };
  int next = 0;
  for (int i = 0; i < count; ++i) {
    if (next < table.other_count && table.others[next] == i) {
      ++next;
      add(
          i, [&](int c, int k) __attribute__((always_inline)) {
            return element_at(x + c * stride, table.at[k][i]);
          });
      continue;
    }
    const T* const pairs[] = {x + table.pair[0][i], x + table.pair[1][i]};
    add(
        i, [&](int c, int k)
               __attribute__((always_inline)) { return pairs[k / 2][c * stride + k % 2]; });
  }
}

/// The same of four lines a place.
template <class T>
void add_met_lines(T (*met)[block], const T* given, std::int64_t given_stride, const T* x,
                   std::int64_t stride, const PlaceTable<T>& table, int count) {
  using Four = typename PlaceTable<T>::Four;
  int next = 0;
  for (int i = 0; i < count; ++i) {
    if (next < table.other_count && table.others[next] == i) {
      ++next;
      for (int c = 0; c < channels_at_once; ++c)
        for (int k = 0; k < 16; ++k)
          met[k][i] += given[c * given_stride + i] * element_at(x + c * stride, table.at[k][i]);
      continue;
    }
    Four sums[4] = {}, element;
#pragma GCC unroll 4
    for (int c = 0; c < channels_at_once; ++c)
#pragma GCC unroll 4
      for (int y = 0; y < 4; ++y) {
        std::memcpy(&element, x + c * stride + table.line[y][i], sizeof element);
        sums[y] += given[c * given_stride + i] * element;
      }
    for (int k = 0; k < 16; ++k) met[k][i] += sums[k / 4][k % 4];
  }
}

/// Calls `visit` with how many elements a place is made of, known when this is compiled.
template <class Visit>
void visit_elements(int elements, Visit visit) {
  switch (elements) {
    case 1:
      return visit.template operator()<1>();
    case 4:
      return visit.template operator()<4>();
    case 8:
      return visit.template operator()<8>();
    default:
      return visit.template operator()<16>();
  }
}

template <class T>
void sample_grid(const GridSample& of) {
  const GridWalk<T> walk(of);
  walk.template for_each_block<false>(
      [&](std::int64_t sample, std::int64_t number, PlaceTable<T>& table, Pace& pace) {
        const int count = walk.count(number);
        const auto out_of = [&](std::int64_t c) {
          return of.out.as<T>() + (sample * walk.channels + c) * walk.places + number * block;
        };
        const auto plane_of = [&](std::int64_t c) {
          return of.x.as<T>() + (sample * walk.channels + c) * walk.plane;
        };
        std::int64_t c = 0;
        if (walk.has_pairs()) {
          table.find_pairs(count);
          for (; c + channels_at_once <= walk.channels; c += channels_at_once) {
            pace.advance(block * 4 * channels_at_once);
            mix_pairs<T>(out_of(c), walk.places, plane_of(c), walk.plane, table, count);
          }
        } else if (walk.has_lines()) {
          table.find_lines(count);
          for (; c + channels_at_once <= walk.channels; c += channels_at_once) {
            pace.advance(block * 16 * channels_at_once);
            mix_lines<T>(out_of(c), walk.places, plane_of(c), walk.plane, table, count);
          }
        }
        visit_elements(walk.elements, [&]<int elements>() {
          for (; c < walk.channels; ++c) {
            pace.advance(block * elements);
            mix_row<T, elements>(out_of(c), plane_of(c), table, count);
          }
        });
      });
}

/// Slopes do not depend on the channel: what elements come to in all channels is summed first.
template <class T>
void grid_gradient(const GridSampleGradient& of) {
  const GridWalk<T> walk(of);
  walk.template for_each_block<true>(
      [&](std::int64_t sample, std::int64_t number, PlaceTable<T>& table, Pace& pace) {
        const int count = walk.count(number);
        const auto given_of = [&](std::int64_t c) {
          return of.out.as<T>() + (sample * walk.channels + c) * walk.places + number * block;
        };
        const auto plane_of = [&](std::int64_t c) {
          return of.x.as<T>() + (sample * walk.channels + c) * walk.plane;
        };
        T met[most_mixed][block] = {};
        std::int64_t c = 0;
        if (walk.has_pairs()) {
          table.find_pairs(count);
          for (; c + channels_at_once <= walk.channels; c += channels_at_once) {
            pace.advance(block * 4 * channels_at_once);
            add_met_pairs<T>(met, given_of(c), walk.places, plane_of(c), walk.plane, table, count);
          }
        } else if (walk.has_lines()) {
          table.find_lines(count);
          for (; c + channels_at_once <= walk.channels; c += channels_at_once) {
            pace.advance(block * 16 * channels_at_once);
            add_met_lines<T>(met, given_of(c), walk.places, plane_of(c), walk.plane, table, count);
          }
        }
        visit_elements(walk.elements, [&]<int elements>() {
          for (; c < walk.channels; ++c) {
            pace.advance(block * elements);
            add_met<T, elements>(met, given_of(c), plane_of(c), table, count);
          }
        });
        T sums[space_dims][block] = {};
        for (int d = 0; d < of.dims; ++d)
          for (int k = 0; k < walk.elements; ++k)
            for (int i = 0; i < count; ++i) sums[d][i] += table.slope[d][k][i] * met[k][i];
        T* to = of.d_grid.as<T>() + (sample * walk.places + number * block) * of.dims;
        for (int i = 0; i < count; ++i)
          for (int d = 0; d < of.dims; ++d) *to++ = sums[d][i];
      });
}

// Planes are shared among threads, each whole: what meets in an element does so in one order. A
// group of channels has its tables for itself.
template <class T>
void plane_gradient(const GridSampleGradient& of) {
  constexpr std::int64_t group = 8;
  const GridWalk<T> walk(of);
  const std::int64_t groups = divided_up(walk.channels, group);
  const double ns = static_cast<double>(walk.samples * walk.places * walk.elements) *
                        static_cast<double>(walk.channels + 10 * groups) +
                    static_cast<double>(of.d_x.count) * 0.1;
  for_each_part(walk.samples * groups, 1, ns, [&](std::int64_t first, std::int64_t last) {
    const Scratch memory(std::int64_t{sizeof(PlaceTable<T>)});
    PlaceTable<T>& table = *memory.as<PlaceTable<T>>();
    Pace pace;
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t sample = i / groups, from = i % groups * group;
      const std::int64_t to = smaller(from + group, walk.channels);
      const auto plane_of = [&](std::int64_t c) {
        return of.d_x.as<T>() + (sample * walk.channels + c) * walk.plane;
      };
      for (std::int64_t c = from; c < to; ++c) {
        pace.advance(walk.plane);
        T* const plane = plane_of(c);
        for (std::int64_t e = 0; e < walk.plane; ++e) plane[e] = 0;
      }
      for (std::int64_t number = 0; number < walk.blocks; ++number) {
        walk.template fill<false>(table, sample, number);
        for (std::int64_t c = from; c < to; ++c) {
          pace.advance(block * walk.elements);
          T* const plane = plane_of(c);
          const T* const given =
              of.out.as<T>() + (sample * walk.channels + c) * walk.places + number * block;
          for (int p = 0; p < walk.count(number); ++p)
            for (int k = 0; k < walk.elements; ++k)
              if (table.at[k][p] >= 0) plane[table.at[k][p]] += table.factor[k][p] * given[p];
        }
      }
    }
  });
}

}  // namespace

template <>
void kernel(const GridSample& of, Stream) {
  of.x.dtype == DType::float32 ? sample_grid<float>(of) : sample_grid<double>(of);
}
template <>
void kernel(const GridSampleGradient& of, Stream) {
  const bool is_single = of.grid.dtype == DType::float32;
  const bool is_flat = of.sampling == Sampling::nearest;  // no place moves with the grid
  if (of.d_x.data) is_single ? plane_gradient<float>(of) : plane_gradient<double>(of);
  if (!of.d_grid.data) return;
  if (is_flat)
    std::memset(of.d_grid.data, 0,
                static_cast<std::size_t>(of.d_grid.count) * item_size(of.d_grid.dtype));
  else
    is_single ? grid_gradient<float>(of) : grid_gradient<double>(of);
}

}  // namespace garboard::kernels::GARBOARD_ISA
