// Products, softmax, losses, norms and dropout.
#include "csrc/core/error.h"
#include "csrc/ops/loss.h"
#include "csrc/ops/matmul.h"
#include "csrc/ops/normalization.h"
#include "csrc/ops/random.h"
#include "csrc/ops/softmax.h"
#include "python/bindings/docs/product.h"
#include "python/bindings/methods.h"

namespace garboard::python {

template <>
struct Choices<Reduction> {
  static constexpr std::string_view annotation = "Reduction";
  static constexpr std::array<std::pair<const char*, Reduction>, 3> names{
      {{"mean", Reduction::mean}, {"sum", Reduction::sum}, {"none", Reduction::none}}};
};

namespace {

constexpr const char* scaled = "input: Tensor, dim: int, *, dtype: DType | None = None";

constexpr std::array table{
    bind("mm", "input: Tensor, mat2: Tensor", docs::mm, fn<mm>),
    bind("bmm", "input: Tensor, mat2: Tensor", docs::bmm, fn<bmm>),
    bind("matmul", "input: Tensor, other: Tensor", docs::matmul, fn<matmul>),
    bind("linear", "input: Tensor, weight: Tensor, bias: Tensor | None = None", docs::linear,
         fn<linear>, Place::functional),
    bind("softmax", scaled, docs::softmax, fn<softmax>),
    bind("log_softmax", scaled, docs::log_softmax, fn<log_softmax>),
    bind(
        "cross_entropy",
        "input: Tensor, target: Tensor, weight: Tensor | None = None, *, "
        "ignore_index: int = -100, reduction: Reduction = 'mean', label_smoothing: float = 0.0",
        docs::cross_entropy,
        [](const Tensor& input, const Tensor& target, const Tensor& weight,
           std::int64_t ignore_index, Reduction reduction, double label_smoothing) {
          return cross_entropy(input, target, {weight, ignore_index, reduction, label_smoothing});
        },
        Place::functional),
    bind("layer_norm",
         "input: Tensor, normalized_shape: int | Size, weight: Tensor | None = None, "
         "bias: Tensor | None = None, eps: float = 1e-05",
         docs::layer_norm, fn<layer_norm>, Place::functional),
    bind("mse_loss", "input: Tensor, target: Tensor, *, reduction: Reduction = 'mean'",
         docs::mse_loss, fn<mse_loss>, Place::functional),
    bind(
        "dropout", "input: Tensor, p: float = 0.5, training: bool = True", docs::dropout,
        [](const Tensor& input, double p, bool training) {
          return training ? dropout(input, p) : input;
        },
        Place::functional),
};

}  // namespace

void add_product_methods() { add_table<table>(); }

}  // namespace garboard::python
