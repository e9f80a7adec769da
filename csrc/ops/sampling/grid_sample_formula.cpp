#include "csrc/ops/sampling/grid_sample_formula.h"

#include <vector>

#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/index/gather.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/reduce/reduce.h"
#include "csrc/ops/shape/join.h"
#include "csrc/ops/shape/views.h"

namespace garboard {
namespace {

/// One of the elements along a dim that are mixed at each place, [n, places]: its number, whether
/// it is inside, its factor, and how fast that changes with the coordinate, or nothing: not at all.
struct GridTap {
  Tensor at, is_inside, factor, slope;
};

/// A dim of the plane, as kernels/formulas/grid_dim.h has it for one coordinate.
class FormulaDim {
 public:
  FormulaDim(const GridOptions& options, std::int64_t size)
      : sampling_(options.sampling),
        beyond_(options.beyond),
        size_(static_cast<double>(size)),
        low_(options.aligns_corners ? 0 : -0.5),
        span_(options.aligns_corners ? size_ - 1 : size_),
        speed_(span_ / 2) {}

  std::vector<GridTap> read(const Tensor& given) const {
    const Tensor raw = (given + 1.0) * speed_ + low_;
    if (sampling_ == kernels::Sampling::cubic) return read_cubic(raw);
    Tensor from = detach(raw), speed = zeros(raw.sizes(), raw.dtype(), raw.device()) + speed_;
    move_inside(from, speed);
    if (sampling_ == kernels::Sampling::nearest)
      return {mixed(garboard::round(from), from * 0.0 + 1.0, {})};
    const Tensor first = garboard::floor(from);
    // As far as the coordinate moves with what was given.
    const Tensor rest = from - first + speed * (given - detach(given));
    return {mixed(first, -rest + 1.0, -speed), mixed(first + 1.0, rest, speed)};
  }

 private:
  GridTap mixed(const Tensor& at, const Tensor& factor, const Tensor& slope) const {
    const Tensor is_inside = logical_and(ge(at, 0.0), lt(at, size_));
    return {to(where(is_inside, at, 0.0), DType::int64), is_inside, factor, slope};
  }

  void move_inside(Tensor& from, Tensor& speed) const {
    if (beyond_ == kernels::Beyond::zeros) return;
    if (beyond_ == kernels::Beyond::reflection) reflect(from, speed);
    const double top = size_ - 1;
    const Tensor is_above = gt(from, 0.0), is_below = lt(from, top);
    speed = where(logical_and(is_above, is_below), speed, 0.0);
    from = where(is_above, where(is_below, from, top), 0.0);
  }
  /// To and fro between the two edges.
  void reflect(Tensor& from, Tensor& speed) const {
    if (!(span_ > 0)) {
      from = from * 0.0;
      return;
    }
    const Tensor away = garboard::abs(from - low_);
    const Tensor rest = away - garboard::floor(away / (2 * span_)) * (2 * span_);
    const Tensor is_coming = gt(rest, span_), is_before = lt(from, low_);
    speed = where(eq(is_coming, is_before), speed, -speed);
    from = where(is_coming, -rest + 2 * span_, rest) + low_;
  }

  static constexpr double a = -0.75;  // of cubic convolution, at distances up to 1 and up to 2
  static Tensor near(const Tensor& x) { return (x * (a + 2) - (a + 3)) * x * x + 1.0; }
  static Tensor far(const Tensor& x) { return ((x * a - 5 * a) * x + 8 * a) * x - 4 * a; }
  static Tensor near_slope(const Tensor& x) { return (x * (3 * (a + 2)) - 2 * (a + 3)) * x; }
  static Tensor far_slope(const Tensor& x) { return (x * (3 * a) - 10 * a) * x + 8 * a; }

  std::vector<GridTap> read_cubic(const Tensor& raw) const {
    const Tensor first = garboard::floor(detach(raw)), rest = raw - first;
    const Tensor before = rest + 1.0, behind = -rest + 1.0, last = -rest + 2.0;
    const Tensor factors[] = {far(before), near(rest), near(behind), far(last)};
    const Tensor slopes[] = {far_slope(before), near_slope(rest), -near_slope(behind),
                             -far_slope(last)};
    std::vector<GridTap> all;
    for (int k = 0; k < 4; ++k) {
      Tensor at = first + (k - 1.0), speed = at * 0.0;
      move_inside(at, speed);
      all.push_back(mixed(at, factors[k], slopes[k] * speed_));
    }
    return all;
  }

  kernels::Sampling sampling_;
  kernels::Beyond beyond_;
  double size_, low_, span_, speed_;
};

}  // namespace

Grads GridSampleFormula::run(bool of_input, bool of_grid) const {
  const int dims = sizes.size() - 2;
  const std::int64_t samples = sizes[0], channels = sizes[1];
  std::int64_t places = 1, elements = 1;
  for (int d = 0; d < dims; ++d) {
    places *= grid.size(1 + d);
    elements *= sizes[2 + d];
  }
  const Tensor flat = reshape(grid, {samples, places, dims});
  std::vector<std::vector<GridTap>> along;  // the last dim of the plane comes first in the grid
  for (int d = 0; d < dims; ++d)
    along.push_back(FormulaDim(options, sizes[2 + d]).read(select(flat, 2, dims - 1 - d)));
  const Tensor came = reshape(grad, {samples, channels, places});
  Tensor x, d_x;
  if (of_grid) x = reshape(input, {samples, channels, elements});
  if (of_input) d_x = zeros({samples, channels, elements}, grad.dtype(), grad.device());
  std::vector<Tensor> d_flat(static_cast<std::size_t>(dims));
  const std::size_t each = along[0].size();
  std::size_t combinations = 1;
  for (int d = 0; d < dims; ++d) combinations *= each;
  for (std::size_t k = 0; k < combinations; ++k) {
    const auto of = [&](int d) -> const GridTap& {
      std::size_t rest = k;
      for (int e = 0; e < d; ++e) rest /= each;
      return along[static_cast<std::size_t>(d)][rest % each];
    };
    Tensor at = of(0).at, is_inside = of(0).is_inside;
    for (int d = 1; d < dims; ++d) {
      at = at * Scalar::of(sizes[2 + d]) + of(d).at;
      is_inside = logical_and(is_inside, of(d).is_inside);
    }
    const auto factors_but = [&](int left_out) {  // and whether the element is there
      Tensor product = to(is_inside, grad.dtype());
      for (int d = 0; d < dims; ++d)
        if (d != left_out) product = product * of(d).factor;
      return product;
    };
    const Tensor everywhere = expand(unsqueeze(at, 1), {samples, channels, places});
    if (of_input)
      d_x = scatter_reduce(d_x, 2, everywhere, came * unsqueeze(factors_but(-1), 1),
                           ScatterReduction::sum);
    if (!of_grid) continue;
    const Tensor met = sum(came * gather(x, 2, everywhere), {Dims{1}, false});
    for (int d = 0; d < dims; ++d) {
      if (!of(d).slope) continue;
      const Tensor part = met * factors_but(d) * of(d).slope;
      Tensor& all = d_flat[static_cast<std::size_t>(dims - 1 - d)];
      all = all ? all + part : part;
    }
  }
  Grads grads;
  if (of_input) grads[0] = reshape(d_x, sizes);
  if (of_grid) {
    for (Tensor& part : d_flat)
      if (!part) part = zeros({samples, places}, grad.dtype(), grad.device());
    grads[1] = reshape(stack(d_flat, 2), grid.sizes());
  }
  return grads;
}

}  // namespace garboard
