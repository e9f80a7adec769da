// Products of vectors, sums with products, covariances: what is made of matrix products.
#include "csrc/ops/composite/added_product.h"
#include "csrc/ops/composite/products.h"
#include "python/bindings/call/methods.h"
#include "python/bindings/methods/vector_docs.h"

namespace garboard::python {
namespace {

Tensor addmm(OpName op, const Tensor& input, const Tensor& a, const Tensor& b, Scalar beta,
             Scalar alpha) {
  return composite::addmm(op.text, input, a, b, {beta, alpha});
}
/// A product, added to what comes first.
template <auto product>
constexpr auto added_to = [](OpName op, const Tensor& input, const Tensor& a, const Tensor& b,
                             Scalar beta, Scalar alpha) {
  return composite::added_product<product>(op.text, input, a, b, {beta, alpha});
};
template <auto product>
constexpr auto added_in_place =
    [](OpName op, const Tensor& self, const Tensor& a, const Tensor& b, Scalar beta, Scalar alpha) {
      composite::add_in_place(op.text, self, product(op.text, a, b), {beta, alpha});
      return Itself();
    };

Tensor addr(OpName op, const Tensor& input, const Tensor& a, const Tensor& b, Scalar beta,
            Scalar alpha) {
  return composite::addr(op.text, input, a, b, {beta, alpha});
}
Itself addr_(OpName op, const Tensor& self, const Tensor& a, const Tensor& b, Scalar beta,
             Scalar alpha) {
  composite::addr_(op.text, self, a, b, {beta, alpha});
  return Itself();
}

Tensor crossed(OpName op, const Tensor& a, const Tensor& b, std::optional<std::int64_t> dim) {
  return dim ? composite::cross(op.text, a, b, *dim) : composite::cross_along_first(op.text, a, b);
}

/// A function of two tensors that is told its name.
template <Tensor (*op)(const char*, const Tensor&, const Tensor&)>
constexpr auto named =
    [](OpName name, const Tensor& a, const Tensor& b) { return op(name.text, a, b); };

constexpr const char* pair = "input: Tensor, other: Tensor";
constexpr const char* dotted = "input: Tensor, tensor: Tensor";
constexpr const char* vectors = "input: Tensor, vec2: Tensor";
constexpr const char* with_matrices =
    "input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1";
constexpr const char* with_vector =
    "input: Tensor, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1";
constexpr const char* with_vectors =
    "input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1";
constexpr const char* with_batches =
    "input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1";

constexpr Place method = Place::method;

constexpr std::array vector_rows{
    bind("dot", dotted, docs::dot, named<composite::dot>).with_out(),
    bind("vdot", pair, docs::vdot, named<composite::vdot>).with_out(),
    bind("inner", pair, docs::inner, fn<composite::inner>).with_out(),
    bind("outer", vectors, docs::outer, named<composite::outer>).with_out(),
    bind("mv", "input: Tensor, vec: Tensor", docs::mv, named<composite::mv>).with_out(),
    bind("trace", "input: Tensor", docs::trace, fn<composite::trace>),
    bind("kron", pair, docs::kron, fn<composite::kron>).with_out(),
    bind("cross", "input: Tensor, other: Tensor, dim: int | None = None", docs::cross, fn<crossed>)
        .with_out(),
    bind("addmm", with_matrices, docs::addmm, fn<addmm>).with_out(),
    bind("addmm_", with_matrices, docs::addmm_, added_in_place<&composite::product>, method),
    bind("addmv", with_vector, docs::addmv, added_to<&composite::mv>).with_out(),
    bind("addmv_", with_vector, docs::addmv_, added_in_place<&composite::mv>, method),
    bind("addr", with_vectors, docs::addr, fn<addr>).with_out(),
    bind("addr_", with_vectors, docs::addr_, fn<addr_>, method),
    bind("baddbmm", with_batches, docs::baddbmm, added_to<&composite::products>).with_out(),
    bind("baddbmm_", with_batches, docs::baddbmm_, added_in_place<&composite::products>, method),
    bind("addbmm", with_batches, docs::addbmm, added_to<&composite::summed_products>).with_out(),
    bind("addbmm_", with_batches, docs::addbmm_, added_in_place<&composite::summed_products>,
         method),
    bind("cov",
         "input: Tensor, *, correction: int = 1, fweights: Tensor | None = None, "
         "aweights: Tensor | None = None",
         docs::cov,
         [](OpName op, const Tensor& input, std::int64_t correction, const Tensor& fweights,
            const Tensor& aweights) {
           return composite::cov(op.text, input, correction, fweights, aweights);
         }),
    bind("corrcoef", "input: Tensor", docs::corrcoef, fn<composite::corrcoef>),
};

}  // namespace

void add_vector_methods() { add_table<vector_rows>(); }

}  // namespace garboard::python
