#include "csrc/ops/op/remade.h"

#include <utility>

#include "csrc/core/error.h"
#include "csrc/core/text.h"

namespace garboard {
namespace {

// By so many products an element takes a few times as long as making it anew.
constexpr std::int64_t least_products = 96;

/// Of an op on so many inputs, which are all kept.
template <class Op, int count>
class RemadeFromInputs final : public Remade {
 public:
  static Counted<PackedTensor> of(const Op& op, const GradNode& node) {
    Counted<RemadeFromInputs> way(new RemadeFromInputs(op));
    for (int i = 0; i < count; ++i) {
      const SavedTensor* const input = node.kept_input(i);
      if (!input || !way->remember(input)) return {};
    }
    return Counted<PackedTensor>(way.get());
  }

 private:
  explicit RemadeFromInputs(const Op& op) noexcept : Remade(op.name), op_(op) {}
  Tensor make() const override {
    if constexpr (count == 1)
      return op_(made_from(0));
    else
      return op_(made_from(0), made_from(1));
  }

  const Op& op_;
};

class RemadeAfterInput final : public Remade {
 public:
  RemadeAfterInput(const Unary& op, Counted<PackedTensor> input) noexcept
      : Remade(op.name), op_(op), input_(std::move(input)) {}
  std::span<SavedTensor> kept() noexcept override { return input_->kept(); }

 private:
  Tensor make() const override {
    const Tensor input = input_->unpack();
    op_.apply_in_place(input);
    return input;
  }

  const Unary& op_;
  const Counted<PackedTensor> input_;
};

/// Whether `output` is what the op `node` offers a way to: not written since but for `writes`, nor
/// in the hands of those whose writes nobody counts.
bool is_as_made(const GradNode* node, const Tensor& output, std::uint32_t writes = 0) {
  if (!node || !node->seldom() || !node->seldom()->remake) return false;
  const Storage& storage = *output.storage();
  return &storage == node->seldom()->remade_storage &&
         storage.writes() == node->seldom()->remade_writes + writes && !storage.was_exported();
}

}  // namespace

bool Remade::remember(const SavedTensor* kept) {
  if (!kept || !kept->tensor) {
    from_.emplace_back();
    return true;
  }
  const Tensor& tensor = kept->tensor;
  const Storage& storage = *tensor.storage();
  if (tensor.body()->is_unwatched || storage.is_foreign || storage.was_exported()) return false;
  // Without its history, which leads to the node that holds this.
  from_.push_back(
      {tensor.alias_of_storage(tensor.sizes(), tensor.strides(), tensor.offset()), kept->version});
  return true;
}

Tensor Remade::unpack() {
  for (const SavedTensor& from : from_) {
    if (!from.tensor) continue;
    if (version_of(from.tensor) != from.version)
      throw VersionError(text(op_, ": what its result is made from again, of sizes ",
                              from.tensor.sizes(), ", was written in place; write into a clone(), ",
                              "or call backward() before"));
    from.tensor.storage()->meet_current_stream();
  }
  const GradModeGuard no_grad(false);
  return make();
}

Counted<PackedTensor> remade_from_input(const Unary& op, GradNode& node) {
  return RemadeFromInputs<Unary, 1>::of(op, node);
}

Counted<PackedTensor> remade_from_inputs(const Binary& op, GradNode& node) {
  return RemadeFromInputs<Binary, 2>::of(op, node);
}

Counted<PackedTensor> remade_after_input(const Unary& op, GradNode& node) {
  if (node.is_released) return {};  // and its edges gone
  GradNode& before = *node.edges()[0].node;
  Counted<PackedTensor> input = before.seldom()->remake(before);
  if (!input) return {};
  return Counted<PackedTensor>(new RemadeAfterInput(op, std::move(input)));
}

bool reads_as_made(GradNode& node, const Tensor& input, std::uint32_t writes) {
  return is_as_made(node.edges()[0].node.get(), input, writes);
}

void offer_remake(GradNode& node, const Tensor& output, Remake remake) {
  GradNode::Seldom& seldom = node.make_seldom();
  seldom.remake = remake;
  seldom.remade_storage = output.storage().get();
  seldom.remade_writes = output.storage()->writes();
}

void keep_way_to(const Tensor& input, int i, const Tensor& result, std::int64_t products_each) {
  GradNode* const reader = result.body()->grad_node.get();
  GradNode* const maker = input.body()->grad_node.get();
  if (!reader || !reader->kept_input(i) || products_each < least_products) return;
  if (!is_as_made(maker, input)) return;
  if (Counted<PackedTensor> way = maker->seldom()->remake(*maker))
    reader->keep_way_to_input(i, std::move(way));
}

}  // namespace garboard
