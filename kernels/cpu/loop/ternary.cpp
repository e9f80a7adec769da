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

}  // namespace

void fill_ternary(Table& table) noexcept {
  for_each_type(functors::TernaryFunctors{}, [&]<class F> {
    table.ternary[index_in<F, functors::TernaryFunctors>] = ternary<F>;
  });
}

}  // namespace garboard::kernels::GARBOARD_ISA
