// Products, softmax, losses and dropout.
#include <string_view>

#include "csrc/core/error.h"
#include "csrc/ops/loss.h"
#include "csrc/ops/matmul.h"
#include "csrc/ops/normalization.h"
#include "csrc/ops/random.h"
#include "csrc/ops/softmax.h"
#include "python/bindings/docs/product.h"
#include "python/bindings/methods.h"
#include "python/bindings/unicode.h"

namespace garboard::python {
namespace {

using Product = Tensor (*)(const Tensor&, const Tensor&);
template <Product op>
PyObject* call_product(const Arguments& given) {
  return wrap(op(given.tensor(0), given.tensor(1)));
}

Reduction reduction_of(const Arguments& given, int i) {
  PyObject* const name = given.object(i);
  if (!name) return Reduction::mean;
  const std::string text = PyUnicode_Check(name) ? text_or_mark(name) : "";
  if (text == "mean") return Reduction::mean;
  if (text == "sum") return Reduction::sum;
  if (text == "none") return Reduction::none;
  throw_no_choice(given.op(), "reduction", name, "'mean', 'sum' or 'none'");
}

using Scaling = Tensor (*)(const Tensor&, std::int64_t, std::optional<DType>);
template <Scaling op>
PyObject* call_scaling(const Arguments& given) {
  return wrap(op(given.tensor(0), given.integer(1), given.dtype(2)));
}
constexpr const char* scaling = "input: Tensor, dim: int, *, dtype: DType | None = None";

constexpr std::array table{
    Method{"mm", "input: Tensor, mat2: Tensor", "Tensor", &docs::mm, Place::everywhere,
           call_product<mm>},
    Method{"bmm", "input: Tensor, mat2: Tensor", "Tensor", &docs::bmm, Place::everywhere,
           call_product<bmm>},
    Method{"matmul", "input: Tensor, other: Tensor", "Tensor", &docs::matmul, Place::everywhere,
           call_product<matmul>},
    Method{"linear", "input: Tensor, weight: Tensor, bias: Tensor | None = None", "Tensor",
           &docs::linear, Place::functional,
           [](const Arguments& given) {
             return wrap(linear(given.tensor(0), given.tensor(1), given.optional_tensor(2)));
           }},
    Method{"softmax", scaling, "Tensor", &docs::softmax, Place::everywhere, call_scaling<softmax>},
    Method{"log_softmax", scaling, "Tensor", &docs::log_softmax, Place::everywhere,
           call_scaling<log_softmax>},
    Method{"cross_entropy",
           "input: Tensor, target: Tensor, weight: Tensor | None = None, *, "
           "ignore_index: int = -100, reduction: str = 'mean', label_smoothing: float = 0.0",
           "Tensor", &docs::cross_entropy, Place::functional,
           [](const Arguments& given) {
             const Tensor& target = given.tensor(1);
             return wrap(cross_entropy(given.tensor(0), target,
                                       {.weight = given.optional_tensor(2),
                                        .ignore_index = given.integer_or(3, -100),
                                        .reduction = reduction_of(given, 4),
                                        .label_smoothing = given.real_or(5, 0)}));
           }},
    Method{"layer_norm",
           "input: Tensor, normalized_shape: int | Sequence[int], weight: Tensor | None = None, "
           "bias: Tensor | None = None, eps: float = 1e-05",
           "Tensor", &docs::layer_norm, Place::functional,
           [](const Arguments& given) {
             const Tensor weight = given.optional_tensor(2), bias = given.optional_tensor(3);
             return wrap(
                 layer_norm(given.tensor(0), given.dims(1), weight, bias, given.real_or(4, 1e-5)));
           }},
    Method{"mse_loss", "input: Tensor, target: Tensor, *, reduction: str = 'mean'", "Tensor",
           &docs::mse_loss, Place::functional,
           [](const Arguments& given) {
             return wrap(mse_loss(given.tensor(0), given.tensor(1), reduction_of(given, 2)));
           }},
    Method{"dropout", "input: Tensor, p: float = 0.5, training: bool = True", "Tensor",
           &docs::dropout, Place::functional,
           [](const Arguments& given) {
             const Tensor& input = given.tensor(0);
             const double p = given.real_or(1, 0.5);
             if (given.boolean_or(2, true)) return wrap(dropout(input, p));
             return wrap(input);
           }},
};

}  // namespace

void add_product_methods() { add_table<table>(); }

}  // namespace garboard::python
