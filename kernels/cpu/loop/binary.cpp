#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/stretch.h"
#include "kernels/cpu/table.h"

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

/// Powers in a few products.
struct Cube {
  template <functors::Analytic T>
  T operator()(T x) const {
    return x * x * x;
  }
};
struct FourthPower {
  template <functors::Real T>
  T operator()(T x) const {
    const T square = x * x;
    return square * square;
  }
};
struct InverseSquare {
  template <functors::Real T>
  T operator()(T x) const {
    const T inverse = T(1) / x;  // a square may be infinite where its inverse is not 0
    return inverse * inverse;
  }
};

template <class F>
bool multiply_out(const View& out, const View& x) {
  visit_dtype(x.dtype, [&]<class T>(Type<T>) {
    if constexpr (std::is_invocable_v<F, functors::Widened<T>>) {
      const View* in = &x;
      if (!run_short<unary_stretch<F, T>, 1>(out, x))
        run({unary_stretch<F, T>, 1, 1, tuning::element_ns<F, false>}, out, &in);
    }
  });
  return true;
}

/// Powers that a cheaper kernel gives, by a number: true where one did.
bool is_raised(const View& out, const View& x, const View& exponent, Stream stream) {
  if (exponent.count != 1 || !has_gradient(x.dtype)) return false;
  const double power = visit_dtype(exponent.dtype, [&]<class T>(Type<T>) -> double {
    if constexpr (functors::Real<T>)
      return *exponent.as<T>();
    else if constexpr (functors::ComplexNumber<T>)
      return exponent.as<T>()->imaginary == 0 ? exponent.as<T>()->real : 0;
    else
      return 0;
  });
  const auto unary = [&]<class F>(Type<F>) {
    table().unary[index_in<F, functors::UnaryFunctors>](out, x, stream);
    return true;
  };
  if (power == 2) return unary(Type<functors::Square>{});
  if (power == 3) return multiply_out<Cube>(out, x);
  if (power == -1) return unary(Type<functors::Reciprocal>{});
  if (is_complex(x.dtype)) return false;
  if (power == 4) return multiply_out<FourthPower>(out, x);
  if (power == -2) return multiply_out<InverseSquare>(out, x);
  if (power == 0.5) return unary(Type<functors::Sqrt>{});
  if (power == -0.5) return unary(Type<functors::Rsqrt>{});
  return false;
}

template <class F>
void binary(const View& out, const View& a, const View& b, Stream stream) {
  if constexpr (std::is_same_v<F, functors::Power>)
    if (is_raised(out, a, b, stream)) return;
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
      constexpr double element_ns = tuning::element_ns<F, HasWide<F, Wide>>;
      run({binary_stretch<F, T>, 2, binary_scalar_sets, element_ns, false, rows_of<F, T>()}, out,
          in);
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
