#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/stretch.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

template <class F>
inline constexpr bool is_where = std::is_same_v<F, functors::Where>;
template <class F>
inline constexpr bool adds_scaled = std::is_same_v<F, functors::AddScaled>;

/// What a condition that holds, or does not, for all takes: a copy, or one element.
template <class T>
void take_one(T* y, const T* from, std::int64_t count, bool is_scalar) {
  if (is_scalar) {
    const T value = *from;
    for (std::int64_t i = 0; i < count; ++i) y[i] = value;
  } else if (y != from) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) y[i] = from[i];
  }
}

/// The first operand may be of a type of its own, as the condition of Where is.
template <class F, class T, class First = T>
void ternary_stretch(void* out, const void* const* in, std::int64_t count, unsigned scalars) {
  if constexpr (is_where<F>) {
    if (scalars & 1) {
      using Item = InMemory<T>;
      const int taken = loaded<bool>(*static_cast<const InMemory<bool>*>(in[0])) ? 1 : 2;
      return take_one(static_cast<Item*>(out), static_cast<const Item*>(in[taken]), count,
                      scalars >> taken & 1);
    }
  }
  if constexpr (functors::Half<T>) {
    constexpr bool has_condition = std::is_same_v<First, bool>;
    constexpr Stretch of_float =
        ternary_stretch<F, float, std::conditional_t<has_condition, bool, float>>;
    return stretch_in_float<T, StretchForm{3, has_condition, 0, false}>(of_float, out, in, count,
                                                                        scalars);
  } else {
    auto* y = static_cast<InMemory<T>*>(out);
    auto* a = static_cast<const InMemory<First>*>(in[0]);
    auto* b = static_cast<const InMemory<T>*>(in[1]);
    auto* c = static_cast<const InMemory<T>*>(in[2]);
    if constexpr (adds_scaled<F>) {
      if (scalars == 0b101) {
        const T first = loaded<T>(*a), last = loaded<T>(*c);
#pragma GCC ivdep
        for (std::int64_t i = 0; i < count; ++i) y[i] = F{}(first, loaded<T>(b[i]), last);
        return;
      }
    }
    if (scalars == 0) {
#pragma GCC ivdep
      for (std::int64_t i = 0; i < count; ++i)
        y[i] = F{}(loaded<First>(a[i]), loaded<T>(b[i]), loaded<T>(c[i]));
    } else if (scalars == 0b100) {
      const T last = loaded<T>(*c);
#pragma GCC ivdep
      for (std::int64_t i = 0; i < count; ++i)
        y[i] = F{}(loaded<First>(a[i]), loaded<T>(b[i]), last);
    } else if (scalars == 0b010) {
      const T middle = loaded<T>(*b);
#pragma GCC ivdep
      for (std::int64_t i = 0; i < count; ++i)
        y[i] = F{}(loaded<First>(a[i]), middle, loaded<T>(c[i]));
    } else {
      const T middle = loaded<T>(*b), last = loaded<T>(*c);
#pragma GCC ivdep
      for (std::int64_t i = 0; i < count; ++i) y[i] = F{}(loaded<First>(a[i]), middle, last);
    }
  }
}
template <class F>
inline constexpr unsigned ternary_scalar_sets =
    1u << 0b000 | 1u << 0b010 | 1u << 0b100 | 1u << 0b110 |
    (is_where<F> ? 1u << 0b001 | 1u << 0b011 | 1u << 0b101 | 1u << 0b111 : 0) |
    (adds_scaled<F> ? 1u << 0b101 : 0);

template <class F>
void ternary(const View& out, const View& a, const View& b, const View& c, Stream) {
  visit_dtype(out.dtype, [&]<class T>(Type<T>) {
    using Wide = functors::Widened<T>;
    if constexpr (functors::TakesThree<F, Wide>) {
      using First = std::conditional_t<functors::takes_condition<F>, bool, T>;
      if (out.count == 1) {
        *out.as<T>() =
            functors::On<F, T>{}(loaded<First>(*a.as<InMemory<First>>()),
                                 loaded<T>(*b.as<InMemory<T>>()), loaded<T>(*c.as<InMemory<T>>()));
        return;
      }
      constexpr Stretch stretch = ternary_stretch<F, T, First>;
      if (run_short<stretch, ternary_scalar_sets<F>>(out, a, b, c)) return;
      const View* in[] = {&a, &b, &c};
      run({stretch, 3, ternary_scalar_sets<F>}, out, in);
    } else {
      __builtin_trap();
    }
  });
}

/// In one walk what a Multiply or a Divide and an AddScaled give, to the bit.
template <class T, bool divides>
void add_product(const AddProduct& of, std::int64_t first, std::int64_t last) {
  const T *const x = of.input.as<T>() + first, *const a = of.a.as<T>() + first,
                 *const b = of.b.as<T>() + first;
  const T factor = static_cast<T>(of.factor);
  store_ahead(
      of.out.as<T>() + first, last - first, [=](std::int64_t i) __attribute__((always_inline)) {
        return x[i] + factor * (divides ? a[i] / b[i] : a[i] * b[i]);
      });
}

}  // namespace

template <>
void kernel(const AddProduct& of, Stream) {
  visit_dtype(of.out.dtype, [&]<class T>(Type<T>) {
    if constexpr (functors::Real<T>) {
      constexpr std::int64_t bytes = 4 * sizeof(T);
      for_each_part(
          of.out.count, static_cast<std::int64_t>(tuning::loop_part_ns / tuning::few_ns),
          predicted_ns(static_cast<double>(of.out.count) * tuning::few_ns, of.out.count * bytes),
          [&](std::int64_t first, std::int64_t last) {
            of.divides ? add_product<T, true>(of, first, last)
                       : add_product<T, false>(of, first, last);
          });
    }
  });
}

void fill_ternary(Table& table) noexcept {
  for_each_type(functors::TernaryFunctors{}, [&]<class F> {
    table.ternary[index_in<F, functors::TernaryFunctors>] = ternary<F>;
  });
}

}  // namespace garboard::kernels::GARBOARD_ISA
