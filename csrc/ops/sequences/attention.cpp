#include "csrc/ops/sequences/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/nn/softmax.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/products/matmul.h"
#include "csrc/ops/random/random.h"
#include "csrc/ops/reduce/reduce.h"
#include "csrc/ops/shape/views.h"
#include "kernels/run.h"

namespace garboard {
namespace {

constexpr const char* attention_op = "scaled_dot_product_attention";
constexpr double negative_infinity = -std::numeric_limits<double>::infinity();

[[noreturn]] void refuse(const Tensor& q, const Tensor& k, const Tensor& v, const char* needed) {
  throw ShapeError(text(attention_op, ": query ", q.sizes(), ", key ", k.sizes(), ", value ",
                        v.sizes(), "; ", needed));
}

void check_tensors(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask) {
  if (!is_floating(q.dtype()))
    throw DTypeError(text(attention_op, ": query of dtype ", name_of(q.dtype()),
                          "; a floating dtype is needed"));
  for (const Tensor* tensor : {&k, &v}) {
    if (tensor->dtype() != q.dtype())
      throw DTypeError(text(attention_op, ": query of dtype ", name_of(q.dtype()), ", ",
                            tensor == &k ? "key" : "value", " of ", name_of(tensor->dtype()),
                            "; they must be equal, convert with to()"));
    if (tensor->device() != q.device())
      throw DeviceError(text(attention_op, ": query on ", q.device(), ", ",
                             tensor == &k ? "key" : "value", " on ", tensor->device(),
                             "; they must be on one device, use to()"));
  }
  if (std::min({q.ndim(), k.ndim(), v.ndim()}) < 2)
    refuse(q, k, v, "[..., length, depth] is needed of each");
  const auto last = [](const Tensor& tensor, int i) { return tensor.size(tensor.ndim() - i); };
  if (last(q, 1) != last(k, 1)) refuse(q, k, v, "query and key must be of one depth");
  if (last(k, 2) != last(v, 2)) refuse(q, k, v, "key and value must be of one length");
  if (!mask) return;
  if (mask.dtype() != DType::boolean && mask.dtype() != q.dtype())
    throw DTypeError(text(attention_op, ": attn_mask of dtype ", name_of(mask.dtype()),
                          ", query of ", name_of(q.dtype()), "; bool or the query's is needed"));
  if (mask.device() != q.device())
    throw DeviceError(text(attention_op, ": attn_mask on ", mask.device(), ", query on ",
                           q.device(), "; they must be on one device, use to()"));
}

/// Sizes before the last two, broadcast against each other.
Dims broadcast(const Dims& a, const Dims& b, const Tensor& q, const Tensor& k, const Tensor& v) {
  const Dims &longer = a.size() >= b.size() ? a : b, &shorter = a.size() >= b.size() ? b : a;
  Dims sizes = longer;
  for (int i = 1; i <= shorter.size(); ++i) {
    const std::int64_t one = longer[longer.size() - i], other = shorter[shorter.size() - i];
    if (one != other && one != 1 && other != 1)
      refuse(q, k, v, "the sizes before the last two must be equal or 1");
    sizes[sizes.size() - i] = one == 1 ? other : one;
  }
  return sizes;
}

Dims sizes_before(const Tensor& tensor, int last) {
  Dims sizes;
  for (int d = 0; d < tensor.ndim() - last; ++d) sizes.push_back(tensor.size(d));
  return sizes;
}

/// What kernel and rules work on: four dims, [batch, heads, length, ...].
struct AttentionForm {
  Dims batch;  // all dims before the heads
  std::int64_t heads, shared_heads;

  Tensor in_four(const Tensor& tensor, std::int64_t of_heads) const {
    Dims sizes = batch;
    sizes.push_back(of_heads);
    for (int i = 2; i > 0; --i) sizes.push_back(tensor.size(tensor.ndim() - i));
    const Tensor wide = tensor.sizes() == sizes ? tensor : expand(tensor, sizes);
    if (sizes.size() == 4) return wide;
    return reshape(wide, {batch.product(), of_heads, sizes[sizes.size() - 2], sizes.back()});
  }
};

AttentionForm form_of(const Tensor& q, const Tensor& k, const Tensor& v, bool shares_heads) {
  if (!shares_heads) {
    Dims sizes = broadcast(sizes_before(q, 2), sizes_before(k, 2), q, k, v);
    sizes = broadcast(sizes, sizes_before(v, 2), q, k, v);
    const std::int64_t heads = sizes.empty() ? 1 : sizes.back();
    if (!sizes.empty()) sizes.erase(sizes.size() - 1);
    return {sizes, heads, heads};
  }
  if (std::min({q.ndim(), k.ndim(), v.ndim()}) < 3)
    refuse(q, k, v, "[..., heads, length, depth] is needed where heads are shared");
  const std::int64_t heads = q.size(q.ndim() - 3), shared = k.size(k.ndim() - 3);
  if (v.size(v.ndim() - 3) != shared || shared == 0 || heads % shared != 0)
    refuse(q, k, v, "the heads of key and value must divide those of the query");
  Dims sizes = broadcast(sizes_before(q, 3), sizes_before(k, 3), q, k, v);
  sizes = broadcast(sizes, sizes_before(v, 3), q, k, v);
  return {sizes, heads, shared};
}

/// Each head of a tensor of three dims or more as often after the other as makes `heads`.
Tensor spread_over(const Tensor& tensor, std::int64_t heads) {
  const int at = tensor.ndim() - 2;
  const std::int64_t own = tensor.size(at - 1);
  if (own == heads || own == 0 || heads % own != 0) return tensor;
  const Tensor apart = unsqueeze(tensor, at);
  Dims sizes = apart.sizes();
  sizes[at] = heads / own;
  const Tensor spread = expand(apart, sizes);
  sizes.erase(at);
  sizes[at - 1] = heads;
  return reshape(spread, sizes);
}

/// Whether all heads of a position lie side by side, as where a projection was cut into heads.
bool lies_by_positions(const Tensor& tensor) {
  if (tensor.ndim() != 4 || tensor.size(1) < 2 || tensor.size(2) < 2) return false;
  return tensor.strides()[1] < tensor.strides()[2];
}

/// What `convert` gives, lying as `tensor` does.
template <class Convert>
Tensor as_it_lies(const Tensor& tensor, Convert&& convert) {
  if (!lies_by_positions(tensor)) return convert(tensor);
  return transpose(convert(transpose(tensor, 1, 2)), 1, 2);
}

/// Lies as `q` does, so that heads are joined again without a copy.
Tensor result_for(const Tensor& q, std::int64_t values) {
  const std::int64_t batch = q.size(0), heads = q.size(1), rows = q.size(2);
  const Dims sizes{batch, heads, rows, values};
  if (!lies_by_positions(q)) return empty_of(attention_op, sizes, q.dtype(), q.device());
  return empty_of(attention_op, {batch, rows, heads, values}, q.dtype(), q.device())
      .alias_of_storage(sizes, {rows * heads * values, values, heads * values, 1}, 0);
}

Tensor dense_rows(const Tensor& tensor) {
  const bool is_dense = tensor.last_size() == 1 || tensor.strides().back() == 1;
  return is_dense ? tensor : contiguous(tensor);
}

/// What a kernel is given of a tensor of four dims: a stride of a dim of size 1 may be any.
View four(const Tensor& tensor) { return tensor ? tensor.view() : View(); }

struct AttentionRule {
  double scale;
  bool is_causal;
  double keep;
  kernels::RandomStream numbers;

  kernels::Attention of(const Tensor& out, const Tensor& log_sums, const Tensor& q, const Tensor& k,
                        const Tensor& v, const Tensor& mask) const {
    return {four(out),  four(log_sums), four(q),   four(k), four(v),
            four(mask), scale,          is_causal, keep,    numbers};
  }
};

/// [rows, columns], true where a row sees.
Tensor seen(std::int64_t rows, std::int64_t columns, const Tensor& like) {
  const Tensor row = arange(Scalar::of(std::int64_t{0}), Scalar::of(rows),
                            Scalar::of(std::int64_t{1}), DType::int64, like.device());
  const Tensor column = arange(Scalar::of(std::int64_t{0}), Scalar::of(columns),
                               Scalar::of(std::int64_t{1}), DType::int64, like.device());
  return ge(unsqueeze(row, 1), column);
}

/// Softmax of the scores, by ops that can be differentiated again; heads in dims 1 and 2.
Tensor shares_of(const Tensor& q, const Tensor& k, const Tensor& mask, double scale,
                 bool is_causal) {
  Tensor scores = matmul(q * scale, transpose(k, -2, -1));
  if (mask && mask.dtype() == DType::boolean)
    scores = where(mask, scores, negative_infinity);
  else if (mask)
    scores = scores + mask;
  if (is_causal)
    scores = where(seen(q.size(q.ndim() - 2), k.size(k.ndim() - 2), q), scores, negative_infinity);
  return softmax(scores, -1, std::nullopt);
}

/// [batch, heads, ...] as [batch, shared heads, heads of each, ...].
Tensor in_groups(const Tensor& tensor, std::int64_t shared) {
  if (!tensor) return tensor;
  const Dims sizes = tensor.sizes();
  return reshape(tensor, {sizes[0], shared, sizes[1] / shared, sizes[2], sizes[3]});
}

Tensor wide(const Tensor& tensor) {
  if (!tensor || !is_half(tensor.dtype())) return tensor;
  return as_it_lies(tensor, [](const Tensor& it) { return to(it, DType::float32); });
}

/// The gradients by ops; those of halves are computed in float32.
Grads formula(const Backward& at, const AttentionRule& rule) {
  if (rule.keep < 1)
    throw GradientError(text(attention_op,
                             ": its gradient with dropout cannot be differentiated again; ",
                             "leave dropout out, or create_graph"));
  const std::int64_t shared = at.input(1).size(1);
  const Tensor q = in_groups(wide(at.input(0)), shared), grad = in_groups(wide(at.grad), shared);
  const Tensor k = unsqueeze(wide(at.input(1)), 2), v = unsqueeze(wide(at.input(2)), 2);
  const Tensor mask = in_groups(wide(at.other(1)), shared);
  const Tensor shares = shares_of(q, k, mask, rule.scale, rule.is_causal);
  const Tensor d_shares = matmul(grad, transpose(v, -2, -1));
  const Tensor mean = sum(d_shares * shares, {Dims{-1}, true});
  const Tensor slopes = shares * (d_shares - mean) * rule.scale;
  Grads grads;
  const auto in_sizes_of = [&](const Tensor& tensor, int i) {
    const Tensor sums = sum_to(tensor, i == 0 ? tensor.sizes() : unsqueeze(at.input(i), 2).sizes());
    return to(reshape(sums, at.input(i).sizes()), at.input(i).dtype());
  };
  if (at.needs(0)) grads[0] = in_sizes_of(matmul(slopes, k), 0);
  if (at.needs(1)) grads[1] = in_sizes_of(matmul(transpose(slopes, -2, -1), q), 1);
  if (at.needs(2)) grads[2] = in_sizes_of(matmul(transpose(shares, -2, -1), grad), 2);
  return grads;
}

Grads attention_gradients(const Backward& at, const AttentionRule& rule) {
  if (is_grad_enabled()) return formula(at, rule);
  const Tensor q = at.input(0), k = at.input(1), v = at.input(2);
  const Tensor grad = dense_rows(at.grad);
  Grads grads;
  const Tensor inputs[] = {q, k, v};
  for (int i = 0; i < 3; ++i)
    grads[i] = empty_of(attention_op, inputs[i].sizes(), q.dtype(), q.device());
  const kernels::Attention forward = rule.of(at.output(), at.other(0), q, k, v, at.other(1));
  kernels::run(kernels::AttentionGradient{four(grads[0]), four(grads[1]), four(grads[2]),
                                          four(grad), forward},
               q.device());
  return grads;
}

/// Of four dims each.
Tensor attend(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask,
              AttentionRule rule) {
  const std::int64_t batch = q.size(0), heads = q.size(1), rows = q.size(2);
  const Tensor out = result_for(q, v.size(3));
  const DType of_sums = is_half(q.dtype()) ? DType::float32 : q.dtype();
  const Tensor log_sums = empty_of(attention_op, {batch, heads, rows}, of_sums, q.device());
  if (rule.keep < 1)
    rule.numbers = Generator::standard().numbers_for_rows(batch * heads * rows, (k.size(2) + 3) / 4,
                                                          q.device());
  if (log_sums.count() > 0) kernels::run(rule.of(out, log_sums, q, k, v, mask), q.device());
  record(attention_op, out, {q, k, v}, Keep::inputs | Keep::output,
         [rule](const Backward& at) { return attention_gradients(at, rule); },
         {{"the sums of its rows", log_sums}, {"attn_mask", mask}});
  return out;
}

/// Where the mask asks for a gradient, which is as large as the scores.
Tensor attend_by_ops(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask,
                     const AttentionRule& rule, double rate) {
  const std::int64_t shared = k.size(1);
  const Tensor of_q = in_groups(q, shared);
  Tensor shares =
      shares_of(of_q, unsqueeze(k, 2), in_groups(mask, shared), rule.scale, rule.is_causal);
  if (rate > 0) shares = dropout(shares, rate);
  return reshape(matmul(shares, unsqueeze(v, 2)), {q.size(0), q.size(1), q.size(2), v.size(3)});
}

/// Whether the device takes halves as they are; else they are converted.
bool takes_halves(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask) {
  if (std::min({q.ndim(), k.ndim(), v.ndim()}) < 2) return true;  // whatever it is, it is refused
  if (mask && ((mask.requires_grad() && is_grad_enabled()) ||
               (mask.dtype() != DType::boolean && mask.dtype() != q.dtype())))
    return false;
  const std::int64_t widest = std::max(q.last_size(), v.last_size());
  return kernels::run(kernels::AttentionOfHalves{q.dtype(), widest}, q.device());
}

}  // namespace

Tensor attention(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask,
                 const AttentionOptions& options) {
  const DType dtype = query.dtype();
  if (is_half(dtype) && key.dtype() == dtype && value.dtype() == dtype &&
      !takes_halves(query, key, value, mask)) {
    const Tensor out = attention(wide(query), wide(key), wide(value), wide(mask), options);
    return as_it_lies(out, [&](const Tensor& it) { return to(it, dtype); });
  }
  check_tensors(query, key, value, mask);
  if (options.shares_heads && std::min({query.ndim(), key.ndim(), value.ndim()}) > 2 &&
      key.size(key.ndim() - 3) != value.size(value.ndim() - 3)) {
    const std::int64_t heads = query.size(query.ndim() - 3);
    const Tensor keys = spread_over(key, heads), values = spread_over(value, heads);
    if (keys.size(keys.ndim() - 3) == values.size(values.ndim() - 3))
      return attention(query, keys, values, mask, options);
  }
  if (mask && options.is_causal)
    throw ShapeError(text(attention_op, ": attn_mask and is_causal; one of the two is needed"));
  if (!(options.dropout >= 0 && options.dropout <= 1))
    throw ShapeError(
        text(attention_op, ": dropout_p ", options.dropout, "; it must lie in [0, 1]"));
  const AttentionForm form = form_of(query, key, value, options.shares_heads);
  const Tensor q = dense_rows(form.in_four(query, form.heads));
  const Tensor k = dense_rows(form.in_four(key, form.shared_heads));
  const Tensor v = dense_rows(form.in_four(value, form.shared_heads));
  Tensor seen_by;
  if (mask) {
    Dims sizes = form.batch;
    for (const std::int64_t size : {form.heads, q.size(2), k.size(2)}) sizes.push_back(size);
    seen_by = mask;
    if (mask.ndim() < sizes.size() || mask.sizes() != sizes) seen_by = expand(mask, sizes);
    if (sizes.size() != 4)
      seen_by = reshape(seen_by, {form.batch.product(), form.heads, q.size(2), k.size(2)});
  }
  const double depth = static_cast<double>(q.size(3));
  const bool drops_all = options.dropout == 1;
  const AttentionRule rule{options.scale.value_or(1 / std::sqrt(std::max(depth, 1.0))),
                           options.is_causal,
                           drops_all ? 1 : 1 - options.dropout,
                           {}};
  const bool is_mask_learned = mask && mask.requires_grad() && is_grad_enabled();
  Tensor out = is_mask_learned ? attend_by_ops(q, k, v, seen_by, rule, 1 - rule.keep)
                               : attend(q, k, v, seen_by, rule);
  if (drops_all) out = out * 0.0;
  Dims sizes = form.batch;
  if (std::max({query.ndim(), key.ndim(), value.ndim()}) > 2) sizes.push_back(form.heads);
  sizes.push_back(q.size(2));
  sizes.push_back(v.size(3));
  return sizes.size() == 4 ? out : reshape(out, sizes);
}

}  // namespace garboard
