"""PyTorch's and NumPy's names that are not here, and what to use instead: data for `_missing`.

A row is an advice and the names it is for; an empty advice is for what nothing here stands in for.
A test checks that none of the names exists here, and that what an advice calls does.
"""

from __future__ import annotations

__all__ = ["ADVICE", "NUMPYS"]

_Rows = tuple[tuple[str, str], ...]

# Both functions and methods.
_OPS: _Rows = ()

_FUNCTIONS: _Rows = (
    ("", "nested"),
    ("use gb.tensor(data)", "array"),
    ("use gb.unsqueeze(x, dim)", "expand_dims"),
    ("use gb.take_along_dim(x, indices, dim)", "take_along_axis"),
    ("use gb.repeat_interleave(x, repeats)", "repeat"),
    ("use gb.rand(*sizes)", "random_sample"),
    ("use gb.Tensor", "ndarray"),
    ("use gb.linalg.solve(a, b)", "solve"),
    ("use gb.linalg.lstsq(a, b)", "lstsq"),
    ("use gb.linalg.eigh(a)", "symeig"),
    ("use gb.linalg.eig(a)", "eig"),
    ("use gb.linalg.matrix_rank(a)", "matrix_rank"),
    (
        "use x.untyped_storage()",
        "BFloat16Storage BoolStorage ByteStorage CharStorage DoubleStorage FloatStorage "
        "HalfStorage IntStorage LongStorage ShortStorage",
    ),
    ("use gb.cuda.Event()", "Event"),
    ("", "ComplexFloatStorage ComplexDoubleStorage"),
    (
        "",
        "hspmm hsmm smm sspaddmm saddmm",
    ),
    (
        "",
        "quint2x4 qscheme per_tensor_affine per_channel_affine "
        "per_tensor_symmetric per_channel_symmetric quantize_per_tensor quantize_per_channel "
        "quantize_per_tensor_dynamic dequantize",
    ),
    ("use gb.jit", "fork wait"),
    ("", "monitor package"),
)

_METHODS: _Rows = (
    ("use x.to(dtype)", "astype"),
    ("use x.clone()", "copy"),
    ("use x.flatten()", "flat"),
    ("use bytes(x.numpy())", "tobytes"),
    ("use x.amax() - x.amin()", "ptp"),
    ("use gb.linalg.eigh(x)", "symeig"),
    ("use gb.linalg.eig(x)", "eig"),
    ("use gb.linalg.solve(x, b)", "solve"),
    ("use gb.linalg.lstsq(x, b)", "lstsq"),
    ("", "smm sspaddmm reinforce"),
    ("use gb.nn.functional.gelu(x)", "gelu"),
    ("give tensors to processes as arguments: they are copied", "share_memory_"),
    ("", "to_mkldnn"),
    ("", "coalesce is_coalesced indices values sparse_dim dense_dim row_indices"),
    ("", "col_indices crow_indices ccol_indices sparse_resize_ sparse_resize_and_clear_"),
    ("", "dequantize int_repr q_scale q_zero_point qscheme q_per_channel_scales"),
    ("", "chalf xpu ipu mtia to_padded_tensor"),
    ("names of dims are not kept", "align_as align_to names refine_names rename rename_"),
)


_NN: _Rows = (
    ("use gb.nn.Module", "Container"),
    ("", "quantized quantizable qat intrinsic"),
)

_DISTRIBUTED: _Rows = (
    (
        "there is one process a program, so leave it out",
        "P2POp all_gather_coalesced all_reduce_coalesced batch_isend_irecv elastic "
        "get_local_rank init_device_mesh launch pipelining recv_object_list send_object_list "
        "split_group",
    ),
)

_JIT: _Rows = (
    ("use gb.save(model.state_dict(), path) and gb.load(path)", "load save"),
    ("", "Attribute ScriptWarning"),
)

_HUB: _Rows = (("nothing is downloaded, so leave it out", "help list"),)

_MODULE: _Rows = (
    ("memory of one process is not shared with others, so leave it out", "share_memory"),
    ("", "ipu xpu"),
)

_ONNX: _Rows = (
    (
        "save the state_dict(), and export the model in PyTorch",
        "export dynamo_export ExportOptions ONNXProgram OnnxExporterError OperatorExportTypes "
        "TrainingMode select_model_mode_for_export symbolic_opset10 ops utils",
    ),
)

_FX: _Rows = (("use gb.fx.wrap for what builds objects of proxies", "ProxyableClassMeta"),)

_DATA: _Rows = (("", "functional_datapipe"),)

_CUDA: _Rows = (
    ("use gb.cuda.snapshot()", "memory_snapshot"),
    ("use gb.DeviceError", "AcceleratorError CudaError DeferredCudaCallError cudaStatus"),
    ("streams are made here: use gb.cuda.Stream()", "ExternalStream get_stream_from_external"),
    (
        "ops run as they are called, so leave it out",
        "export_dot export_graph_data graph_annotations",
    ),
    (
        "there is one allocator a device: use gb.memory",
        "CUDAPluggableAllocator MemPool caching_allocator_alloc caching_allocator_delete "
        "caching_allocator_disabled caching_allocator_enable change_current_allocator "
        "get_allocator_backend use_mem_pool",
    ),
    (
        "it counts as foreign memory: use gb.memory.memory_stats()",
        "host_memory_stats host_memory_stats_as_nested_dict reset_accumulated_host_memory_stats "
        "reset_peak_host_memory_stats",
    ),
    ("use gb.profiler", "profiler"),
    (
        "use x.storage()",
        "BFloat16Storage BoolStorage ByteStorage CharStorage ComplexDoubleStorage "
        "ComplexFloatStorage DoubleStorage FloatStorage HalfStorage IntStorage LongStorage "
        "ShortStorage",
    ),
    (
        "",
        "GreenContext check_error cudart current_blas_handle current_solver_handle gds "
        "green_contexts jiterator nccl sparse tunable",
    ),
)

_AUTOGRAD: _Rows = (("use gb.autograd.functional", "jacobian hessian jvp vjp hvp vhp"),)


def _by_name(*tables: _Rows) -> dict[str, str]:
    return {name: advice for table in tables for advice, names in table for name in names.split()}


NUMPYS = frozenset(
    {
        *("array", "astype", "copy", "expand_dims", "flat", "ndarray", "ptp"),
        *("random_sample", "repeat", "take_along_axis", "tobytes"),
    }
)

# By where a name is looked for: a module, or the type in garboard's `Tensor` and nn's `Module`.
ADVICE = {
    "garboard": _by_name(_OPS, _FUNCTIONS),
    "garboard.Tensor": _by_name(_OPS, _METHODS),
    "garboard.distributed": _by_name(_DISTRIBUTED),
    "garboard.hub": _by_name(_HUB),
    "garboard.jit": _by_name(_JIT),
    "garboard.nn": _by_name(_NN),
    "garboard.nn.Module": _by_name(_MODULE),
    "garboard.fx": _by_name(_FX),
    "garboard.onnx": _by_name(_ONNX),
    "garboard.utils": {
        "bottleneck": "use gb.profiler",
    },
    "garboard.utils._python_dispatch": _by_name(
        (
            (
                "use gb.overrides.TorchFunctionMode, which is given the calls of ops",
                "TorchDispatchMode",
            ),
        )
    ),
    "garboard.overrides": _by_name((("", "resolve_name"),)),
    "garboard.serialization": _by_name(
        (("use gb.load(path, map_location=...)", "default_restore_location register_package"),)
    ),
    "garboard.utils.data": _by_name(_DATA),
    "garboard.cuda": _by_name(_CUDA),
    "garboard.autograd": _by_name(_AUTOGRAD),
}
