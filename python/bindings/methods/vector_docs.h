// What users read about products of vectors and about sums with products.
#pragma once

#include "python/bindings/call/doc.h"

namespace garboard::python::docs {

inline constexpr Arg vector_of_any{"input", "Tensor [n] of any dtype but bool."};
inline constexpr const char* product_raises =
    "ShapeError: The sizes do not fit.\n"
    "DTypeError: The dtypes differ, or are bool.\n"
    "DeviceError: The tensors are on several devices.";
inline constexpr Arg beta{"beta", "What `input` is multiplied by; 0 passes over it, NaN too."};
inline constexpr Arg alpha{"alpha", "What the product is multiplied by."};
inline constexpr const char* sum_raises =
    "ShapeError: The sizes do not fit.\n"
    "DTypeError: The dtypes differ, or `beta` or `alpha` is a fraction of integers.\n"
    "DeviceError: The tensors are on several devices.";
inline constexpr const char* sum_in_place_raises =
    "ShapeError: The sizes do not fit; `input` does not grow.\n"
    "DTypeError: The dtypes differ, or `beta` or `alpha` is a fraction of integers.\n"
    "DeviceError: The tensors are on several devices.\n"
    "GradientError: `input` is a leaf that requires grad.";
inline constexpr const char* written_itself = "The tensor itself, not a new handle.";

inline constexpr Doc dot{
    .summary = "Multiply two vectors and add up.",
    .details = "dot(a, b) = sum_i a_i b_i. Nothing broadcasts.",
    .args = {vector_of_any, {"tensor", "Tensor [n] of the same dtype."}},
    .returns =
        "A new tensor without dims. Until backward the graph keeps each tensor whose partner "
        "requires grad.",
    .raises = product_raises,
    .example =
        ">>> gb.dot(gb.tensor([1, 2]), gb.tensor([3, 4]))\n"
        "tensor(11)",
};
inline constexpr Doc vdot{
    .summary = "Multiply the conjugate of a vector with another, and add up.",
    .details = "vdot(a, b) = sum_i conj(a_i) b_i. Nothing broadcasts; of real numbers it is `dot`.",
    .args = {vector_of_any, {"other", "Tensor [n] of the same dtype."}},
    .returns =
        "A new tensor without dims. Until backward the graph keeps each tensor whose partner "
        "requires grad.",
    .raises = product_raises,
    .example =
        ">>> gb.vdot(gb.tensor([1, 2]), gb.tensor([3, 4]))\n"
        "tensor(11)",
};
inline constexpr Doc inner{
    .summary = "Multiply and add up along the last dim of both.",
    .details = "inner(a, b)_ij = sum_k a_ik b_jk; with a tensor without dims, the plain product.",
    .args = {{"input", "Tensor [..., k] of any dtype but bool."},
             {"other", "Tensor [..., k] of the same dtype."}},
    .returns =
        "A new tensor of the other sizes of both, one behind the other. Until backward the graph "
        "keeps each tensor whose partner requires grad.",
    .raises = product_raises,
    .example =
        ">>> gb.inner(gb.tensor([[1, 2], [3, 4]]), gb.tensor([10, 1]))\n"
        "tensor([12, 34])",
};
inline constexpr Doc outer{
    .summary = "Multiply each element of a vector by each of another.",
    .details = "outer(a, b)_ij = a_i b_j.",
    .args = {{"input", "Tensor [n]."}, {"vec2", "Tensor [m]; the dtypes are promoted."}},
    .returns =
        "A new tensor [n, m]. Until backward the graph keeps each tensor whose partner requires "
        "grad.",
    .raises = "ShapeError: There is not one dim.\nDeviceError: The tensors are on several devices.",
    .example =
        ">>> gb.outer(gb.tensor([1, 2]), gb.tensor([3, 4]))\n"
        "tensor([[3, 4],\n"
        "        [6, 8]])",
};
inline constexpr Doc mv{
    .summary = "Multiply a matrix by a vector.",
    .details = "mv(a, x)_i = sum_k a_ik x_k.",
    .args = {{"input", "Tensor [n, k] of any dtype but bool."},
             {"vec", "Tensor [k] of the same dtype."}},
    .returns =
        "A new tensor [n]. Until backward the graph keeps each tensor whose partner requires grad.",
    .raises = product_raises,
    .example =
        ">>> gb.mv(gb.tensor([[1, 2], [3, 4]]), gb.tensor([10, 1]))\n"
        "tensor([12, 34])",
};
inline constexpr Doc trace{
    .summary = "Add up the diagonal of a matrix.",
    .args = {{"input", "Tensor [n, m]."}},
    .returns =
        "A new tensor without dims, int64 for integers and bools. The graph keeps no tensor.",
    .raises = "ShapeError: There are not two dims.",
    .example =
        ">>> gb.trace(gb.tensor([[1, 2], [3, 4]]))\n"
        "tensor(5)",
};
inline constexpr Doc kron{
    .summary = "Multiply each element of `input` by all of `other`, side by side.",
    .details =
        "kron(a, b)_(i p + k, j q + l) = a_ij b_kl, where b is p x q. What has fewer dims gets "
        "dims of size 1 in front.",
    .args = {{"input", "Tensor of at most four dims."},
             {"other", "Tensor of at most four dims; the dtypes are promoted."}},
    .returns =
        "A new tensor, each size the product of both. Until backward the graph keeps each tensor "
        "whose partner requires grad.",
    .raises =
        "ShapeError: There are more than four dims.\nDeviceError: The tensors are on several "
        "devices.",
    .example =
        ">>> gb.kron(gb.eye(2), gb.tensor([[1.0, 2.0]]))\n"
        "tensor([[1., 2., 0., 0.],\n"
        "        [0., 0., 1., 2.]])",
};
inline constexpr Doc cross{
    .summary = "Multiply vectors of three elements to what stands upright on both.",
    .details = "cross(a, b) = (a_1 b_2 - a_2 b_1, a_2 b_0 - a_0 b_2, a_0 b_1 - a_1 b_0).",
    .args = {{"input", "Tensor that has size 3 along `dim`."},
             {"other", "Tensor whose sizes broadcast with `input`'s; the dtypes are promoted."},
             {"dim", "Where the vectors lie; by default the first dim of size 3."}},
    .returns =
        "A new tensor of the broadcast shape. Until backward the graph keeps copies of both.",
    .raises =
        "ShapeError: No such dim has size 3, or the sizes do not broadcast.\nIndexOutOfRangeError: "
        "`dim` lies outside.\nDeviceError: The tensors are on several devices.",
    .example =
        ">>> gb.cross(gb.tensor([1, 0, 0]), gb.tensor([0, 1, 0]))\n"
        "tensor([0, 0, 1])",
};
inline constexpr Doc addmm{
    .summary = "Add a product of two matrices to `input`.",
    .details = "beta * input + alpha * mat1 @ mat2.",
    .args = {{"input", "Tensor that broadcasts to [n, m]."},
             {"mat1", "Tensor [n, k] of the same dtype."},
             {"mat2", "Tensor [k, m] of the same dtype."},
             beta,
             alpha},
    .returns =
        "A new tensor [n, m]. Until backward the graph keeps each tensor whose partner "
        "requires grad.",
    .raises = sum_raises,
    .example =
        ">>> x = gb.tensor([[1.0, 2.0], [3.0, 4.0]])\n"
        ">>> gb.addmm(gb.ones(2, 2), x, gb.eye(2), alpha=10)\n"
        "tensor([[11., 21.],\n"
        "        [31., 41.]])",
};
inline constexpr Doc addmm_{
    .summary = "Add a product of two matrices to `input`, in place.",
    .details =
        "beta * input + alpha * mat1 @ mat2. Backward through another op whose graph kept the old "
        "elements raises VersionError.",
    .args = {{"mat1", "Tensor [n, k] of the same dtype."},
             {"mat2", "Tensor [k, m] of the same dtype."},
             {"beta", "What `input` is multiplied by first; 0 passes over it, NaN too."},
             alpha},
    .returns = written_itself,
    .raises = sum_in_place_raises,
    .example =
        ">>> x = gb.tensor([[1.0, 2.0], [3.0, 4.0]])\n"
        ">>> gb.addmm_(gb.ones(2, 2), x, gb.eye(2), alpha=10)\n"
        "tensor([[11., 21.],\n"
        "        [31., 41.]])",
};
inline constexpr Doc addmv{
    .summary = "Add a product of a matrix and a vector to `input`.",
    .details = "beta * input + alpha * mat @ vec.",
    .args = {{"input", "Tensor that broadcasts to [n]."},
             {"mat", "Tensor [n, k] of the same dtype."},
             {"vec", "Tensor [k] of the same dtype."},
             beta,
             alpha},
    .returns =
        "A new tensor [n]. Until backward the graph keeps each tensor whose partner "
        "requires grad.",
    .raises = sum_raises,
    .example =
        ">>> x = gb.tensor([[1, 2], [3, 4]])\n"
        ">>> gb.addmv(gb.tensor([100, 200]), x, gb.tensor([10, 1]))\n"
        "tensor([112, 234])",
};
inline constexpr Doc addmv_{
    .summary = "Add a product of a matrix and a vector to `input`, in place.",
    .details =
        "beta * input + alpha * mat @ vec. Backward through another op whose graph kept the old "
        "elements raises VersionError.",
    .args = {{"mat", "Tensor [n, k] of the same dtype."},
             {"vec", "Tensor [k] of the same dtype."},
             {"beta", "What `input` is multiplied by first; 0 passes over it, NaN too."},
             alpha},
    .returns = written_itself,
    .raises = sum_in_place_raises,
    .example =
        ">>> x = gb.tensor([[1, 2], [3, 4]])\n"
        ">>> gb.addmv_(gb.tensor([100, 200]), x, gb.tensor([10, 1]))\n"
        "tensor([112, 234])",
};
inline constexpr Doc addr{
    .summary = "Add an outer product to `input`.",
    .details = "beta * input_ij + alpha * vec1_i vec2_j.",
    .args = {{"input", "Tensor that broadcasts to [n, m]."},
             {"vec1", "Tensor [n] of the same dtype."},
             {"vec2", "Tensor [m] of the same dtype."},
             beta,
             alpha},
    .returns =
        "A new tensor [n, m]. Until backward the graph keeps each tensor whose partner "
        "requires grad.",
    .raises = sum_raises,
    .example =
        ">>> gb.addr(gb.ones(1, 2), gb.tensor([2.0]), gb.tensor([3.0, 4.0]))\n"
        "tensor([[7., 9.]])",
};
inline constexpr Doc addr_{
    .summary = "Add an outer product to `input`, in place.",
    .details =
        "beta * input_ij + alpha * vec1_i vec2_j. Backward through another op whose graph kept the "
        "old elements raises VersionError.",
    .args = {{"vec1", "Tensor [n] of the same dtype."},
             {"vec2", "Tensor [m] of the same dtype."},
             {"beta", "What `input` is multiplied by first; 0 passes over it, NaN too."},
             alpha},
    .returns = written_itself,
    .raises = sum_in_place_raises,
    .example =
        ">>> gb.addr_(gb.ones(1, 2), gb.tensor([2.0]), gb.tensor([3.0, 4.0]))\n"
        "tensor([[7., 9.]])",
};
inline constexpr Doc baddbmm{
    .summary = "Add products of matrices pairwise to `input`.",
    .details = "beta * input + alpha * batch1 @ batch2.",
    .args = {{"input", "Tensor that broadcasts to [b, n, m]."},
             {"batch1", "Tensor [b, n, k] of the same dtype."},
             {"batch2", "Tensor [b, k, m] of the same dtype."},
             beta,
             alpha},
    .returns =
        "A new tensor [b, n, m]. Until backward the graph keeps each tensor whose "
        "partner requires grad.",
    .raises = sum_raises,
    .example =
        ">>> gb.baddbmm(gb.ones(2, 1, 1), gb.ones(2, 1, 5), gb.ones(2, 5, 1)).flatten()\n"
        "tensor([6., 6.])",
};
inline constexpr Doc baddbmm_{
    .summary = "Add products of matrices pairwise to `input`, in place.",
    .details =
        "beta * input + alpha * batch1 @ batch2. Backward through another op whose graph kept the "
        "old elements raises VersionError.",
    .args = {{"batch1", "Tensor [b, n, k] of the same dtype."},
             {"batch2", "Tensor [b, k, m] of the same dtype."},
             {"beta", "What `input` is multiplied by first; 0 passes over it, NaN too."},
             alpha},
    .returns = written_itself,
    .raises = sum_in_place_raises,
    .example =
        ">>> gb.baddbmm_(gb.ones(2, 1, 1), gb.ones(2, 1, 5), gb.ones(2, 5, 1)).flatten()\n"
        "tensor([6., 6.])",
};
inline constexpr Doc addbmm{
    .summary = "Add the sum of products of matrices to `input`.",
    .details = "beta * input + alpha * sum_b batch1_b @ batch2_b.",
    .args = {{"input", "Tensor that broadcasts to [n, m]."},
             {"batch1", "Tensor [b, n, k] of the same dtype."},
             {"batch2", "Tensor [b, k, m] of the same dtype."},
             beta,
             alpha},
    .returns =
        "A new tensor [n, m]. Until backward the graph keeps each tensor whose partner "
        "requires grad.",
    .raises = sum_raises,
    .example =
        ">>> gb.addbmm(gb.ones(1, 1), gb.ones(2, 1, 5), gb.ones(2, 5, 1))\n"
        "tensor([[11.]])",
};
inline constexpr Doc addbmm_{
    .summary = "Add the sum of products of matrices to `input`, in place.",
    .details =
        "beta * input + alpha * sum_b batch1_b @ batch2_b. Backward through another op whose graph "
        "kept the old elements raises VersionError.",
    .args = {{"batch1", "Tensor [b, n, k] of the same dtype."},
             {"batch2", "Tensor [b, k, m] of the same dtype."},
             {"beta", "What `input` is multiplied by first; 0 passes over it, NaN too."},
             alpha},
    .returns = written_itself,
    .raises = sum_in_place_raises,
    .example =
        ">>> gb.addbmm_(gb.ones(1, 1), gb.ones(2, 1, 5), gb.ones(2, 5, 1))\n"
        "tensor([[11.]])",
};
inline constexpr Doc cov{
    .summary = "Compute covariances of the rows of a matrix.",
    .details =
        "With w = fweights * aweights and centred rows x: cov_ij = sum_k w_k x_ik x_jk / (sum w - "
        "correction * sum(w aweights) / sum w).",
    .args = {{"input",
              "Tensor [variables, observations], or [observations] of one variable; integers are "
              "taken as float32."},
             {"correction",
              "What is taken from the number of observations: 1 for a sample, 0 for all."},
             {"fweights", "Tensor [observations] of integers: how often each was made."},
             {"aweights", "Tensor [observations] of floats: how much each counts."}},
    .returns =
        "A new tensor [variables, variables], or without dims. Until backward the graph keeps the "
        "centred rows.",
    .raises =
        "ShapeError: There are more than two dims, or weights do not fit.\nDTypeError: `input` is "
        "bool, or weights are of another kind.\nDeviceError: The tensors are on several devices.",
    .example =
        ">>> gb.cov(gb.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]))\n"
        "tensor([[ 1., -1.],\n"
        "        [-1.,  1.]])",
};
inline constexpr Doc corrcoef{
    .summary = "Compute correlations of the rows of a matrix.",
    .details = "cov_ij / sqrt(cov_ii cov_jj), within [-1, 1].",
    .args = {{"input",
              "Tensor [variables, observations], or [observations] of one variable; integers are "
              "taken as float32."}},
    .returns =
        "A new tensor [variables, variables], or without dims. Until backward the graph keeps the "
        "centred rows and what the steps on the way keep.",
    .raises = "ShapeError: There are more than two dims.\nDTypeError: The dtype is bool.",
    .example =
        ">>> gb.corrcoef(gb.tensor([[1.0, 2.0, 3.0], [6.0, 4.0, 2.0]]))\n"
        "tensor([[ 1., -1.],\n"
        "        [-1.,  1.]])",
};

}  // namespace garboard::python::docs
