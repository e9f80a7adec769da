"""Which ops want fewer digits inside `autocast`, and which want float32, by the device's type.

PyTorch's lists for the CPU and for CUDA, by the names that the engine's ops have, or functions that
are made of ops. What is not here takes what comes.
"""

from __future__ import annotations

__all__ = ["WANTS"]

_LOWER = [
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "linear",
    "matmul",
    "mm",
    "bmm",
    "addmm",
    "addbmm",
    "baddbmm",
    "scaled_dot_product_attention",
    "_recurrent_layer",
    "prelu",
]
_LOWER_OF_CUDA = ["mv", "addmv", "addr"]

_FLOAT32 = [
    "cross_entropy",
    "mse_loss",
    "prod",
    "quantile",
    "nanquantile",
    "trace",
    "cdist",
    "cosine_embedding_loss",
    "hinge_embedding_loss",
    "margin_ranking_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "triplet_margin_loss",
    "_ctc_loss",
    "_grid_sample",
    "_max_unpool",
    "_linalg_cholesky",
    "_linalg_eigh",
    "_linalg_lu",
    "_linalg_pinv",
    "_linalg_qr",
    "_linalg_solve",
    "_linalg_solve_triangular",
    "_linalg_svd",
]
_FLOAT32_OF_CPU = [
    "adaptive_avg_pool3d",
    "adaptive_max_pool3d",
    "avg_pool3d",
    "fractional_max_pool2d",
    "fractional_max_pool3d",
    "local_response_norm",
    "max_pool3d",
    "stft",
    "fft",
    "polar",
    "view_as_complex",
]
_FLOAT32_OF_CUDA = [
    "acos",
    "asin",
    "cosh",
    "cosine_similarity",
    "dist",
    "sinh",
    "tan",
    "erfinv",
    "exp",
    "expm1",
    "log",
    "log10",
    "log1p",
    "log2",
    "reciprocal",
    "rsqrt",
    "pow",
    "softmax",
    "softplus",
    "log_softmax",
    "group_norm",
    "layer_norm",
    "rms_norm",
    "interpolate",
    "norm",
    "pdist",
    "renorm",
    "sum",
    "cumsum",
    "cumprod",
    "logsumexp",
]


def _wants() -> dict[str, dict[str, str]]:
    table: dict[str, dict[str, str]] = {}
    for names, want, devices in (
        (_LOWER, "lower", ("cpu", "cuda")),
        (_LOWER_OF_CUDA, "lower", ("cuda",)),
        (_FLOAT32, "float32", ("cpu", "cuda")),
        (_FLOAT32_OF_CPU, "float32", ("cpu",)),
        (_FLOAT32_OF_CUDA, "float32", ("cuda",)),
    ):
        for name in names:
            table.setdefault(name, {}).update(dict.fromkeys(devices, want))
    return table


WANTS = _wants()
