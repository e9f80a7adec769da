#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/stretch.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// `which` of the two, 0 or 1, is a number that comes in float beside elements of T.
template <class F, functors::Half T, int which>
void binary_with_number(const View& out, const View& a, const View& b) {
  const View* in[] = {&a, &b};
  constexpr Stretch stretch = binary_stretch<F, T, 1u << which>;
  if (!run_short<stretch, binary_scalar_sets>(out, a, b))
    run({stretch, 2, binary_scalar_sets, tuning::element_ns<F, HasWide<F, float>>}, out, in);
}

template <class F>
void binary(const View& out, const View& a, const View& b, Stream) {
  visit_dtype(a.dtype < b.dtype ? a.dtype : b.dtype, [&]<class T>(Type<T>) {
    using Wide = functors::Widened<T>;
    if constexpr (std::is_invocable_v<F, Wide, Wide>) {
      if constexpr (functors::Half<T>)
        if (a.dtype != b.dtype)
          return a.dtype == DType::float32 ? binary_with_number<F, T, 0>(out, a, b)
                                           : binary_with_number<F, T, 1>(out, a, b);
      if (out.count == 1 && HasWide<F, Wide>) {
        const void* in[] = {a.data, b.data};
        return binary_stretch<F, T>(out.data, in, 1, 0);
      }
      if (out.count == 1) {
        const auto y =
            functors::On<F, T>{}(loaded<T>(*a.as<InMemory<T>>()), loaded<T>(*b.as<InMemory<T>>()));
        *out.as<std::remove_const_t<decltype(y)>>() = y;
        return;
      }
      if (run_short<binary_stretch<F, T>, binary_scalar_sets>(out, a, b)) return;
      const View* in[] = {&a, &b};
      run({binary_stretch<F, T>, 2, binary_scalar_sets, tuning::element_ns<F, HasWide<F, Wide>>},
          out, in);
    } else {
      __builtin_trap();
    }
  });
}

}  // namespace

void fill_binary(Table& table) noexcept {
  for_each_type(functors::BinaryFunctors{},
                [&]<class F> { table.binary[index_in<F, functors::BinaryFunctors>] = binary<F>; });
}

}  // namespace garboard::kernels::GARBOARD_ISA
