// Discrete Fourier transforms along a dim: of many signals, a lane of a vector each, or of one.
#include <type_traits>

#include "kernels/arguments.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/spectral/real_halves.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// Where the signals along a dim begin, in row-major order of what is left, in numbers of T.
class SignalStarts {
 public:
  SignalStarts(const View& of, int dim, int numbers) : step(of.strides[dim] * numbers) {
    for (int d = 0; d < of.ndim(); ++d) {
      const std::int64_t size = of.sizes[d], stride = of.strides[d] * numbers;
      if (d == dim || size == 1) continue;
      if (count_ && strides_[count_ - 1] == size * stride) {
        sizes_[count_ - 1] *= size;
        strides_[count_ - 1] = stride;
      } else {
        sizes_[count_] = size;
        strides_[count_++] = stride;
      }
    }
  }

  std::int64_t begin_of(std::int64_t line) const {
    std::int64_t at = 0;
    for (int d = count_ - 1; d > 0; --d) {
      at += line % sizes_[d] * strides_[d];
      line /= sizes_[d];
    }
    return count_ ? at + line * strides_[0] : 0;
  }

  const std::int64_t step;

 private:
  int count_ = 0;
  std::int64_t sizes_[max_dims], strides_[max_dims];
};

template <class T>
struct Task {
  T* out;
  const T* x;
  SignalStarts to, from;
  std::int64_t lines, size;  // of real or complex numbers
  T scale;
  bool is_back;
};

/// Calls `run(read, first, last)` for parts of all signals, with room for `numbers` lanes twice.
template <class T, class Run>
void for_each_block(const Task<T>& task, std::int64_t numbers, Run run) {
  constexpr int lanes = WideVector<T>::lanes;
  const double cost_ns = tuning::transformed_ns * static_cast<double>(task.lines * task.size);
  const std::int64_t blocks = larger(tuning::row_part / (task.size * lanes), 1);
  for_each_part(task.lines, lanes * blocks, cost_ns, [&](std::int64_t first, std::int64_t last) {
    const Scratch both(4 * numbers, sizeof(LaneVector<T>));
    ComplexLanes<T>* const read = both.as<ComplexLanes<T>>();
    for (std::int64_t line = first; line < last; line += lanes)
      run(read, read + numbers, line, smaller(line + lanes, last));
  });
}

template <class T>
SignalGroup<const T> given_to(const Task<T>& task, std::int64_t first, std::int64_t end,
                              bool in_pairs, bool is_swapped) {
  SignalGroup<const T> found =
      signals(first, end, Signal<const T>{task.x, task.from.step, is_swapped},
              [&](std::int64_t i) { return task.x + task.from.begin_of(i); });
  found.in_pairs = in_pairs;
  return found;
}
template <class T>
SignalGroup<T> made_by(const Task<T>& task, std::int64_t first, std::int64_t end, bool in_pairs,
                       bool is_swapped) {
  SignalGroup<T> found = signals(first, end, Signal<T>{task.out, task.to.step, is_swapped},
                                 [&](std::int64_t i) { return task.out + task.to.begin_of(i); });
  found.in_pairs = in_pairs;
  return found;
}

/// Calls `run(line, each)` for all signals: threads share them, or each one.
template <class T, class Run>
void for_each_line(const Task<T>& task, Run run) {
  if (task.size >= tuning::long_signal || task.lines == 1) {
    for (std::int64_t line = 0; line < task.lines; ++line) run(line, InParts{});
    return;
  }
  const double cost_ns = 2 * tuning::transformed_ns * static_cast<double>(task.lines * task.size);
  for_each_part(task.lines, 1, cost_ns, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t line = first; line < last; ++line) run(line, AtOnce{});
  });
}

template <class T>
Signal<const T> given_at(const Task<T>& task, std::int64_t line) {
  return {task.x + task.from.begin_of(line), task.from.step, false};
}
template <class T>
Signal<T> made_at(const Task<T>& task, std::int64_t line) {
  return {task.out + task.to.begin_of(line), task.to.step, false};
}

template <class T>
bool is_apart(const Task<T>& task, std::int64_t size) {
  constexpr std::int64_t lanes = WideVector<T>::lanes;
  return task.lines < lanes / tuning::lanes_a_signal && size >= tuning::least_apart_vectors * lanes;
}

template <class T>
void complex_to_complex(const Task<T>& task) {
  const KeptFourierPlan<T> plan(task.size, is_apart(task, task.size));
  if (plan->way == FourierWay::steps) {
    return for_each_block(task, task.size, [&](auto* x, auto* y, auto first, auto end) {
      read_signals(&x->re, given_to(task, first, end, true, task.is_back), 2 * task.size);
      const ComplexLanes<T>* const done = run_steps(*plan, x, y, task.scale);
      write_signals(made_by(task, first, end, true, task.is_back), &done->re, 2 * task.size);
    });
  }
  for_each_line(task, [&](std::int64_t line, auto each) {
    Signal<const T> x = given_at(task, line);
    Signal<T> out = made_at(task, line);
    x.is_swapped = out.is_swapped = task.is_back;
    transform_one(*plan, out, x, task.scale, each);
  });
}

template <class T>
void even_to_half(const Task<T>& task) {
  const std::int64_t half = task.size / 2;
  const KeptFourierPlan<T> plan(half, is_apart(task, half));
  const KeptRoots<T> roots(task.size);
  const T scale = task.scale / 2;
  if (plan->way == FourierWay::steps) {
    return for_each_block(task, half + 1, [&](auto* x, auto* y, auto first, auto end) {
      read_signals(&x->re, given_to(task, first, end, false, false), task.size);
      ComplexLanes<T>* const done = run_steps(*plan, x, y, scale);
      part_all(done, half, *roots);
      write_signals(made_by(task, first, end, true, false), &done->re, 2 * half + 2);
    });
  }
  for_each_line(task, [&](std::int64_t line, auto each) {
    const Scratch between(2 * task.size, sizeof(T));
    T* const copy = between.as<T>();
    const Signal<const T> x = given_at(task, line);
    const Signal<T> halves{copy + task.size, 2, false}, out = made_at(task, line);
    const double cost_ns = tuning::transformed_ns * static_cast<double>(half);
    Signal<const T> pairs{x.at, 2, false};
    if (x.step != 1) {
      for (std::int64_t i = 0; i < task.size; ++i) copy[i] = x.at[i * x.step];
      pairs.at = copy;
    }
    transform_one(*plan, halves, pairs, scale, each);
    each(half / 2 + 1, tuning::mirrored_part, cost_ns, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t k = first; k < last; ++k)
        part_pair(out, Signal<const T>{halves.at, 2, false}, k, half, *roots);
    });
  });
}

template <class T>
void half_to_even(const Task<T>& task) {
  const std::int64_t half = task.size / 2;
  const KeptFourierPlan<T> plan(half, is_apart(task, half));
  const KeptRoots<T> roots(task.size);
  if (plan->way == FourierWay::steps) {
    return for_each_block(task, half + 1, [&](auto* x, auto* y, auto first, auto end) {
      read_signals(&x->re, given_to(task, first, end, true, true), 2 * half + 2);
      join_all(x, half, *roots);
      const ComplexLanes<T>* const done = run_steps(*plan, x, y, task.scale);
      write_signals(made_by(task, first, end, false, true), &done->re, task.size);
    });
  }
  for_each_line(task, [&](std::int64_t line, auto each) {
    const Scratch between(2 * half, sizeof(T));
    const Signal<T> joined{between.as<T>(), 2, false}, out = made_at(task, line);
    const Signal<const T> x = given_at(task, line);
    const double cost_ns = tuning::transformed_ns * static_cast<double>(half);
    each(half / 2 + 1, tuning::mirrored_part, cost_ns, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t k = first; k < last; ++k) join_pair(joined, x, k, half, *roots);
    });
    const Signal<const T> swapped{joined.at, 2, true};
    if (out.step == 1)
      return transform_one(*plan, Signal<T>{out.at, 2, true}, swapped, task.scale, each);
    transform_one(*plan, Signal<T>{joined.at, 2, true}, swapped, task.scale, each);
    for (std::int64_t i = 0; i < task.size; ++i) out.at[i * out.step] = joined.at[i];
  });
}

template <class T>
void odd_to_half(const Task<T>& task) {
  const std::int64_t size = task.size, half = size / 2 + 1;
  const KeptFourierPlan<T> plan(size, is_apart(task, size));
  if (plan->way == FourierWay::steps) {
    return for_each_block(task, size, [&](auto* x, auto* y, auto first, auto end) {
      read_signals(&y->re, given_to(task, first, end, false, false), size);
      for (std::int64_t i = 0; i < size; ++i) x[i] = {(&y->re)[i], LaneVector<T>{}};
      const ComplexLanes<T>* const done = run_steps(*plan, x, y, task.scale);
      write_signals(made_by(task, first, end, true, false), &done->re, 2 * half);
    });
  }
  for_each_line(task, [&](std::int64_t line, auto each) {
    const Scratch between(2 * size, sizeof(T));
    const Signal<T> whole{between.as<T>(), 2, false}, out = made_at(task, line);
    const Signal<const T> x = given_at(task, line), given{whole.at, 2, false};
    for (std::int64_t i = 0; i < size; ++i) put_number(whole, i, {x.at[i * x.step], 0});
    transform_one(*plan, whole, given, task.scale, each);
    for (std::int64_t k = 0; k < half; ++k) put_number(out, k, number_at(given, k));
  });
}

template <class T>
void half_to_odd(const Task<T>& task) {
  const std::int64_t size = task.size, half = size / 2 + 1;
  const KeptFourierPlan<T> plan(size, is_apart(task, size));
  if (plan->way == FourierWay::steps) {
    return for_each_block(task, size, [&](auto* x, auto* y, auto first, auto end) {
      read_signals(&x->re, given_to(task, first, end, true, true), 2 * half);
      x[0].re = LaneVector<T>{};  // the imaginary part, as it is swapped
      for (std::int64_t k = 1; k < half; ++k) x[size - k] = {-x[k].re, x[k].im};
      ComplexLanes<T>* const done = run_steps(*plan, x, y, task.scale);
      LaneVector<T>* const reals = &done->re;
      for (std::int64_t i = 0; i < size; ++i) reals[i] = done[i].im;
      write_signals(made_by(task, first, end, false, false), reals, size);
    });
  }
  for_each_line(task, [&](std::int64_t line, auto each) {
    const Scratch between(2 * size, sizeof(T));
    const Signal<T> whole{between.as<T>(), 2, false}, out = made_at(task, line);
    const Signal<const T> x = given_at(task, line);
    for (std::int64_t k = 0; k < half; ++k) {
      Complex<T> z = number_at(x, k);
      if (k == 0) z.imaginary = 0;
      put_number(whole, k, z);
      if (k) put_number(whole, size - k, {z.real, -z.imaginary});
    }
    transform_one(*plan, Signal<T>{whole.at, 2, true}, Signal<const T>{whole.at, 2, true},
                  task.scale, each);
    for (std::int64_t i = 0; i < size; ++i) out.at[i * out.step] = whole.at[2 * i];
  });
}

/// Behind the first half of each signal its mirror image.
template <class T>
void mirror(const Task<T>& task) {
  const std::int64_t first = task.size / 2 + 1, part = larger(tuning::row_part / task.size, 1);
  const double cost_ns = tuning::mirrored_ns * static_cast<double>(task.lines * task.size);
  for_each_part(task.lines, part, cost_ns, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t line = begin; line < end; ++line) {
      T* const out = task.out + task.to.begin_of(line);
      for (std::int64_t k = first; k < task.size; ++k) {
        const T* const from = out + (task.size - k) * task.to.step;
        out[k * task.to.step] = from[0];
        out[k * task.to.step + 1] = -from[1];
      }
    }
  });
}

template <class T>
void transform(const FourierTransform& of) {
  const bool from_reals = !is_complex(of.x.dtype), to_reals = !is_complex(of.out.dtype);
  const std::int64_t size = to_reals ? of.out.sizes[of.dim] : of.x.sizes[of.dim];
  const Task<T> task{of.out.as<T>(),
                     of.x.as<const T>(),
                     SignalStarts(of.out, of.dim, to_reals ? 1 : 2),
                     SignalStarts(of.x, of.dim, from_reals ? 1 : 2),
                     of.out.count / of.out.sizes[of.dim],
                     size,
                     static_cast<T>(of.scale),
                     of.is_back};
  if (from_reals) {
    size % 2 ? odd_to_half(task) : even_to_half(task);
    if (of.out.sizes[of.dim] == size) mirror(task);
  } else if (to_reals) {
    size % 2 ? half_to_odd(task) : half_to_even(task);
  } else {
    complex_to_complex(task);
  }
}

}  // namespace

template <>
void kernel(const FourierTransform& of, Stream) {
  if (of.out.count == 0) return;
  component_of(of.out.dtype) == DType::float32 ? transform<float>(of) : transform<double>(of);
}

}  // namespace garboard::kernels::GARBOARD_ISA
