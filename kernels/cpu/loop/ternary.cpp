#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/stretch.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

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
      if (run_short<stretch, ternary_scalar_sets>(out, a, b, c)) return;
      const View* in[] = {&a, &b, &c};
      run({stretch, 3, ternary_scalar_sets}, out, in);
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
