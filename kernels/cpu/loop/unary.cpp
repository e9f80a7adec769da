#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/stretch.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

template <class F>
void unary(const View& out, const View& x, Stream) {
  visit_dtype(x.dtype, [&]<class T>(Type<T>) {
    if constexpr (std::is_invocable_v<F, T>) {
      if (out.count == 1 && !HasWide<F, T>) {
        *out.as<std::invoke_result_t<F, T>>() = F{}(*x.as<T>());
        return;
      }
      if (run_short<unary_stretch<F, T>, 1>(out, x)) return;
      const View* in = &x;
      run({unary_stretch<F, T>, 1, 1, tuning::element_ns<F, HasWide<F, T>>}, out, &in);
    }
  });
}

}  // namespace

void fill_unary(Table& table) noexcept {
  for_each_type(functors::UnaryFunctors{},
                [&]<class F> { table.unary[index_in<F, functors::UnaryFunctors>] = unary<F>; });
}

}  // namespace garboard::kernels::GARBOARD_ISA
