// Rows of a table that become one a bag: a thread takes one column of a bag, in order.
#include "kernels/cuda/index/indexed.h"
#include "kernels/cuda/launch/parts.h"
#include "kernels/functors/element.h"

namespace garboard::kernels::cuda {
namespace {

template <class T>
struct BagTask {
  using Wide = functors::Widened<T>;

  std::int64_t bags, width, rows, numbers, padding;
  T* out;
  const T *x, *factors;
  const std::int64_t *index, *starts;
  std::int64_t *picked, *bag_of;
  Wide* shares;
  BagMode mode;
  Fault* faults;

  BagTask(const Bags& of, Fault* faults)
      : bags(of.out.sizes[0]),
        width(of.out.sizes[1]),
        rows(of.x.sizes[0]),
        numbers(of.index.count),
        padding(of.padding),
        out(of.out.as<T>()),
        x(of.x.as<T>()),
        factors(of.factors.as<T>()),
        index(of.index.as<std::int64_t>()),
        starts(of.starts.as<std::int64_t>()),
        picked(of.picked.as<std::int64_t>()),
        bag_of(of.bag_of.as<std::int64_t>()),
        shares(of.shares.as<Wide>()),
        mode(of.mode),
        faults(faults) {}

  /// The numbers of a bag; none where its starts are wrong, which is noted.
  __device__ void find(std::int64_t bag, std::int64_t& begin, std::int64_t& end) const {
    begin = starts[bag];
    end = starts[bag + 1];
    if (begin >= 0 && begin <= end && end <= numbers && (bag > 0 || begin == 0)) return;
    note_fault(faults, Bags::name, begin, end < numbers ? end : numbers);
    begin = end = 0;
  }
  /// The row of number j, or -1 for padding, and for what is no row, which is noted.
  __device__ std::int64_t row(std::int64_t j) const {
    const std::int64_t given = index[j];
    if (given == padding) return -1;
    if (given >= 0 && given < rows) return given;
    note_fault(faults, Bags::name, given, rows);
    return -1;
  }
};

template <class T>
__global__ void take_bags(const __grid_constant__ BagTask<T> task) {
  using Wide = functors::Widened<T>;
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= task.bags * task.width) return;
  const std::int64_t column = i % task.width;
  std::int64_t begin, end, count = 0, picked = -1;
  task.find(i / task.width, begin, end);
  Wide all = 0;
  for (std::int64_t j = begin; j < end; ++j) {
    const std::int64_t row = task.row(j);
    if (row < 0) continue;
    const Wide x = functors::widened(task.x[row * task.width + column]);
    if (task.mode == BagMode::max) {
      const bool is_better = count == 0 || x > all || x != x;
      all = is_better ? x : all;
      picked = is_better ? row : picked;
    } else {
      all += (task.factors ? functors::widened(task.factors[j]) : Wide(1)) * x;
    }
    ++count;
  }
  if (task.mode == BagMode::mean && count > 1) all *= Wide(1) / static_cast<Wide>(count);
  task.out[i] = static_cast<T>(all);
  if (task.picked) task.picked[i] = picked;
}

/// How each number counts, and in which bag; behind the last bag nothing does.
template <class T>
__global__ void note_shares(const __grid_constant__ BagTask<T> task) {
  using Wide = functors::Widened<T>;
  const std::int64_t bag = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (bag > task.bags) return;
  std::int64_t begin, end, count = 0;
  if (bag < task.bags) {
    task.find(bag, begin, end);
    for (std::int64_t j = begin; j < end; ++j) count += task.row(j) >= 0;
  } else {
    begin = task.starts[bag];
    begin = begin < 0 || begin > task.numbers ? task.numbers : begin;
    end = task.numbers;
  }
  const bool is_mean = task.mode == BagMode::mean && count > 1;
  const Wide share = is_mean ? Wide(1) / static_cast<Wide>(count) : Wide(1);
  for (std::int64_t j = begin; j < end; ++j) {
    if (task.bag_of) task.bag_of[j] = bag < task.bags ? bag : 0;
    if (task.shares) task.shares[j] = bag < task.bags && task.row(j) >= 0 ? share : Wide(0);
  }
}

}  // namespace

template <>
Bags::Found kernel(const Bags& of, Stream stream) {
  visit_floating(of.x.dtype, [&]<class T>(Type<T>) {
    const BagTask<T> task(of, fault_record(stream));
    if (of.out.count > 0) launch(take_bags<T>, {divided_up(of.out.count, threads), stream}, task);
    if ((task.bag_of || task.shares) && task.numbers > 0)
      launch(note_shares<T>, {divided_up(task.bags + 1, threads), stream}, task);
  });
  return Bags::Found::nothing_wrong;
}

}  // namespace garboard::kernels::cuda
