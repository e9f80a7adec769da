// Connectionist temporal classification: a block a sample goes through the steps, a thread a state.
// Backwards, the ways behind each state are kept in scratch; a block a step then makes the gradient
// of them. A state is a label or one of the blanks around labels, as on the CPU. Of a sample whose
// numbers do not fit the results are NaN, which is noted: nobody waits to hear of it.
#include "kernels/cuda/launch/faults.h"
#include "kernels/cuda/launch/launch.h"
#include "kernels/cuda/launch/parts.h"
#include "kernels/formulas/ways.h"

namespace garboard::kernels::cuda {
namespace {

template <class T>
struct CtcShape {
  const T* log_probs;
  T* alphas;
  const std::int64_t *labels, *starts, *label_counts, *step_counts;
  std::int64_t label_total, steps, samples, classes, width, blank;

  explicit CtcShape(const CtcLoss& of)
      : log_probs(of.log_probs.as<T>()),
        alphas(of.alphas.as<T>()),
        labels(of.labels.as<std::int64_t>()),
        starts(of.starts.as<std::int64_t>()),
        label_counts(of.label_counts.as<std::int64_t>()),
        step_counts(of.step_counts.as<std::int64_t>()),
        label_total(of.labels.count),
        steps(of.log_probs.sizes[0]),
        samples(of.log_probs.sizes[1]),
        classes(of.log_probs.sizes[2]),
        width(of.alphas.sizes[2]),
        blank(of.blank) {}
};

template <class T>
struct CtcSample {
  const CtcShape<T>& of;
  std::int64_t number, start, steps, labels;
  bool is_good;         // its numbers fit, but perhaps for the labels
  std::int64_t states;  // 0 where it is not

  GARBOARD_HD CtcSample(const CtcShape<T>& shape, std::int64_t number)
      : of(shape),
        number(number),
        start(shape.starts[number]),
        steps(shape.step_counts[number]),
        labels(shape.label_counts[number]),
        is_good(steps >= 0 && steps <= shape.steps && labels >= 0 && labels <= shape.width / 2 &&
                start >= 0 && start <= shape.label_total - labels),
        states(is_good ? 2 * labels + 1 : 0) {}

  GARBOARD_HD bool has_good_label(std::int64_t state) const {
    return label(state) >= 0 && label(state) < of.classes;
  }
  /// Notes the first of the numbers that does not fit.
  __device__ void note_misfit(Fault* faults, const char* op) const {
    if (steps < 0 || steps > of.steps)
      note_fault(faults, op, steps, of.steps + 1);
    else if (labels < 0 || labels > of.width / 2)
      note_fault(faults, op, labels, of.width / 2 + 1);
    else
      note_fault(faults, op, start, of.label_total - labels + 1);
  }

  GARBOARD_HD std::int64_t label(std::int64_t state) const {
    return state % 2 == 0 ? of.blank : of.labels[start + state / 2];
  }
  GARBOARD_HD T emitted(std::int64_t step, std::int64_t state) const {
    return log_probs(step)[label(state)];
  }
  /// Of two labels that differ, whether a way may come from the one before.
  GARBOARD_HD bool skips_blank(std::int64_t state) const {
    return state % 2 == 1 && state > 1 && label(state) != label(state - 2);
  }

  GARBOARD_HD const T* log_probs(std::int64_t step) const {
    return of.log_probs + (step * of.samples + number) * of.classes;
  }
  /// Of [samples, steps, width].
  GARBOARD_HD T* row(T* table, std::int64_t step) const {
    return table + (number * of.steps + step) * of.width;
  }
};

/// Whether all threads of the block say so; `shared` is theirs alone.
__device__ inline bool all_agree(bool mine, bool& shared) {
  if (threadIdx.x == 0) shared = true;
  __syncthreads();
  if (!mine) shared = false;
  __syncthreads();
  return shared;
}

/// Whether the numbers of a block's sample fit; what does not is noted.
template <class T>
__device__ bool fits(const CtcSample<T>& sample, bool& shared, Fault* faults, const char* op) {
  bool is_good = sample.is_good;
  if (!is_good && threadIdx.x == 0) sample.note_misfit(faults, op);
  for (std::int64_t s = threadIdx.x; is_good && s < sample.states; s += threads) {
    is_good = sample.has_good_label(s);
    if (!is_good) note_fault(faults, op, sample.label(s), sample.of.classes);
  }
  return all_agree(is_good, shared);
}

template <class T>
__global__ void count_forwards(T* losses, const __grid_constant__ CtcShape<T> shape,
                               Fault* faults) {
  __shared__ bool agreed;
  const CtcSample<T> sample(shape, blockIdx.x);
  T& loss = losses[blockIdx.x];
  if (!fits(sample, agreed, faults, CtcLoss::name)) {
    if (threadIdx.x == 0) loss = functors::not_a_number<T>;
    return;
  }
  const std::int64_t states = sample.states;
  for (std::int64_t t = 0; t < sample.steps; ++t) {
    T* const alphas = sample.row(shape.alphas, t);
    const T* const before = t > 0 ? sample.row(shape.alphas, t - 1) : nullptr;
    for (std::int64_t s = threadIdx.x; s < states; s += threads) {
      if (before)
        alphas[s] = log_sum(before[s], s > 0 ? before[s - 1] : no_way<T>,
                            sample.skips_blank(s) ? before[s - 2] : no_way<T>) +
                    sample.emitted(t, s);
      else
        alphas[s] = s < 2 ? sample.emitted(t, s) : no_way<T>;
    }
    __syncthreads();
  }
  if (threadIdx.x > 0) return;
  if (sample.steps == 0) {
    loss = states == 1 ? T(0) : functors::infinity<T>;
    return;
  }
  const T* const last = sample.row(shape.alphas, sample.steps - 1);
  loss = -log_sum(last[states - 1], states > 1 ? last[states - 2] : no_way<T>, no_way<T>);
}

/// Of a state, the next one with its label, or -1, and whether it is the first.
struct SameLabel {
  std::int64_t next;
  bool is_first;
};

/// Writes [samples, steps, width] of the ways behind each state, without what it emits itself; of
/// each sample which states share a label, and how many there are, or -1 where numbers do not fit.
template <class T>
__global__ void count_backwards(T* behind, SameLabel* same, std::int64_t* states_of,
                                const __grid_constant__ CtcShape<T> shape, Fault* faults) {
  __shared__ bool agreed;
  const CtcSample<T> sample(shape, blockIdx.x);
  const bool is_good = fits(sample, agreed, faults, CtcLossGradient::name);
  if (threadIdx.x == 0) states_of[blockIdx.x] = is_good ? sample.states : -1;
  if (!is_good) return;
  const std::int64_t states = sample.states;
  same += blockIdx.x * shape.width;
  for (std::int64_t s = threadIdx.x; s < states; s += threads) {
    const std::int64_t label = sample.label(s);
    SameLabel found{-1, label != shape.blank};
    for (std::int64_t other = 1; found.is_first && other < s; other += 2)
      found.is_first = sample.label(other) != label;
    for (std::int64_t other = states - 2; label != shape.blank && other > s; other -= 2)
      if (sample.label(other) == label) found.next = other;
    same[s] = found;
  }
  for (std::int64_t t = sample.steps - 1; t >= 0; --t) {
    T* const row = sample.row(behind, t);
    const T* const after = t + 1 < sample.steps ? sample.row(behind, t + 1) : nullptr;
    const auto from = [&](std::int64_t s) { return after[s] + sample.emitted(t + 1, s); };
    for (std::int64_t s = threadIdx.x; s < states; s += threads) {
      row[s] = s >= states - 2 ? T(0) : no_way<T>;
      if (after)
        row[s] = log_sum(from(s), s + 1 < states ? from(s + 1) : no_way<T>,
                         s + 2 < states && sample.skips_blank(s + 2) ? from(s + 2) : no_way<T>);
    }
    __syncthreads();
  }
}

/// What the gradient of a step is made of.
template <class T>
struct CtcSlopes {
  T* d_log_probs;
  const T *d_losses, *losses, *behind;
  const SameLabel* same;
  const std::int64_t* states;
  bool skips_infinite;
};

/// A block for each step of each sample.
template <class T>
__global__ void find_step_gradient(const __grid_constant__ CtcSlopes<T> slopes,
                                   const __grid_constant__ CtcShape<T> shape) {
  __shared__ T of_blank[threads];
  const std::int64_t number = blockIdx.x % shape.samples, step = blockIdx.x / shape.samples;
  const int thread = static_cast<int>(threadIdx.x);
  const CtcSample<T> sample(shape, number);
  T* const out = slopes.d_log_probs + std::int64_t{blockIdx.x} * shape.classes;
  const std::int64_t states = slopes.states[number];
  const T loss = slopes.losses[number], given = slopes.d_losses[number];
  const bool is_infinite = loss == functors::infinity<T>;
  const bool is_nothing =
      states >= 0 && (step >= sample.steps || (is_infinite && slopes.skips_infinite));
  if (is_nothing || states < 0 || is_infinite) {
    for (std::int64_t c = thread; c < shape.classes; c += threads)
      out[c] = is_nothing ? T(0) : functors::not_a_number<T>;
    return;
  }
  const T* const alphas = sample.row(shape.alphas, step);
  const T* const behind = slopes.behind + (number * shape.steps + step) * shape.width;
  const auto share = [&](std::int64_t s) { return functors::exp(alphas[s] + behind[s] + loss); };
  const T* const log_probs = sample.log_probs(step);
  for (std::int64_t c = thread; c < shape.classes; c += threads)
    out[c] = functors::exp(log_probs[c]) * given;
  T sum = 0;
  for (std::int64_t s = thread; s < states; s += threads)
    if (sample.label(s) == shape.blank) sum += share(s);
  of_blank[thread] = sum;
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (thread < half) of_blank[thread] += of_blank[thread + half];
    __syncthreads();
  }
  if (thread == 0) out[shape.blank] -= of_blank[0] * given;
  const SameLabel* const same = slopes.same + number * shape.width;
  for (std::int64_t s = thread; s < states; s += threads) {
    if (!same[s].is_first) continue;
    T of_label = 0;
    for (std::int64_t one = s; one >= 0; one = same[one].next) of_label += share(one);
    out[sample.label(s)] -= of_label * given;
  }
}

template <class T>
void find_losses(const CtcLoss& of, Stream stream) {
  const CtcShape<T> shape(of);
  launch(count_forwards<T>, {shape.samples, stream}, of.losses.as<T>(), shape,
         fault_record(stream));
}

template <class T>
void find_gradients(const CtcLossGradient& to, Stream stream) {
  const CtcShape<T> shape(to.of);
  const std::int64_t states = shape.samples * shape.width;
  const Scratch behind(states * shape.steps * sizeof(T), stream);
  const Scratch same(states * sizeof(SameLabel), stream);
  const Scratch counts(shape.samples * sizeof(std::int64_t), stream);
  launch(count_backwards<T>, {shape.samples, stream}, behind.as<T>(), same.as<SameLabel>(),
         counts.as<std::int64_t>(), shape, fault_record(stream));
  launch(find_step_gradient<T>, {shape.samples * shape.steps, stream},
         CtcSlopes<T>{to.d_log_probs.as<T>(), to.d_losses.as<T>(), to.of.losses.as<T>(),
                      behind.as<T>(), same.as<SameLabel>(), counts.as<std::int64_t>(),
                      to.skips_infinite},
         shape);
}

}  // namespace

template <>
std::int64_t kernel(const CtcLoss& of, Stream stream) {
  if (of.losses.count == 0) return -1;
  of.log_probs.dtype == DType::float32 ? find_losses<float>(of, stream)
                                       : find_losses<double>(of, stream);
  return -1;
}
template <>
std::int64_t kernel(const CtcLossGradient& to, Stream stream) {
  if (to.d_log_probs.count == 0) return -1;
  to.of.log_probs.dtype == DType::float32 ? find_gradients<float>(to, stream)
                                          : find_gradients<double>(to, stream);
  return -1;
}

}  // namespace garboard::kernels::cuda
