// Connectionist temporal classification (Graves et al., "Connectionist temporal classification:
// labelling unsegmented sequence data with recurrent neural networks", ICML 2006): the ways to
// write labels into steps, counted forwards and backwards in logarithms, sample by sample. A state
// is a label or one of the blanks around labels; a step goes from a state to itself, to the next
// one, or past a blank between two labels that differ.
#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/formulas/ways.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// Labels and states of one sample, read once: another thread may write them meanwhile.
template <class T>
class CtcStates {
 public:
  /// `memory` holds `bytes_for(longest)`.
  CtcStates(const CtcLoss& of, std::int64_t sample, void* memory)
      : steps(load(of.step_counts, sample)), labels_(load(of.label_counts, sample)) {
    const std::int64_t start = load(of.starts, sample);
    const std::int64_t longest = (of.alphas.sizes.data()[2] - 1) / 2;
    const std::int64_t classes = of.log_probs.sizes.data()[2];
    is_good = steps >= 0 && steps <= of.log_probs.sizes.data()[0] && labels_ >= 0 &&
              labels_ <= longest && start >= 0 && start <= of.labels.count - labels_;
    if (!is_good) return;
    count = 2 * labels_ + 1;
    label = static_cast<std::int64_t*>(memory);
    skip = reinterpret_cast<T*>(label + count);
    for (std::int64_t s = 0; s < count; ++s) {
      label[s] = s % 2 == 0 ? of.blank : load(of.labels, start + s / 2);
      is_good &= label[s] >= 0 && label[s] < classes;
    }
    for (std::int64_t s = 0; s < count; ++s)
      skip[s] = s % 2 == 1 && s > 1 && label[s] != label[s - 2] ? T(0) : no_way<T>;
  }
  static std::int64_t bytes_for(std::int64_t longest) {
    return (2 * longest + 1) * std::int64_t{sizeof(std::int64_t) + sizeof(T)};
  }

  std::int64_t steps, count = 0;
  std::int64_t* label = nullptr;  // [count]
  T* skip = nullptr;              // [count]: 0 where a way may come from two states before
  bool is_good;

 private:
  static std::int64_t load(const View& of, std::int64_t i) {
    return __atomic_load_n(of.as<std::int64_t>() + i, __ATOMIC_RELAXED);
  }

  std::int64_t labels_;
};

template <class T>
struct CtcSample {
  const CtcLoss& of;
  std::int64_t number;
  std::int64_t samples = of.log_probs.sizes.data()[1], classes = of.log_probs.sizes.data()[2];

  const T* log_probs(std::int64_t t) const {
    return of.log_probs.as<T>() + (t * samples + number) * classes;
  }
  T* alphas(std::int64_t t) const {
    const std::int64_t width = of.alphas.sizes.data()[2];
    return of.alphas.as<T>() + (number * of.alphas.sizes.data()[1] + t) * width;
  }
};

template <class T>
void fetch(T* emitted, const T* log_probs, const CtcStates<T>& states) {
  for (std::int64_t s = 0; s < states.count; ++s) emitted[s] = log_probs[states.label[s]];
}

/// `row` is [2 + states]: two places before the first state stay `no_way`.
template <class T>
T log_likelihood(const CtcSample<T>& sample, const CtcStates<T>& states, T* row, T* emitted,
                 Pace& pace) {
  const std::int64_t count = states.count;
  if (states.steps == 0) return count == 1 ? T(0) : no_way<T>;
  T* const before = row + 2;
  row[0] = row[1] = no_way<T>;
  for (std::int64_t t = 0; t < states.steps; ++t) {
    pace.advance(8 * count);
    fetch(emitted, sample.log_probs(t), states);
    T* const alphas = sample.alphas(t);
    if (t == 0) {
      for (std::int64_t s = 0; s < count; ++s) alphas[s] = s < 2 ? emitted[s] : no_way<T>;
    } else {
#pragma GCC ivdep
      for (std::int64_t s = 0; s < count; ++s)
        alphas[s] = log_sum(before[s], before[s - 1], before[s - 2] + states.skip[s]) + emitted[s];
    }
    for (std::int64_t s = 0; s < count; ++s) before[s] = alphas[s];
  }
  return log_sum(before[count - 1], before[count - 2], no_way<T>);
}

template <class T>
std::int64_t memory_of(const CtcLoss& of) {
  const std::int64_t longest = (of.alphas.sizes.data()[2] - 1) / 2;
  return CtcStates<T>::bytes_for(longest) + 2 * (2 * longest + 5) * std::int64_t{sizeof(T)};
}

/// Calls `run(sample, states, row, emitted, pace)` for each sample; returns the first bad one.
template <class T, class Run>
std::int64_t for_each_sample(const CtcLoss& of, double ns, Run run) {
  const std::int64_t samples = of.log_probs.sizes.data()[1];
  const std::int64_t width = of.alphas.sizes.data()[2];
  std::int64_t bad = samples;
  for_each_part(samples, 1, ns, [&](std::int64_t first, std::int64_t last) {
    const Scratch memory(memory_of<T>(of));
    Pace pace;
    for (std::int64_t n = first; n < last; ++n) {
      const CtcStates<T> states(of, n, memory.data());
      T* const row = reinterpret_cast<T*>(memory.data() + CtcStates<T>::bytes_for((width - 1) / 2));
      if (states.is_good) {
        run(CtcSample<T>{of, n}, states, row, row + width + 4, pace);
        continue;
      }
      std::int64_t known = __atomic_load_n(&bad, __ATOMIC_RELAXED);
      while (n < known && !__atomic_compare_exchange_n(&bad, &known, n, true, __ATOMIC_RELAXED,
                                                       __ATOMIC_RELAXED)) {
      }
    }
  });
  return bad < samples ? bad : -1;
}

template <class T>
std::int64_t losses(const CtcLoss& of) {
  const double ns = static_cast<double>(of.alphas.count) * 8 * tuning::many_ns;
  return for_each_sample<T>(
      of, ns,
      [&](const CtcSample<T>& sample, const CtcStates<T>& states, T* row, T* emitted, Pace& pace) {
        const T found = log_likelihood(sample, states, row, emitted, pace);
        of.losses.as<T>()[sample.number] = -found;
      });
}

template <class T>
std::int64_t gradients(const CtcLossGradient& to) {
  const CtcLoss& of = to.of;
  const double ns = static_cast<double>(of.alphas.count) * 16 * tuning::many_ns +
                    static_cast<double>(of.log_probs.count) * tuning::many_ns;
  return for_each_sample<T>(
      of, ns,
      [&](const CtcSample<T>& sample, const CtcStates<T>& states, T* row, T* emitted, Pace& pace) {
        const std::int64_t classes = sample.classes, all = of.log_probs.sizes.data()[0];
        const std::int64_t count = states.count;
        const T loss = of.losses.as<T>()[sample.number];
        const bool is_skipped = to.skips_infinite && loss == T(__builtin_huge_val());
        const std::int64_t steps = is_skipped ? 0 : states.steps;
        const T given = to.d_losses.as<T>()[sample.number];
        const auto result = [&](std::int64_t t) {
          return to.d_log_probs.as<T>() + (t * sample.samples + sample.number) * classes;
        };
        for (std::int64_t t = steps; t < all; ++t) {
          pace.advance(classes);
          for (std::int64_t c = 0; c < classes; ++c) result(t)[c] = 0;
        }
        // `row` is of the ways from the step behind to the end: two places follow the last state.
        T* const behind = row;
        behind[count] = behind[count + 1] = no_way<T>;
        for (std::int64_t t = steps - 1; t >= 0; --t) {
          pace.advance(classes + 8 * count);
          const T* const log_probs = sample.log_probs(t);
          const T* const alphas = sample.alphas(t);
          T* const out = result(t);
#pragma GCC ivdep
          for (std::int64_t c = 0; c < classes; ++c) out[c] = functors::exp(log_probs[c]) * given;
          // What comes behind a state, without what it emits itself.
          if (t == states.steps - 1) {
            for (std::int64_t s = 0; s < count; ++s) behind[s] = s >= count - 2 ? T(0) : no_way<T>;
          } else {
            fetch(emitted, sample.log_probs(t + 1), states);
            for (std::int64_t s = 0; s < count; ++s) behind[s] += emitted[s];
            // From the first state on: each reads those behind it, which are not yet overwritten.
            for (std::int64_t s = 0; s < count; ++s)
              behind[s] = log_sum(behind[s], behind[s + 1],
                                  s + 2 < count ? behind[s + 2] + states.skip[s + 2] : no_way<T>);
          }
          if (loss == T(__builtin_huge_val())) {
            for (std::int64_t c = 0; c < classes; ++c) out[c] = T(__builtin_nan(""));
            continue;
          }
          for (std::int64_t s = 0; s < count; ++s)
            out[states.label[s]] -= functors::exp(alphas[s] + behind[s] + loss) * given;
        }
      });
}

}  // namespace

template <>
std::int64_t kernel(const CtcLoss& of, Stream) {
  return of.log_probs.dtype == DType::float32 ? losses<float>(of) : losses<double>(of);
}
template <>
std::int64_t kernel(const CtcLossGradient& to, Stream) {
  return to.of.log_probs.dtype == DType::float32 ? gradients<float>(to) : gradients<double>(to);
}

}  // namespace garboard::kernels::GARBOARD_ISA
