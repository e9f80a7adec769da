// Matrix products: our own where it is the fastest, OpenBLAS where it serves, plain loops for the
// rest. A transposed operand is passed on as such; only what BLAS cannot walk is copied.
#include "kernels/cpu/product/matmul.h"

#include "kernels/cpu/loop/copy_bytes.h"
#include "kernels/cpu/loop/loop.h"
#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/rows.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/product/amx_product.h"
#include "kernels/cpu/product/blas_product.h"
#include "kernels/cpu/product/matrix_parts.h"
#include "kernels/cpu/product/packed_product.h"
#include "kernels/cpu/product/pairs.h"
#include "kernels/cpu/product/thin_halves.h"
#include "kernels/cpu/product/tiny_product.h"
#include "kernels/cpu/wide/half_conversions.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// The last two dims of a view. A stride along a dim of size 1 means nothing: it gets the value
/// that suits a dense matrix.
Matrix matrix_of(const View& x) {
  const int d = x.sizes.size() - 2;
  Matrix m{x.as<char>(),        static_cast<int>(item_size(x.dtype)),
           x.sizes.data()[d],   x.sizes.data()[d + 1],
           x.strides.data()[d], x.strides.data()[d + 1]};
  if (m.columns == 1) m.column_stride = 1;
  if (m.rows == 1) m.row_stride = m.columns;
  return m;
}

Matrix moved(Matrix m, std::int64_t elements) {
  m.data += elements * m.item;
  return m;
}

std::int64_t batch_stride(const View& x) { return x.sizes.size() > 2 ? x.strides.data()[0] : 0; }

constexpr std::int64_t block_depth = tuning::plain_depth, block_columns = tuning::plain_columns;

/// out += a b, b's and out's rows being dense; integers wrap.
template <class T>
void multiply_plainly(const Matrix& out, const Matrix& a, const Matrix& b) {
  using Wrapping = typename Wrapped<T>::Stored;
  using Factor = typename Wrapped<T>::Factor;
  const auto* from_a = reinterpret_cast<const Wrapping*>(a.data);
  Pace pace;
  for (std::int64_t k0 = 0; k0 < a.columns; k0 += block_depth) {
    const std::int64_t k1 = smaller(a.columns, k0 + block_depth);
    for (std::int64_t j0 = 0; j0 < b.columns; j0 += block_columns) {
      const std::int64_t n = smaller(b.columns - j0, block_columns);
      for (std::int64_t i = 0; i < a.rows; ++i) {
        pace.advance((k1 - k0) * n / 4);
        auto* y = reinterpret_cast<Wrapping*>(out.data) + i * out.row_stride + j0;
        for (std::int64_t k = k0; k < k1; ++k) {
          const Factor factor = from_a[i * a.row_stride + k * a.column_stride];
          const auto* x = reinterpret_cast<const Wrapping*>(b.data) + k * b.row_stride + j0;
#pragma GCC ivdep
          for (std::int64_t j = 0; j < n; ++j) y[j] = static_cast<Wrapping>(y[j] + factor * x[j]);
        }
      }
    }
  }
}

template <class T>
void multiply_by_loops(const Matrix& out, const Matrix& a, const Matrix& b, bool accumulate) {
  if (!accumulate)
    for (std::int64_t i = 0; i < out.rows; ++i)
      for (std::int64_t j = 0; j < out.columns; ++j)
        reinterpret_cast<T*>(out.data)[i * out.row_stride + j] = T(0);
  if (b.column_stride == 1) return multiply_plainly<T>(out, a, b);
  const Scratch scratch(bytes_of(b));
  multiply_plainly<T>(out, a, packed(b, scratch.data()));
}

template <class T>
Factor<T> factor_of(const Matrix& m) {
  return {reinterpret_cast<const T*>(m.data), m.row_stride, m.column_stride};
}

template <class T>
MatrixProduct<T> product_of(const Matrix& out, const Matrix& a, const Matrix& b, bool accumulate,
                            const char* bias) {
  return {out.rows,        out.columns,
          a.columns,       factor_of<T>(a),
          factor_of<T>(b), reinterpret_cast<T*>(out.data),
          out.row_stride,  reinterpret_cast<const T*>(bias),
          accumulate};
}

/// Each row of out becomes the bias.
void spread_bias(const Matrix& out, const char* bias) {
  for (std::int64_t i = 0; i < out.rows; ++i)
    copy_bytes(out.data + i * out.row_stride * out.item, bias, out.columns * out.item);
}

template <class T>
void multiply_at_once(const Matrix& out, const Matrix& a, const Matrix& b, bool accumulate,
                      const char* bias) {
  if constexpr (functors::Real<T>) {
    const MatrixProduct<T> product = product_of<T>(out, a, b, accumulate, bias);
    if (out.column_stride == 1) {
      if (is_for_packed(product)) return multiply_packed(product);
      if constexpr (std::is_same_v<T, float>)
        if (is_for_small(product)) return multiply_small(product);
    }
  }
  if (bias) {
    spread_bias(out, bias);
    accumulate = true;
  }
  if constexpr (functors::Analytic<T>) {
    const Blas* library = a.columns > 0 && fits_blas(out, a) ? blas() : nullptr;
    if (library) return multiply_in_parts<T>(calls_of<T>(*library), out, a, b, accumulate);
  }
  multiply_by_loops<T>(out, a, b, accumulate);
}

/// `bias` has an element a column, or is null. A product of a depth that needs no memory, being
/// broadcast, is a sum of products that do.
template <class T>
void multiply_deep(const Matrix& out, const Matrix& a, const Matrix& b, bool accumulate,
                   const char* bias) {
  constexpr std::int64_t most_depth = 1 << 22, least_depth = 1024;
  if (a.columns <= least_depth) return multiply_at_once<T>(out, a, b, accumulate, bias);
  const bool may_be_packed = !layout_of(a).is_known || !layout_of(b).is_known;
  const std::int64_t most_elements = std::int64_t{1} << (may_be_packed ? 23 : 28);
  const std::int64_t depth =
      smaller(larger(most_elements / (out.rows + out.columns), least_depth), most_depth);
  for (std::int64_t k = 0;;) {
    const std::int64_t last = a.columns - k > depth ? k + depth : a.columns;
    multiply_at_once<T>(out, columns_of(a, k, last), rows_of(b, k, last), accumulate || k > 0,
                        k > 0 ? nullptr : bias);
    if (last == a.columns) return;
    k = last;
    interruption_point();
  }
}

/// True, with it done, where a few vectors of half types meet a matrix.
template <functors::Half T>
bool multiply_thin(const Matrix& out, const Matrix& a, const Matrix& b, bool accumulate,
                   const char* bias) {
  const ThinResult<T> result{out, accumulate, reinterpret_cast<const T*>(bias), 0, 1};
  const ThinResult<T> turned_result{turned(out), accumulate, result.bias, 1, 0};
  const bool b_is_half = b.item == sizeof(T), a_is_half = a.item == sizeof(T);
#ifdef __AVX512F__
  if (b_is_half && meets_lines(a, b)) return ThinLines<T>(a, b).run(result), true;
  if (a_is_half && meets_lines(turned(b), turned(a)))
    return ThinLines<T>(turned(b), turned(a)).run(turned_result), true;
#endif
  if (b_is_half && meets_rows(a, b)) return ThinRows<T>(a, b).run(result), true;
  if (a_is_half && meets_rows(turned(b), turned(a)))
    return ThinRows<T>(turned(b), turned(a)).run(turned_result), true;
  return false;
}

/// Of half types, of which out and a may be of floats: panels of a and b are brought to float, or
/// multiplied by pairs, and what they come to is rounded once, at the end of the whole depth.
template <functors::Half T>
void multiply_in_float(const Matrix& out, const Matrix& a, const Matrix& b, bool accumulate,
                       const char* bias) {
  constexpr int item = sizeof(float);
  const std::int64_t depth = a.columns;
  const bool are_bfloats = std::is_same_v<T, BFloat16> && a.item == sizeof(T);
  if (are_bfloats && is_for_amx(out.rows, out.columns, depth))
    return multiply_amx(out, a, b, accumulate, bias);
  if (multiply_thin<T>(out, a, b, accumulate, bias)) return;
  constexpr std::int64_t most_elements = 1 << 22, least_side = 64;
  // Of few rows each element of the other operand is read once, from a panel in the second cache.
  const bool is_thin = smaller(out.rows, out.columns) <= tuning::thin_side;
  const std::int64_t panel = divided_up(tuning::thin_panel, depth + 1) + 16;
  if (is_thin && larger(out.rows, out.columns) > panel) {
    const bool cuts_rows = out.rows > out.columns;
    for_each_part(larger(out.rows, out.columns), panel, cost_ns(out, a),
                  [&](std::int64_t first, std::int64_t last) {
                    for (std::int64_t i = first; i < last; i += panel) {
                      const std::int64_t end = smaller(i + panel, last);
                      if (cuts_rows)
                        multiply_in_float<T>(rows_of(out, i, end), rows_of(a, i, end), b,
                                             accumulate, bias);
                      else
                        multiply_in_float<T>(columns_of(out, i, end), a, columns_of(b, i, end),
                                             accumulate, bias ? bias + i * out.item : nullptr);
                    }
                  });
    return;
  }
  const auto side_of = [&](std::int64_t size) {
    return smaller(size, larger(most_elements / (depth + 1), least_side));
  };
  const std::int64_t rows = side_of(out.rows), columns = side_of(out.columns);
  const bool by_pairs = are_bfloats && !is_thin && is_for_pairs(out.rows, out.columns, depth);
  const std::int64_t wide_depth = by_pairs ? 0 : depth;
  const Scratch left(rows * wide_depth * item), right(wide_depth * columns * item);
  const bool rounds = out.item != item;
  const Scratch sums(rounds ? rows * columns * item : 0), wide_bias(bias ? columns * item : 0);
  const auto wide = [](const Scratch& memory, const Matrix& m) {
    return Matrix{memory.data(), item, m.rows, m.columns, m.columns, 1};
  };
  const auto read = [&](const Scratch& memory, const Matrix& m) {
    if (m.item == item) return m;
    // Along whichever dim is dense, and then seen as the matrix that it was.
    const bool is_turned = m.column_stride != 1 && m.row_stride == 1;
    const Matrix by_rows = is_turned ? turned(m) : m;
    Pace pace;
    const Scratch row(by_rows.column_stride == 1 ? 0 : by_rows.columns * by_rows.item);
    for (std::int64_t i = 0; i < by_rows.rows; ++i) {
      pace.advance(by_rows.columns);
      const char* from = by_rows.data + i * by_rows.row_stride * by_rows.item;
      if (by_rows.column_stride != 1) {
        gather_row(by_rows.item, row.data(), from, by_rows.columns, by_rows.column_stride);
        from = row.data();
      }
      widen(memory.as<float>() + i * by_rows.columns, reinterpret_cast<const T*>(from),
            by_rows.columns);
    }
    const Matrix dense = wide(memory, by_rows);
    return is_turned ? turned(dense) : dense;
  };
  for (std::int64_t c = 0; c < out.columns; c += columns) {
    const std::int64_t last_column = smaller(out.columns, c + columns);
    const Matrix b_part = columns_of(b, c, last_column);
    const Matrix b_panel = by_pairs ? Matrix{} : read(right, b_part);
    if (bias) widen(wide_bias.as<float>(), reinterpret_cast<const T*>(bias) + c, last_column - c);
    for (std::int64_t r = 0; r < out.rows; r += rows) {
      const std::int64_t last_row = smaller(out.rows, r + rows);
      const Matrix target = columns_of(rows_of(out, r, last_row), c, last_column);
      const Matrix a_part = rows_of(a, r, last_row);
      const Matrix total = accumulate || !rounds ? read(sums, target) : wide(sums, target);
      if (by_pairs)
        multiply_pairs(total, a_part, b_part, accumulate, bias ? wide_bias.as<float>() : nullptr);
      else
        multiply_deep<float>(total, read(left, a_part), b_panel, accumulate, wide_bias.data());
      for (std::int64_t i = 0; i < target.rows && rounds; ++i)
        narrow(reinterpret_cast<T*>(target.data) + i * target.row_stride,
               sums.as<float>() + i * target.columns, target.columns);
    }
  }
}

/// Of numbers of any dtype.
void multiply_one(DType dtype, const Matrix& out, const Matrix& a, const Matrix& b, bool accumulate,
                  const char* bias) {
  visit_dtype(dtype, [&]<class T>(Type<T>) {
    if constexpr (functors::Half<T>)
      multiply_in_float<T>(out, a, b, accumulate, bias);
    else if constexpr (functors::Arithmetic<T>)
      multiply_deep<T>(out, a, b, accumulate, bias);
    else
      __builtin_trap();
  });
}

/// The products of one op: matrices, and how far it is from those of one to those of the next.
struct Batch {
  std::int64_t count;
  Matrix out, a, b;
  std::int64_t out_stride, a_stride, b_stride;

  Batch(const View& out, const View& a, const View& b)
      : count(out.sizes.size() > 2 ? out.sizes.data()[0] : 1),
        out(matrix_of(out)),
        a(matrix_of(a)),
        b(matrix_of(b)),
        out_stride(batch_stride(out)),
        a_stride(batch_stride(a)),
        b_stride(batch_stride(b)) {}

  bool is_of_tiny() const {
    constexpr std::int64_t most = tuning::tiny_product;
    return a.columns <= tuning::tiny_depth && out.rows * out.columns <= most &&
           out.rows * out.columns * a.columns <= most;
  }
  /// One right side for all, and rows that go on from batch to batch.
  bool is_one_tall() const {
    return b_stride == 0 && a_stride == a.rows * a.row_stride &&
           out_stride == out.rows * out.row_stride;
  }
  void make_one_tall() {
    a.rows *= count;
    out.rows *= count;
    count = 1;
  }
  /// Calls `multiply(out, a, b)` for each product, `part` of them and more by one thread.
  template <class Multiply>
  void for_each(std::int64_t part, double cost_ns, Multiply&& multiply) const {
    for_each_part(count, part, static_cast<double>(count) * cost_ns,
                  [&](std::int64_t first, std::int64_t last) {
                    for (std::int64_t i = first; i < last; ++i)
                      multiply(moved(out, i * out_stride), moved(a, i * a_stride),
                               moved(b, i * b_stride));
                  });
  }
};

/// True, with it done, for numbers that are added up as they are.
bool multiply_all_tiny(DType dtype, const Batch& batch, bool accumulate, const char* bias) {
  return visit_dtype(dtype, [&]<class T>(Type<T>) {
    if constexpr (functors::Half<T> || !functors::Arithmetic<T>) {
      return false;
    } else {
      if (batch.count == 1)
        multiply_tiny<T>(batch.out, batch.a, batch.b, accumulate, bias);
      else
        batch.for_each(tuning::nn_part / tuning::tiny_product, tuning::tiny_product_ns,
                       [&](const Matrix& out, const Matrix& a, const Matrix& b) {
                         multiply_tiny<T>(out, a, b, accumulate, bias);
                       });
      return true;
    }
  });
}

void multiply_all(const View& out, const View& a, const View& b, bool accumulate,
                  const char* bias) {
  if (out.count == 0) return;
  const DType dtype = out.dtype;
  Batch batch(out, a, b);
  if (batch.is_of_tiny() && multiply_all_tiny(out.dtype, batch, accumulate, bias)) return;
  if (batch.count > 1 && batch.is_one_tall()) batch.make_one_tall();
  if (batch.count > 1 && dtype == DType::float32 && batch.out.column_stride == 1 &&
      is_for_small(product_of<float>(batch.out, batch.a, batch.b, accumulate, bias)))
    return batch.for_each(tuning::nn_part / (batch.out.rows * batch.out.columns) + 1,
                          cost_ns(batch.out, batch.a),
                          [&](const Matrix& out, const Matrix& a, const Matrix& b) {
                            multiply_small(product_of<float>(out, a, b, accumulate, bias));
                          });
  batch.for_each(1, cost_ns(batch.out, batch.a),
                 [&](const Matrix& out, const Matrix& a, const Matrix& b) {
                   multiply_one(dtype, out, a, b, accumulate, bias);
                 });
}

}  // namespace

void multiply(DType dtype, const Matrix& out, const Matrix& a, const Matrix& b, bool accumulate) {
  if (out.rows == 0 || out.columns == 0) return;
  multiply_one(dtype, out, a, b, accumulate, nullptr);
}

template <>
void kernel(const Matmul& of, Stream) {
  multiply_all(of.out, of.a, of.b, of.accumulate, nullptr);
}
template <>
void kernel(const Linear& of, Stream) {
  multiply_all(of.out, of.a, of.b, false, of.bias.as<char>());
}

}  // namespace garboard::kernels::GARBOARD_ISA
