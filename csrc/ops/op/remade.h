// Results that a rule makes anew rather than keeps: where an op is cheap beside one that reads its
// result, and keeps what it made it from anyway, the other one keeps the way there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "csrc/ops/op/op.h"
#include "csrc/tensor/grad_node.h"

namespace garboard {

/// Makes a result from tensors that are as they were. It has the bits that it had.
class Remade : public PackedTensor {
 public:
  /// Raises VersionError where one of them was written since.
  Tensor unpack() final;
  std::span<SavedTensor> kept() noexcept override { return from_; }

 protected:
  /// `op` made it.
  explicit Remade(const char* op) noexcept : op_(op) {}
  /// Remembers one, or none; false where it cannot be watched for writes.
  bool remember(const SavedTensor* kept);
  /// In the order of `remember`; empty where there was none.
  const Tensor& made_from(std::size_t i) const { return from_[i].tensor; }
  /// Called without recording. Nobody else has what it returns.
  virtual Tensor make() const = 0;

 private:
  const char* op_;
  std::vector<SavedTensor> from_;
};

/// Of an op that keeps its input.
Counted<PackedTensor> remade_from_input(const Unary& op, GradNode& node);
/// Of an op that keeps both inputs, which two that ask for gradients make it.
Counted<PackedTensor> remade_from_inputs(const Binary& op, GradNode& node);
/// Of an op whose input is itself made anew, and for which `reads_as_made` was true.
Counted<PackedTensor> remade_after_input(const Unary& op, GradNode& node);
/// Whether `input` of `node` can be made anew, and is as it was made but for `writes` of this op's.
bool reads_as_made(GradNode& node, const Tensor& input, std::uint32_t writes);

/// Whether the way to `output` is worth keeping: a smaller one stays in the caches, and nobody
/// misses its memory.
inline bool is_worth_remaking(const Tensor& output) noexcept {
  return output.nbytes() >= std::int64_t{1} << 18;
}
/// Lets others keep the way to `output`, which is, and whose op is `node`.
void offer_remake(GradNode& node, const Tensor& output, Remake remake);

/// Lets the op that has just made `result` keep a way to its input `i`, where there is one, instead
/// of the input, if it multiplies each element of that so often that making it anew costs little.
void keep_way_to(const Tensor& input, int i, const Tensor& result, std::int64_t products_each);

}  // namespace garboard
