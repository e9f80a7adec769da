// Cross entropy straight from the logits: no probability is written. The forward pass keeps one
// number of each row, from which the gradient makes the probabilities again. A class that is out of
// range is noted, its row counts as ignored, and nobody waits to hear of it.
#include "kernels/cuda/launch/faults.h"
#include "kernels/cuda/launch/lanes.h"
#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/reduce/partial.h"
#include "kernels/functors/scalar_math.h"
#include "kernels/rows_of_classes.h"

namespace garboard::kernels::cuda {
namespace {

/// A column of numbers, one a row.
template <class T>
struct PerRow {
  T* data;
  std::int64_t stride;

  explicit PerRow(const View& x)
      : data(x.as<T>()), stride(x.data && x.ndim() && x.count > 1 ? x.strides[0] : 0) {}
  GARBOARD_HD T& operator[](std::int64_t row) const { return data[row * stride]; }
};

template <class T>
struct LossTask {
  using Wide = functors::Widened<T>;

  RowsOfClasses shape;
  std::int64_t rows, classes, ignore_index;
  const T* logits;
  PerRow<const std::int64_t> targets;
  PerRow<Wide> losses, counts;
  PerRow<double> log_sums;
  const T* weights;  // null: all are 1
  double smoothing;
  int lanes;
  bool is_across, are_logs;
  Fault* faults;

  explicit LossTask(const CrossEntropy& of, Fault* faults)
      : shape(of.logits),
        rows(shape.rows),
        classes(shape.classes),
        ignore_index(of.ignore_index),
        logits(of.logits.as<T>()),
        targets(of.targets),
        losses(of.losses),
        counts(of.counts),
        log_sums(of.log_sums),
        weights(of.weights.as<T>()),
        smoothing(of.label_smoothing),
        are_logs(of.are_logs),
        faults(faults) {
    is_across = rows > 1 && size_of(shape.row_stride) < size_of(shape.class_stride);
    lanes = plan_reduction(rows, classes, is_across).lanes;
  }
  Grid grid(Stream stream) const { return {divided_up(rows, threads / lanes), stream}; }

  /// Class c of a row that starts there.
  GARBOARD_HD Wide logit(std::int64_t start, std::int64_t c) const {
    return functors::widened(logits[start + c * shape.class_stride]);
  }
  GARBOARD_HD Wide weight(std::int64_t c) const {
    return weights ? functors::widened(weights[c]) : Wide(1);
  }
  /// -1 for a row that is ignored or whose class there is not.
  __device__ std::int64_t target(std::int64_t row) const {
    const std::int64_t given = targets[row];
    if (given == ignore_index) return -1;
    if (given >= 0 && given < classes) return given;
    note_fault(faults, are_logs ? "nll_loss" : CrossEntropy::name, given, classes);
    return -1;
  }
  /// Where the target of a row stands in a view of that shape.
  GARBOARD_HD static std::int64_t place_of(const RowsOfClasses& shape, std::int64_t row,
                                           std::int64_t target) {
    return shape.start_of(row) + target * shape.class_stride;
  }
  /// What label smoothing gives every class of the loss, times the class's weight.
  GARBOARD_HD double share_of_each() const { return smoothing / static_cast<double>(classes); }
};

/// The sums over the classes of (top - x) weight, and of the weights.
struct SmoothedSums {
  double distances, weights;

  GARBOARD_HD static SmoothedSums none() { return {0, 0}; }
  GARBOARD_HD void merge(const SmoothedSums& other) {
    distances += other.distances;
    weights += other.weights;
  }
};

template <class T>
__global__ void cross_entropy(const __grid_constant__ LossTask<T> task) {
  using Wide = functors::Widened<T>;
  using Maximum = Partial<functors::MaximumOf, Wide>;
  using Sum = Partial<functors::SumOf, Wide>;
  __shared__ Maximum maxima[threads];
  __shared__ Sum sums[threads];
  __shared__ SmoothedSums smoothed[threads];
  const Seat seat(static_cast<int>(threadIdx.x), blockIdx.x, task.lanes, task.is_across);
  const std::int64_t row = seat.result, classes = row < task.rows ? task.classes : 0;
  const std::int64_t start = task.shape.start_of(row);
  auto maximum = Maximum::none();
  for (std::int64_t c = seat.lane; c < classes; c += task.lanes) maximum.add(task.logit(start, c));
  const Wide top = meet(maxima, maximum, seat, task.lanes).result();
  auto sum = Sum::none();
  for (std::int64_t c = seat.lane; c < classes; c += task.lanes)
    sum.add(functors::exp(task.logit(start, c) - top));
  const double log_of_sum =
      functors::log(static_cast<double>(meet(sums, sum, seat, task.lanes).result()));
  auto all = SmoothedSums::none();
  if (task.smoothing != 0) {
    for (std::int64_t c = seat.lane; c < classes; c += task.lanes)
      all.merge({static_cast<double>((top - task.logit(start, c)) * task.weight(c)),
                 static_cast<double>(task.weight(c))});
    all = meet(smoothed, all, seat, task.lanes);
  }
  if (row >= task.rows || seat.lane > 0) return;
  task.log_sums[row] = double{top} + log_of_sum;
  const std::int64_t target = task.target(row);
  double loss = 0;
  const Wide weight = target < 0 ? Wide(0) : task.weight(target);
  if (target >= 0)
    loss = ((double{top} - double{task.logit(start, target)}) + log_of_sum) *
               ((1 - task.smoothing) * weight) +
           (task.smoothing != 0 ? task.share_of_each() * (all.distances + log_of_sum * all.weights)
                                : 0);
  task.losses[row] = static_cast<Wide>(loss);
  task.counts[row] = weight;
}

/// Where gradients go, and of what they are.
template <class T>
struct LossGradient {
  T* d_logits;
  RowsOfClasses shape;
  PerRow<const functors::Widened<T>> d_losses;
};

template <class T>
__global__ void cross_entropy_gradient(const __grid_constant__ LossTask<T> task,
                                       LossGradient<T> to) {
  using Wide = functors::Widened<T>;
  using Sum = Partial<functors::SumOf, Wide>;
  __shared__ Sum sums[threads];
  const Seat seat(static_cast<int>(threadIdx.x), blockIdx.x, task.lanes, task.is_across);
  const std::int64_t row = seat.result, classes = row < task.rows ? task.classes : 0;
  double all_weights = 0;
  if (task.smoothing != 0) {
    auto sum = Sum::none();
    for (std::int64_t c = seat.lane; c < classes; c += task.lanes) sum.add(task.weight(c));
    all_weights = meet(sums, sum, seat, task.lanes).result();
  }
  if (classes == 0) return;
  const std::int64_t target = task.target(row);
  const double slope = target < 0 ? 0 : double{to.d_losses[row]};
  const double of_target = target < 0 ? 0 : slope * ((1 - task.smoothing) * task.weight(target));
  const double lowered = slope * task.share_of_each();
  const Wide scale = static_cast<Wide>(of_target + lowered * all_weights);
  // In two parts: logits are large where they differ from it by little.
  const double log_sum = target < 0 ? 0 : task.log_sums[row];
  const Wide head = static_cast<Wide>(log_sum), rest = static_cast<Wide>(log_sum - head);
  const std::int64_t start = task.shape.start_of(row), to_start = to.shape.start_of(row);
  for (std::int64_t c = seat.lane; c < classes; c += task.lanes) {
    Wide gradient = 0;
    if (target >= 0) {
      gradient = functors::exp((task.logit(start, c) - head) - rest) * scale;
      if (lowered != 0) gradient -= static_cast<Wide>(lowered) * task.weight(c);
      if (c == target) gradient -= static_cast<Wide>(of_target);
    }
    to.d_logits[to_start + c * to.shape.class_stride] = static_cast<T>(gradient);
  }
}

/// A thread a row, of which it reads one element.
template <class T>
__global__ void losses_of_logs(const __grid_constant__ LossTask<T> task) {
  using Wide = functors::Widened<T>;
  const std::int64_t row = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (row >= task.rows) return;
  const std::int64_t target = task.target(row);
  const Wide weight = target < 0 ? Wide(0) : task.weight(target);
  Wide loss = 0;
  if (weight != 0)
    loss = -functors::widened(task.logits[task.place_of(task.shape, row, target)]) * weight;
  task.losses[row] = loss;
  task.counts[row] = weight;
}

/// Zeros stand there already.
template <class T>
__global__ void gradient_of_logs(const __grid_constant__ LossTask<T> task, LossGradient<T> to) {
  const std::int64_t row = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  const std::int64_t target = row < task.rows ? task.target(row) : -1;
  if (target >= 0)
    to.d_logits[task.place_of(to.shape, row, target)] =
        static_cast<T>(-to.d_losses[row] * task.weight(target));
}

}  // namespace

template <>
std::int64_t kernel(const CrossEntropy& of, Stream stream) {
  if (RowsOfClasses(of.logits).rows == 0) return of.idle_result;
  visit_floating(of.logits.dtype, [&]<class T>(Type<T>) {
    const LossTask<T> task(of, fault_record(stream));
    if (of.are_logs)
      return launch(losses_of_logs<T>, {divided_up(task.rows, threads), stream}, task);
    launch(cross_entropy<T>, task.grid(stream), task);
  });
  return of.idle_result;
}
template <>
std::int64_t kernel(const CrossEntropyGradient& to, Stream stream) {
  if (to.of.logits.count == 0) return to.idle_result;
  visit_floating(to.of.logits.dtype, [&]<class T>(Type<T>) {
    const LossTask<T> task(to.of, fault_record(stream));
    const LossGradient<T> gradient{to.d_logits.as<T>(), RowsOfClasses(to.d_logits),
                                   PerRow<const functors::Widened<T>>(to.d_losses)};
    if (to.of.are_logs)
      return launch(gradient_of_logs<T>, {divided_up(task.rows, threads), stream}, task, gradient);
    launch(cross_entropy_gradient<T>, task.grid(stream), task, gradient);
  });
  return to.idle_result;
}

}  // namespace garboard::kernels::cuda
