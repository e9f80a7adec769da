"""Where names stand that few programs ask for, so that `import garboard` need not look there."""

from collections.abc import Mapping

__all__ = ["HOMES", "METHODS", "SUBMODULES"]

SUBMODULES = (
    "accelerator",
    "amp",
    "autograd",
    "backends",
    "compiler",
    "cpu",
    "cuda",
    "distributed",
    "distributions",
    "fft",
    "func",
    "functional",
    "hub",
    "io",
    "jit",
    "jupyter",
    "leaks",
    "linalg",
    "memory",
    "multiprocessing",
    "nn",
    "optim",
    "overrides",
    "profiler",
    "pytest_plugin",
    "random",
    "return_types",
    "serialization",
    "signal",
    "special",
    "storage",
    "testing",
    "torch_version",
    "types",
    "utils",
    "version",
)

_FUNCTIONS = {
    "_arguments.layouts": (
        "channels_last channels_last_3d contiguous_format layout memory_format "
        "preserve_format strided"
    ),
    "_ops.contractions": "einsum tensordot",
    "_ops.differences": "gradient",
    "_ops.dlpack": "from_dlpack to_dlpack",
    "_ops.dtypes": "can_cast finfo iinfo",
    "_ops.index_functions": "histogram index_reduce renorm unravel_index",
    "_ops.real_numbers": "frexp is_same_size is_signed",
    "_ops.replaced_parts": "diagonal_scatter select_scatter slice_scatter",
    "_ops.special_functions": "mvlgamma nextafter polygamma",
    "_ops.triangles": "tril_indices triu_indices",
    "_ops.typed_tensors": (
        "BFloat16Tensor BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor "
        "IntTensor LongTensor ShortTensor"
    ),
    "_ops.vectors": "cdist combinations cumulative_trapezoid pdist trapezoid trapz vander",
    "_ops.window_functions": (
        "bartlett_window blackman_window hamming_window hann_window kaiser_window"
    ),
    "_settings": (
        "are_deterministic_algorithms_enabled get_default_device get_deterministic_debug_mode "
        "get_device_module "
        "get_float32_matmul_precision get_num_interop_threads set_default_device "
        "set_default_tensor_type set_deterministic_debug_mode set_float32_matmul_precision "
        "set_flush_denormal set_num_interop_threads use_deterministic_algorithms"
    ),
    "fft._short_time": "istft stft",
    "func": "vmap",
    "io": "load save",
    "jupyter": "load_ipython_extension unload_ipython_extension",
    "linalg._low_rank": "pca_lowrank svd_lowrank",
    "linalg._older_factors": "lu lu_solve lu_unpack",
    "linalg._older_names": (
        "chain_matmul cholesky cholesky_inverse cholesky_solve det inverse logdet matrix_exp "
        "matrix_power pinverse qr slogdet svd triangular_solve"
    ),
    "nn._root_functions": (
        "abs_ acos_ acosh_ adaptive_avg_pool1d addmv_ alpha_dropout arccos_ arccosh_ arcsin_ "
        "arcsinh_ arctan_ arctanh_ as_strided_ asin_ asinh_ atan_ atanh_ avg_pool1d bilinear "
        "ceil_ celu celu_ channel_shuffle clamp_ clamp_max_ clamp_min_ clip_ cos_ cosh_ "
        "cosine_similarity deg2rad_ detach_ erf_ erfc_ exp2_ exp_ expm1_ fill_ fix_ floor_ "
        "frac_ gcd_ group_norm hardshrink i0_ index_put_ lcm_ ldexp_ log10_ log1p_ log2_ log_ "
        "logit_ max_pool1d max_pool2d max_pool3d nan_to_num_ neg_ negative_ pairwise_distance "
        "pixel_shuffle pixel_unshuffle prelu rad2deg_ reciprocal_ relu_ rms_norm round_ rrelu "
        "rsqrt_ selu selu_ sigmoid_ sin_ sinc_ sinh_ sqrt_ square_ tan_ tanh_ threshold "
        "threshold_ trunc_ xlogy_ zero_"
    ),
}

#: Names at the root of the package, each with the submodule that has it.
HOMES: Mapping[str, str] = {
    name: home for home, names in _FUNCTIONS.items() for name in names.split()
}

#: Methods of tensors, behind the module that adds them.
METHODS: Mapping[str, str] = {
    "garboard._ops.dlpack": "__dlpack__ __dlpack_device__",
    "garboard._ops.dtypes": "type",
    "garboard._ops.index_functions": "histogram index_reduce index_reduce_ renorm renorm_",
    "garboard._ops.real_numbers": "frexp is_same_size is_signed",
    "garboard._ops.replaced_parts": "diagonal_scatter fill_diagonal_ select_scatter slice_scatter",
    "garboard._ops.resizing": "resize_ resize_as_",
    "garboard._ops.special_functions": (
        "mvlgamma mvlgamma_ nextafter nextafter_ polygamma polygamma_"
    ),
    "garboard.fft._short_time": "istft stft",
    "garboard.linalg._older_factors": "lu lu_solve",
    "garboard.linalg._older_names": (
        "cholesky cholesky_inverse cholesky_solve det inverse logdet matrix_exp matrix_power "
        "pinverse qr slogdet svd triangular_solve"
    ),
}
