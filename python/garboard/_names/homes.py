"""Where names stand that few programs ask for, so that `import garboard` need not look there."""

from collections.abc import Mapping

__all__ = ["HOMES", "METHODS", "SUBMODULES", "UNLISTED"]

SUBMODULES = (
    "_dynamo",
    "_functorch",
    "_guards",
    "_higher_order_ops",
    "_inductor",
    "_jit_internal",
    "_subclasses",
    "_tensor",
    "_tensor_str",
    "_utils",
    "_vmap_internals",
    "accelerator",
    "amp",
    "ao",
    "autograd",
    "backends",
    "compiler",
    "cpu",
    "cuda",
    "distributed",
    "distributions",
    "export",
    "fft",
    "foreach",
    "func",
    "functional",
    "futures",
    "fx",
    "hub",
    "io",
    "jit",
    "jupyter",
    "leaks",
    "library",
    "linalg",
    "masked",
    "memory",
    "mps",
    "mtia",
    "multiprocessing",
    "nn",
    "onnx",
    "ops",
    "optim",
    "overrides",
    "profiler",
    "pytest_plugin",
    "quantization",
    "quasirandom",
    "random",
    "return_types",
    "serialization",
    "signal",
    "sparse",
    "special",
    "storage",
    "testing",
    "torch_version",
    "types",
    "utils",
    "version",
    "xpu",
)

_FUNCTIONS = {
    "_arguments.layouts": (
        "channels_last channels_last_3d contiguous_format layout legacy_contiguous_format "
        "memory_format preserve_format sparse_bsc sparse_bsr sparse_coo sparse_csc sparse_csr "
        "strided"
    ),
    "_arguments.other_dtypes": (
        "chalf complex32 float4_e2m1fn_x2 float8_e4m3fn float8_e4m3fnuz float8_e5m2 "
        "float8_e5m2fnuz float8_e8m0fnu qint8 qint32 quint4x2 quint8 uint16 uint32 uint64"
    ),
    "_ops.contractions": "einsum tensordot",
    "_ops.differences": "gradient",
    "_ops.distances": "cdist pdist",
    "_ops.dlpack": "from_dlpack to_dlpack",
    "_ops.dtypes": "can_cast finfo iinfo",
    "_ops.index_functions": "histogram histogramdd index_reduce renorm unravel_index",
    "_ops.real_numbers": "frexp is_same_size is_signed",
    "_ops.replaced_parts": "as_strided_scatter diagonal_scatter select_scatter slice_scatter",
    "_ops.special_functions": "mvlgamma nextafter polygamma",
    "_ops.typed_tensors": (
        "BFloat16Tensor BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor "
        "IntTensor LongTensor ShortTensor"
    ),
    "_ops.vectors": "combinations cumulative_trapezoid trapezoid trapz vander",
    "_ops.window_functions": (
        "bartlett_window blackman_window hamming_window hann_window kaiser_window"
    ),
    "_ops.traits": "is_neg",
    "_root.asking": "is_storage typename",
    "_settings": (
        "are_deterministic_algorithms_enabled get_default_device get_deterministic_debug_mode "
        "get_device_module is_deterministic_algorithms_warn_only_enabled "
        "get_float32_matmul_precision get_num_interop_threads set_default_device "
        "set_default_tensor_type set_deterministic_debug_mode set_float32_matmul_precision "
        "set_flush_denormal set_num_interop_threads use_deterministic_algorithms"
    ),
    "fft._short_time": "istft stft",
    "func": "vmap",
    "futures": "Future",
    "io": "load save",
    "sparse": (
        "sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor "
        "sparse_csc_tensor sparse_csr_tensor spmm"
    ),
    "sparse._functions": "dsmm",
    "storage": "TypedStorage UntypedStorage",
    "jupyter": "load_ipython_extension unload_ipython_extension",
    "library._tags": "Tag",
    "linalg._low_rank": "lobpcg pca_lowrank svd_lowrank",
    "linalg._older_factors": "lu lu_solve lu_unpack",
    "linalg._older_reflectors": "geqrf orgqr ormqr",
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

# What PyTorch has for its own layers: it is found, and not listed.
_UNLISTED = {
    "_root.asking": (
        "_assert _assert_async _check _check_index _check_is_size _check_not_implemented "
        "_check_tensor_all _check_tensor_all_with _check_type _check_value _check_with "
        "is_anomaly_check_nan_enabled is_anomaly_enabled set_anomaly_enabled"
    ),
    "_root.autocasting": (
        "get_autocast_cpu_dtype get_autocast_gpu_dtype is_autocast_cache_enabled "
        "is_autocast_cpu_enabled set_autocast_cpu_dtype set_autocast_cpu_enabled "
        "set_autocast_dtype set_autocast_enabled set_autocast_gpu_dtype"
    ),
    "_root.copies": (
        "alias_copy as_strided_copy detach_copy diagonal_copy expand_copy narrow_copy "
        "permute_copy select_copy slice_copy split_copy split_with_sizes_copy squeeze_copy "
        "t_copy transpose_copy unbind_copy unfold_copy unsafe_chunk unsafe_split "
        "unsafe_split_with_sizes unsqueeze_copy view_as_complex_copy view_as_real_copy view_copy"
    ),
    "_root.counts": (
        "_convert_indices_from_coo_to_csr _convert_indices_from_csr_to_coo _segment_reduce "
        "binomial frobenius_norm nonzero_static nuclear_norm segment_reduce"
    ),
    "_root.foreach": (
        "_foreach_abs _foreach_abs_ _foreach_acos _foreach_acos_ _foreach_add _foreach_add_ "
        "_foreach_addcdiv _foreach_addcdiv_ _foreach_addcmul _foreach_addcmul_ _foreach_asin "
        "_foreach_asin_ _foreach_atan _foreach_atan_ _foreach_ceil _foreach_ceil_ "
        "_foreach_clamp_max _foreach_clamp_max_ _foreach_clamp_min _foreach_clamp_min_ "
        "_foreach_clone _foreach_copy_ _foreach_cos _foreach_cos_ _foreach_cosh _foreach_cosh_ "
        "_foreach_div _foreach_div_ _foreach_erf _foreach_erf_ _foreach_erfc _foreach_erfc_ "
        "_foreach_exp _foreach_exp_ _foreach_expm1 _foreach_expm1_ _foreach_floor "
        "_foreach_floor_ _foreach_frac _foreach_frac_ _foreach_lerp _foreach_lerp_ "
        "_foreach_lgamma _foreach_lgamma_ _foreach_log _foreach_log10 _foreach_log10_ "
        "_foreach_log1p _foreach_log1p_ _foreach_log2 _foreach_log2_ _foreach_log_ _foreach_max "
        "_foreach_maximum _foreach_maximum_ _foreach_minimum _foreach_minimum_ _foreach_mm "
        "_foreach_mul _foreach_mul_ _foreach_neg _foreach_neg_ _foreach_norm _foreach_pow "
        "_foreach_pow_ _foreach_reciprocal _foreach_reciprocal_ _foreach_round _foreach_round_ "
        "_foreach_rsqrt _foreach_rsqrt_ _foreach_sigmoid _foreach_sigmoid_ _foreach_sign "
        "_foreach_sign_ _foreach_sin _foreach_sin_ _foreach_sinh _foreach_sinh_ _foreach_sqrt "
        "_foreach_sqrt_ _foreach_sub _foreach_sub_ _foreach_tan _foreach_tan_ _foreach_tanh "
        "_foreach_tanh_ _foreach_trunc _foreach_trunc_ _foreach_zero_"
    ),
    "_root.convolutions": "_convolution convolution",
    "_root.layers": (
        "_log_softmax_backward_data _softmax_backward_data "
        "adaptive_max_pool1d affine_grid_generator alpha_dropout_ batch_norm constant_pad_nd "
        "conv_tbc dropout_ embedding_bag feature_alpha_dropout feature_alpha_dropout_ "
        "feature_dropout feature_dropout_ grid_sampler grid_sampler_2d grid_sampler_3d "
        "instance_norm max_pool1d_with_indices native_batch_norm native_channel_shuffle "
        "native_dropout native_group_norm native_layer_norm norm_except_dim rrelu_"
    ),
    "_root.losses": (
        "binary_cross_entropy_with_logits cosine_embedding_loss ctc_loss hinge_embedding_loss "
        "kl_div margin_ranking_loss poisson_nll_loss triplet_margin_loss"
    ),
    "_root.native_module": "_C __config__ __future__ torch",
    "_root.parts_of_ops": (
        "_cast_Double _cast_Float _cast_Half _cast_Int _cast_Long _sample_dirichlet "
        "_shape_as_tensor _standard_gamma"
    ),
    "_root.quantized": "_int_mm fake_quantize_per_channel_affine fake_quantize_per_tensor_affine",
    "_root.recurrent": (
        "gru gru_cell lstm lstm_cell rnn_relu rnn_relu_cell rnn_tanh rnn_tanh_cell"
    ),
    "_root.choices": "cond is_warn_always_enabled set_warn_always while_loop",
    "_root.symbols": (
        "DeviceObjType PyTorchFileReader SymBool SymFloat SymInt TensorType sym_float sym_int "
        "sym_ite sym_max sym_min sym_not sym_sqrt sym_sum"
    ),
    "amp": "GradScaler",
    "cuda": "Stream",
    "storage": "StorageBase",
    "jit": "ScriptModule",
}

#: Names at the root of the package that PyTorch does not tell of, behind the submodule of each.
UNLISTED: Mapping[str, str] = {
    name: home for home, names in _UNLISTED.items() for name in names.split()
}

#: Names at the root of the package, each with the submodule that has it.
HOMES: Mapping[str, str] = {
    name: home for home, names in _FUNCTIONS.items() for name in names.split()
}

#: Methods of storages, behind the module that adds them.
STORAGE_METHODS: Mapping[str, str] = {
    "garboard._storages": (
        "__getitem__ __init__ __iter__ __new__ __reduce__ __repr__ __setitem__ __sizeof__ "
        "_new_shared clone copy_ cpu cuda element_size fill_ from_file is_pinned is_shared resize_ "
        "tolist untyped"
    ),
}

#: Methods of tensors, behind the module that adds them.
METHODS: Mapping[str, str] = {
    "garboard._ops.dim_orders": "dim_order",
    "garboard._ops.dlpack": "__dlpack__ __dlpack_device__",
    "garboard._ops.dtypes": "type",
    "garboard._ops.index_functions": "histogram index_reduce index_reduce_ renorm renorm_",
    "garboard._ops.real_numbers": "frexp is_same_size is_signed",
    "garboard._ops.replaced_parts": (
        "as_strided_scatter diagonal_scatter fill_diagonal_ select_scatter slice_scatter"
    ),
    "garboard._ops.resizing": "resize_ resize_as_ set_",
    "garboard._ops.special_functions": (
        "mvlgamma mvlgamma_ nextafter nextafter_ polygamma polygamma_"
    ),
    "garboard.storage": "_typed_storage storage",
    "garboard._root.copies": ("narrow_copy unsafe_chunk unsafe_split unsafe_split_with_sizes"),
    "garboard._root.counts": "nonzero_static",
    "garboard._root.methods": (
        "apply_ hardshrink is_set_to map2_ map_ new_empty_strided prelu resize resize_as "
        "storage_type"
    ),
    "garboard.fft._short_time": "istft stft",
    "garboard.linalg._older_factors": "lu lu_solve",
    "garboard.linalg._older_reflectors": "geqrf orgqr ormqr",
    "garboard.sparse._made": "sparse_mask to_dense to_sparse to_sparse_coo",
    "garboard.sparse._rows": "to_sparse_bsc to_sparse_bsr to_sparse_csc to_sparse_csr",
    "garboard.linalg._older_names": (
        "cholesky cholesky_inverse cholesky_solve det inverse logdet matrix_exp matrix_power "
        "pinverse qr slogdet svd triangular_solve"
    ),
}
