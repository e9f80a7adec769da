// Matrix products, and what goes through rows alike.
#include "csrc/ops/products/distances.h"
#include "csrc/ops/products/matmul.h"

#include "python/bindings/call/methods.h"

namespace garboard::python {
namespace {

namespace docs {

constexpr const char* matmul_error =
    "ShapeError: The inner sizes differ, the batch dims do not broadcast, or a tensor has no "
    "dims.\n"
    "DTypeError: The dtypes differ, or are bool.\n"
    "DeviceError: The tensors are on several devices.";

constexpr Doc mm{
    .summary = "Multiply two matrices.",
    .details = "mm(a, b)_ij = sum_k a_ik b_kj, floats by BLAS. Nothing broadcasts.",
    .args = {{"input", "Tensor [n, k] of any dtype but bool."},
             {"mat2", "Tensor [k, m] of the same dtype."}},
    .returns =
        "A new tensor [n, m]. Until backward the graph keeps each matrix whose partner requires "
        "grad.",
    .raises =
        "ShapeError: There are not two dims, or the inner sizes differ.\n"
        "DTypeError: The dtypes differ, or are bool.\n"
        "DeviceError: The tensors are on several devices.",
    .example =
        ">>> x = gb.tensor([[1, 2], [3, 4]])\n"
        ">>> gb.mm(x, gb.tensor([[10], [1]]))\n"
        "tensor([[12],\n"
        "        [34]])",
};
constexpr Doc bmm{
    .summary = "Multiply matrices pairwise.",
    .details = "Nothing broadcasts; `matmul` does.",
    .args = {{"input", "Tensor [b, n, k] of any dtype but bool."},
             {"mat2", "Tensor [b, k, m] of the same dtype."}},
    .returns =
        "A new tensor [b, n, m]. Until backward the graph keeps each tensor whose partner requires "
        "grad.",
    .raises =
        "ShapeError: There are not three dims, or the batches or inner sizes differ.\n"
        "DTypeError: The dtypes differ, or are bool.\n"
        "DeviceError: The tensors are on several devices.",
    .example =
        ">>> x = gb.ones(5, 2, 3)\n"
        ">>> gb.bmm(x, gb.ones(5, 3, 4)).shape\n"
        "(5, 2, 4)",
};
constexpr Doc matmul{
    .summary = "Multiply vectors, matrices, or batches of them.",
    .details =
        "NumPy's rules: a vector is a row on the left and a column on the right, and the dim that "
        "makes it so goes again; what stands before the last two dims broadcasts.",
    .args = {{"input", "Tensor [..., n, k] or [k] of any dtype but bool."},
             {"other", "Tensor [..., k, m] or [k] of the same dtype."}},
    .returns =
        "A new tensor [..., n, m]. Until backward the graph keeps each tensor whose partner "
        "requires grad; one that is broadcast over batches, as often as it is met.",
    .raises = matmul_error,
    .example =
        ">>> x = gb.tensor([[1, 2], [3, 4]])\n"
        ">>> gb.matmul(x, gb.tensor([10, 1]))\n"
        "tensor([12, 34])",
};
constexpr Doc linear{
    .summary = "Multiply by a weight matrix, turned round, and add a bias.",
    .details = "input @ weight.T + bias, in one pass.",
    .args = {{"input", "Tensor [..., in] of any dtype but bool."},
             {"weight", "Tensor [out, in] of the same dtype."},
             {"bias", "Tensor [out], or None."}},
    .returns =
        "A new tensor [..., out]. Until backward the graph keeps `input` if the weight requires "
        "grad, and the weight if `input` does.",
    .raises =
        "ShapeError: The sizes do not fit.\n"
        "DTypeError: The dtypes differ, or are bool.\n"
        "DeviceError: The tensors are on several devices.",
    .example =
        ">>> x = gb.tensor([[1.0, 2.0]])\n"
        ">>> gb.linear(x, gb.tensor([[10.0, 1.0]]), gb.tensor([0.5]))\n"
        "tensor([[12.5000]])",
};

constexpr Doc distances{
    .summary = "Find distances for garboard.cdist, which documents it.",
};
constexpr Doc distances_of_pairs{
    .summary = "Find distances for garboard.pdist, which documents it.",
};

}  // namespace docs

constexpr std::array product_rows{
    bind("mm", "input: Tensor, mat2: Tensor", docs::mm, fn<mm>).with_out(),
    bind("bmm", "input: Tensor, mat2: Tensor", docs::bmm, fn<bmm>).with_out(),
    bind("matmul", "input: Tensor, other: Tensor", docs::matmul, fn<matmul>).with_out(),
    bind("linear", "input: Tensor, weight: Tensor, bias: Tensor | None = None", docs::linear,
         fn<linear>, Place::functional)
        .with_out(),
    bind("_cdist", "x1: Tensor, x2: Tensor, p: float", docs::distances, fn<distances>,
         Place::functional),
    bind("_pdist", "input: Tensor, p: float", docs::distances_of_pairs, fn<distances_of_pairs>,
         Place::functional),
};

}  // namespace

void add_product_methods() { add_table<product_rows>(); }

}  // namespace garboard::python
