#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/stretch.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

template <class F>
void unary(const View& out, const View& x, Stream) {
  visit_dtype(x.dtype, [&]<class T>(Type<T>) {
    if constexpr (std::is_invocable_v<F, functors::Widened<T>>) {
      if (out.count == 1 && !HasWide<F, functors::Widened<T>>) {
        const auto y = functors::On<F, T>{}(loaded<T>(*x.as<InMemory<T>>()));
        *out.as<std::remove_const_t<decltype(y)>>() = y;
        return;
      }
      if (run_short<unary_stretch<F, T>, 1>(out, x)) return;
      const View* in = &x;
      run({unary_stretch<F, T>, 1, 1, tuning::element_ns<F, HasWide<F, functors::Widened<T>>>}, out,
          &in);
    } else {
      __builtin_trap();
    }
  });
}

}  // namespace

void fill_unary(Table& table) noexcept {
  for_each_type(functors::UnaryFunctors{},
                [&]<class F> { table.unary[index_in<F, functors::UnaryFunctors>] = unary<F>; });
}

}  // namespace garboard::kernels::GARBOARD_ISA
