// Sampling at any places of a plane. Where a place is and what it is made of does not depend on the
// channel: tables are made for a block of places, and every channel reads them.
#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/formulas/grid_dim.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

constexpr int block = 128;  // places

/// What a block of places is made of: element k of place i, with its factor.
template <class T>
struct PlaceTable {
  std::int32_t at[most_mixed][block];  // in the plane; -1: nowhere
  T factor[most_mixed][block];
  T slope[space_dims][most_mixed][block];  // of the grid's coordinates, as they stand there
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

  template <bool wants_slopes>
  void fill(PlaceTable<T>& table, std::int64_t sample, std::int64_t number) const {
    const int dims = of_.dims, along = dim_[0].along(), deep = dims == 3 ? along : 1;
    const T* grid = of_.grid.as<T>() + (sample * places + number * block) * dims;
    for (int i = 0; i < count(number); ++i, grid += dims) {
      std::int32_t at[space_dims][most_along] = {};
      T factor[space_dims][most_along], slope[space_dims][most_along];
      factor[2][0] = 1;
      slope[2][0] = 0;
      for (int d = 0; d < dims; ++d) dim_[d].read(grid[d], at[d], factor[d], slope[d]);
      int k = 0;
      for (int z = 0; z < deep; ++z)
        for (int y = 0; y < along; ++y)
          for (int x = 0; x < along; ++x, ++k) {
            const std::int32_t place = (at[2][z] * high_ + at[1][y]) * wide_ + at[0][x];
            const bool is_there = (at[2][z] | at[1][y] | at[0][x]) >= 0;
            const T f = factor[0][x], g = factor[1][y], h = factor[2][z];
            table.at[k][i] = is_there ? place : -1;
            table.factor[k][i] = is_there ? f * g * h : T(0);
            if constexpr (wants_slopes) {
              table.slope[0][k][i] = is_there ? slope[0][x] * g * h : T(0);
              table.slope[1][k][i] = is_there ? f * slope[1][y] * h : T(0);
              table.slope[2][k][i] = is_there ? f * g * slope[2][z] : T(0);
            }
          }
    }
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

template <class T, int elements>
void add_slopes(T* sums, const T* given, const T* x, const PlaceTable<T>& table, int dims,
                int count) {
  for (int d = 0; d < dims; ++d)
#pragma GCC ivdep
    for (int i = 0; i < count; ++i) {
      T sum = 0;
      for (int k = 0; k < elements; ++k)
        sum += table.slope[d][k][i] * element_at(x, table.at[k][i]);
      sums[d * block + i] += sum * given[i];
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
      [&](std::int64_t sample, std::int64_t number, const PlaceTable<T>& table, Pace& pace) {
        visit_elements(walk.elements, [&]<int elements>() {
          for (std::int64_t c = 0; c < walk.channels; ++c) {
            pace.advance(block * elements);
            const std::int64_t channel = sample * walk.channels + c;
            mix_row<T, elements>(of.out.as<T>() + channel * walk.places + number * block,
                                 of.x.as<T>() + channel * walk.plane, table, walk.count(number));
          }
        });
      });
}

template <class T>
void grid_gradient(const GridSampleGradient& of) {
  const GridWalk<T> walk(of);
  walk.template for_each_block<true>(
      [&](std::int64_t sample, std::int64_t number, const PlaceTable<T>& table, Pace& pace) {
        const int count = walk.count(number);
        T sums[space_dims * block] = {};
        visit_elements(walk.elements, [&]<int elements>() {
          for (std::int64_t c = 0; c < walk.channels; ++c) {
            pace.advance(block * elements);
            const std::int64_t channel = sample * walk.channels + c;
            add_slopes<T, elements>(sums, of.out.as<T>() + channel * walk.places + number * block,
                                    of.x.as<T>() + channel * walk.plane, table, of.dims, count);
          }
        });
        T* to = of.d_grid.as<T>() + (sample * walk.places + number * block) * of.dims;
        for (int i = 0; i < count; ++i)
          for (int d = 0; d < of.dims; ++d) *to++ = sums[d * block + i];
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
  if (of.d_x.data) is_single ? plane_gradient<float>(of) : plane_gradient<double>(of);
  if (of.d_grid.data) is_single ? grid_gradient<float>(of) : grid_gradient<double>(of);
}

}  // namespace garboard::kernels::GARBOARD_ISA
