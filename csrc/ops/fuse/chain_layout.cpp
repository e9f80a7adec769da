#include "csrc/ops/fuse/chain_layout.h"

#include <algorithm>

#include "csrc/ops/create/result_layout.h"
#include "csrc/ops/op/promotion.h"

namespace garboard {
namespace {

Dims in_order(const Dims& order, const Dims& of_dims) {
  Dims result;
  for (const std::int64_t dim : order) result.push_back(of_dims[static_cast<int>(dim)]);
  return result;
}

View with_dims_in(const Dims& order, const View& view) {
  return make_view(view.data, view.dtype, in_order(order, view.sizes),
                   in_order(order, view.strides));
}

bool is_in_rows(const ChainProgram::Op& op) {
  if (op.op->unary) return op.op->unary->is_in_rows;
  return op.op->binary && op.op->binary->is_number_in_rows &&
         op.sources[0].kind == ChainSource::Kind::number;
}

/// As the last op's result lies, were each a tensor: what is fused lies as what is not.
Dims strides_of(const ChainProgram& program, const std::vector<View>& inputs) {
  if (std::ranges::all_of(inputs, [](const View& it) { return it.contiguous || goes_by_rows(it); }))
    return contiguous_strides(program.sizes);
  std::vector<View> made;
  made.reserve(program.ops.size());
  for (const ChainProgram::Op& op : program.ops) {
    std::vector<const View*> operands;
    for (int k = 0; k < op.op->operand_count(); ++k) {
      const auto at = static_cast<std::size_t>(op.sources[k].index);
      if (op.sources[k].kind == ChainSource::Kind::input) operands.push_back(&inputs[at]);
      if (op.sources[k].kind == ChainSource::Kind::op) operands.push_back(&made[at]);
    }
    made.push_back(make_view(nullptr, op.result, program.sizes,
                             is_in_rows(op) ? contiguous_strides(program.sizes)
                                            : result_strides(program.sizes, operands)));
  }
  return made.back().strides;
}

}  // namespace

ChainLayout::ChainLayout(const ChainProgram& program) : sizes(program.sizes) {
  views.reserve(program.inputs.size());
  for (const Tensor& input : program.inputs) {
    const View view = input.view();
    const bool fits = view.count == 1 || view.sizes == sizes;
    views.push_back(fits ? view : broadcast_view(view, sizes));
  }
  strides = strides_of(program, views);
  const Dims order = outside_in(strides);
  is_flat = true;
  for (View& view : views) {
    if (view.count == 1) continue;
    if (lies_across(view, strides)) {
      const auto at = static_cast<std::size_t>(&view - views.data());
      copies_.push_back(laid_along(program.inputs[at], strides));
      const View along = copies_.back().view();
      view = along.sizes == sizes ? along : broadcast_view(along, sizes);
    }
    view = with_dims_in(order, view);
    is_flat = is_flat && view.contiguous;
  }
  sizes = in_order(order, sizes);
  if (!is_flat) return;
  const std::int64_t count = sizes.product();
  for (View& view : views)
    if (view.count != 1) view = make_view(view.data, view.dtype, Dims{count}, Dims{1});
  sizes = Dims{count};
}

}  // namespace garboard
