// Matrix products: cuBLAS for floats, for integers and complex numbers a plain loop, which nothing
// is asked of but the right result: each thread reads a row and a column.
#include <optional>

#include "kernels/cuda/launch/launch.h"
#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/product/cublas.h"
#include "kernels/cuda/product/cublas_lt.h"

namespace garboard::kernels::cuda {
namespace {

/// A matrix as BLAS can walk it: itself, or a dense copy.
class BlasMatrix {
 public:
  BlasMatrix(const View& x, Stream stream) : view_(x) {
    if (MatrixLayout(x).suits_blas()) return;
    copy_.emplace(x.count * item_size(x.dtype), stream);
    view_ = make_view(copy_->as<void>(), x.dtype, x.sizes, contiguous_strides(x.sizes));
    kernel(Copy{view_, x}, stream);
  }
  const View& view() const { return view_; }

 private:
  View view_;
  std::optional<Scratch> copy_;
};

struct MatrixStrides {
  std::int64_t row, column, batch;

  explicit MatrixStrides(const MatrixLayout& m)
      : row(m.row_stride), column(m.column_stride), batch(m.batch_stride) {}
};

/// Integers wrap: sums and products are those of the unsigned type.
template <class T>
struct Wrapped {
  using Sum = functors::Unsigned<T>;
  using Factor = std::uint64_t;
};
template <functors::ComplexNumber T>
struct Wrapped<T> {
  using Sum = T;
  using Factor = T;
};

template <class T>
__global__ void multiply_plainly(T* out, const T* a, const T* b, MatrixStrides out_step,
                                 MatrixStrides a_step, MatrixStrides b_step, std::int64_t rows,
                                 std::int64_t columns, std::int64_t depth, std::int64_t count,
                                 bool accumulate) {
  using Wrapping = typename Wrapped<T>::Sum;
  using Factor = typename Wrapped<T>::Factor;
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= count) return;
  const std::int64_t column = i % columns, row = i / columns % rows, batch = i / columns / rows;
  T* const target = out + batch * out_step.batch + row * out_step.row + column * out_step.column;
  const T* const left = a + batch * a_step.batch + row * a_step.row;
  const T* const right = b + batch * b_step.batch + column * b_step.column;
  Wrapping sum = accumulate ? static_cast<Wrapping>(*target) : Wrapping(0);
  for (std::int64_t k = 0; k < depth; ++k)
    sum += static_cast<Wrapping>(Wrapping(left[k * a_step.column]) *
                                 Factor(Wrapping(right[k * b_step.row])));
  *target = static_cast<T>(sum);
}

/// Whether a library has queued product and bias as one kernel.
bool is_done_at_once(const Linear& of, Stream stream) {
  if (!multiply_with_bias || !is_floating(of.out.dtype) || of.out.count == 0 || of.a.count == 0)
    return false;
  const MatrixLayout target(of.out), left(of.a), right(of.b);
  if (!target.has_dense_rows() || !left.suits_blas() || !right.suits_blas()) return false;
  return multiply_with_bias(plan_gemm(of.out, of.a, of.b, false), of.bias.data, stream);
}

}  // namespace

template <>
void kernel(const Matmul& of, Stream stream) {
  const View& out = of.out;
  const View& a = of.a;
  const View& b = of.b;
  if (out.count == 0) return;
  if (a.count == 0) {  // of no products the sum is 0
    if (!of.accumulate) kernel(Fill{out, Scalar::of(std::int64_t{0})}, stream);
    return;
  }
  if (is_floating(out.dtype)) {
    const BlasMatrix left(a, stream), right(b, stream);
    return multiply(plan_gemm(out, left.view(), right.view(), of.accumulate), stream);
  }
  visit_dtype(out.dtype, [&]<class T>(Type<T>) {
    if constexpr (!functors::Integer<T> && !functors::ComplexNumber<T>) {
      __builtin_trap();
    } else {
      const MatrixLayout target(out), left(a), right(b);
      launch(multiply_plainly<T>, {divided_up(out.count, threads), stream}, out.as<T>(), a.as<T>(),
             b.as<T>(), MatrixStrides(target), MatrixStrides(left), MatrixStrides(right),
             target.rows, target.columns, left.columns, out.count, of.accumulate);
    }
  });
}

template <>
void kernel(const Linear& of, Stream stream) {
  if (is_done_at_once(of, stream)) return;
  Dims strides = Dims::filled(of.out.sizes.size(), 0);
  strides.back() = 1;
  kernel(Copy{of.out, make_view(of.bias.data, of.bias.dtype, of.out.sizes, strides)}, stream);
  kernel(Matmul{of.out, of.a, of.b, true}, stream);
}

}  // namespace garboard::kernels::cuda
