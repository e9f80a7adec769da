#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/stretch.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

template <class F>
void binary(const View& out, const View& a, const View& b, Stream) {
  visit_dtype(a.dtype, [&]<class T>(Type<T>) {
    if constexpr (std::is_invocable_v<F, T, T>) {
      if (out.count == 1 && HasWide<F, T>) {
        const void* in[] = {a.data, b.data};
        return binary_stretch<F, T>(out.data, in, 1, 0);
      }
      if (out.count == 1) {
        *out.as<std::invoke_result_t<F, T, T>>() = F{}(*a.as<T>(), *b.as<T>());
        return;
      }
      if (run_short<binary_stretch<F, T>, binary_scalar_sets>(out, a, b)) return;
      const View* in[] = {&a, &b};
      run({binary_stretch<F, T>, 2, binary_scalar_sets, tuning::element_ns<F, HasWide<F, T>>}, out,
          in);
    }
  });
}

}  // namespace

void fill_binary(Table& table) noexcept {
  for_each_type(functors::BinaryFunctors{},
                [&]<class F> { table.binary[index_in<F, functors::BinaryFunctors>] = binary<F>; });
}

}  // namespace garboard::kernels::GARBOARD_ISA
