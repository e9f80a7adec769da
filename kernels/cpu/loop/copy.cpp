#include "kernels/cpu/loop/copy_bytes.h"
#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/stretch.h"
#include "kernels/cpu/loop/transposed_copy.h"
#include "kernels/functors/convert.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// Half types meet others by way of float, block by block in the first cache.
template <class To, class From>
void convert_stretch(void* out, const void* const* in, std::int64_t count, unsigned scalars) {
  using functors::Convert;
  if constexpr (!functors::Half<To> && !functors::Half<From>) {
    unary_stretch<Convert<To>, From>(out, in, count, scalars);
  } else {
    constexpr std::int64_t block = 512;
    alignas(64) float wide[block];
    for (std::int64_t i = 0; i < count; i += block) {
      const std::int64_t n = smaller(count - i, block);
      const void* x = static_cast<const From*>(in[0]) + i;
      if constexpr (functors::Half<From>) {
        widen(wide, static_cast<const From*>(x), n);
        x = wide;
      } else if constexpr (!std::is_same_v<From, float>) {
        unary_stretch<Convert<float>, From>(wide, &x, n, 0);
        x = wide;
      }
      To* const y = static_cast<To*>(out) + i;
      if constexpr (functors::Half<To>)
        narrow(y, static_cast<const float*>(x), n);
      else
        unary_stretch<Convert<To>, float>(y, &x, n, 0);
    }
  }
}

// Without a change of dtype only the size of an element counts.
template <class Item>
void copy_stretch(void* out, const void* const* in, std::int64_t count, unsigned scalars) {
  if (!scalars) {
    if (out != in[0]) copy_bytes(out, in[0], count * static_cast<std::int64_t>(sizeof(Item)));
    return;
  }
  typedef Item Aliased __attribute__((may_alias));
  auto* y = static_cast<Aliased*>(out);
  const Item value = *static_cast<const Aliased*>(in[0]);
  for (std::int64_t i = 0; i < count; ++i) y[i] = value;
}

Elementwise copy_of(DType dtype) {
  const Stretch stretch = visit_item(
      item_size(dtype), []<class Item>(Type<Item>) { return Stretch{copy_stretch<Item>}; });
  return {.stretch = stretch, .inputs = 1, .scalar_sets = 0b11, .moves = true};
}

void copy(const View& out, const View& x) {
  const View* in = &x;
  if (x.dtype == out.dtype) {
    const auto bytes = out.count * static_cast<std::int64_t>(item_size(out.dtype));
    if (!(out.contiguous && is_flat(x, out))) {
      if (copy_transposed(out, x)) return;
      return run(copy_of(out.dtype), out, &in);
    }
    if (out.data == x.data) return;
    const bool streams = bytes >= machine().streaming_bytes;
    return for_each_part(
        bytes, tuning::copied_part_bytes, static_cast<double>(bytes) * tuning::copied_byte_ns,
        [&](std::int64_t first, std::int64_t last) {
          char* const to = out.as<char>() + first;
          const char* const from = x.as<char>() + first;
          streams ? stream_copy(to, from, last - first) : copy_bytes(to, from, last - first);
        });
  }
  visit_dtype(out.dtype, [&]<class To>(Type<To>) {
    visit_dtype(x.dtype, [&]<class From>(Type<From>) {
      if constexpr (!std::is_same_v<To, From>) {
        constexpr Stretch stretch = convert_stretch<To, From>;
        if (run_short<stretch, 1>(out, x) || copy_transposed(out, x, stretch)) return;
        run({stretch, 1, 1}, out, &in);
      }
    });
  });
}

void fill(const View& out, Scalar value) {
  visit_dtype(out.dtype, [&]<class T>(Type<T>) {
    T element = value.to<T>();
    const void* data = &element;
    const Elementwise op = copy_of(out.dtype);
    if (out.contiguous && out.count < tuning::long_elements)
      return op.stretch(out.data, &data, out.count, 1);
    View x;
    x.data = &element;
    x.dtype = out.dtype;
    const View* in = &x;
    run(op, out, &in);
  });
}

template <class T, class Number>
void count_up(T* out, std::int64_t first, std::int64_t last, Number start, Number step) {
  for (std::int64_t i = first; i < last; ++i)
    out[i] = functors::Convert<T>{}(start + static_cast<Number>(i) * step);
}

void count(const View& out, Scalar start, Scalar step) {
  constexpr std::int64_t grain = tuning::counted_part;
  const bool is_whole = start.is_whole() && step.is_whole();
  const auto count_some = [&](std::int64_t first, std::int64_t last) {
    visit_dtype(out.dtype, [&]<class T>(Type<T>) {
      if (is_whole && !functors::Floating<T>)
        count_up(out.as<T>(), first, last, start.integer, step.integer);
      else
        count_up(out.as<T>(), first, last, start.real, step.real);
    });
  };
  if (out.count <= grain) return count_some(0, out.count);
  for_each_part(out.count, grain, static_cast<double>(out.count) * tuning::counted_ns, count_some);
}

}  // namespace

template <>
void kernel(const Copy& of, Stream) {
  copy(of.out, of.x);
}
template <>
void kernel(const Fill& of, Stream) {
  fill(of.out, of.value);
}
template <>
void kernel(const Arange& of, Stream) {
  count(of.out, of.start, of.step);
}

}  // namespace garboard::kernels::GARBOARD_ISA
