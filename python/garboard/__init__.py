"""A tensor engine whose memory you can see, bound and test.

What is made inside a `dispose_scope` ends with it; what nobody disposes ends with its last
reference; what outlives the code that made it is named by `garboard.leaks`.
"""

from math import e, inf, nan, pi
from sys import meta_path as _meta_path
from typing import TYPE_CHECKING

from garboard import _interpreter

# Before the extension loads: it could not refuse in time.
_interpreter.refuse_untested()
_interpreter.refuse_subinterpreters()

_interpreter.mark_library_frames()

from garboard._contexts.autocast import (  # noqa: E402
    autocast,
    clear_autocast_cache,
    get_autocast_dtype,
    is_autocast_available,
    is_autocast_enabled,
)
from garboard._contexts.fusing import compile, fuse  # noqa: E402
from garboard._contexts.generator import (  # noqa: E402
    Generator,
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from garboard._contexts.grad_mode import (  # noqa: E402
    enable_grad,
    inference_mode,
    no_grad,
    set_grad_enabled,
)
from garboard._engine import *  # noqa: E402, F403
from garboard._engine import (  # noqa: E402
    DeviceError,
    DisposedError,
    DisposeScope,
    DTypeError,
    GarboardError,
    GradientError,
    IndexOutOfRangeError,
    IndexTypeError,
    LinAlgError,
    OpenScopeWarning,
    OutOfMemoryError,
    ScopeLimitError,
    ShapeError,
    Tensor,
    ValuesAndIndices,
    VersionError,
    current_dispose_scope,
    device,
    dispose_scope_statistics,
    dtype,
    get_default_dtype,
    get_num_threads,
    is_grad_enabled,
    is_inference_mode_enabled,
    promote_types,
    result_type,
    set_default_dtype,
    set_num_threads,
)
from garboard._engine import Storage as _Storage  # noqa: E402
from garboard._engine import _fft_c2c as _fft_c2c  # noqa: E402
from garboard._engine import _fft_c2r as _fft_c2r  # noqa: E402
from garboard._engine import _fft_r2c as _fft_r2c  # noqa: E402
from garboard._engine import _Size as Size  # noqa: E402
from garboard._names.homes import (  # noqa: E402
    HOMES,
    METHODS,
    STORAGE_METHODS,
    SUBMODULES,
    UNLISTED,
)
from garboard._names.libraries import ToldLibraries  # noqa: E402
from garboard._names.missing import (  # noqa: E402
    MissingModules,
    add_missing_names,
    module_getattr,
)
from garboard._names.versions import Version  # noqa: E402
from garboard._native import add_methods_later  # noqa: E402
from garboard._ops import exchange as _exchange  # noqa: E402, F401
from garboard._ops import functions as _functions  # noqa: E402
from garboard._ops import handles as _handles  # noqa: E402, F401
from garboard._ops import numpy_functions as _numpy_functions  # noqa: E402, F401
from garboard._ops import traits as _traits  # noqa: E402, F401
from garboard._ops import transfers as _transfers  # noqa: E402, F401
from garboard._ops.complex_numbers import (  # noqa: E402
    conj,
    is_complex,
    is_conj,
    isreal,
    real,
    resolve_conj,
    resolve_neg,
)
from garboard._ops.functions import (  # noqa: E402
    aminmax,
    asarray,
    broadcast_shapes,
    empty_permuted,
    frombuffer,
    is_tensor,
    isin,
)
from garboard._ops.functions import (  # type: ignore[no-redef]  # noqa: E402
    meshgrid as meshgrid,
)
from garboard._ops.mapped_files import from_file  # noqa: E402
from garboard._printing import get_printoptions, set_printoptions  # noqa: E402
from garboard._scopes import dispose_scope  # noqa: E402
from garboard._shown import displays as _displays  # noqa: E402, F401
from garboard._shown import notebook as _notebook  # noqa: E402, F401

add_methods_later(Tensor, METHODS)
add_methods_later(_Storage, STORAGE_METHODS)
add_missing_names(Tensor, "Tensor")
_meta_path.insert(0, ToldLibraries)  # before who would find the module, and leave it as it is
_meta_path.append(MissingModules)

__version__: str = Version("0.1.0")

newaxis = None
"""A new dim of size 1 between the brackets of `x[...]`."""

if TYPE_CHECKING:
    import builtins as _builtins
    from collections.abc import Callable

    from garboard import _dynamo as _dynamo
    from garboard import _functorch as _functorch
    from garboard import _guards as _guards
    from garboard import _higher_order_ops as _higher_order_ops
    from garboard import _inductor as _inductor
    from garboard import _jit_internal as _jit_internal
    from garboard import _settings
    from garboard import _subclasses as _subclasses
    from garboard import _tensor as _tensor
    from garboard import _tensor_str as _tensor_str
    from garboard import _utils as _utils
    from garboard import _vmap_internals as _vmap_internals
    from garboard import accelerator as accelerator
    from garboard import amp as amp
    from garboard import ao as ao
    from garboard import autograd as autograd
    from garboard import backends as backends
    from garboard import compiler as compiler
    from garboard import cpu as cpu
    from garboard import cuda as cuda
    from garboard import distributed as distributed
    from garboard import distributions as distributions
    from garboard import export as export
    from garboard import fft as fft
    from garboard import foreach as foreach
    from garboard import func as func
    from garboard import functional as functional
    from garboard import futures as futures
    from garboard import fx as fx
    from garboard import hub as hub
    from garboard import io as io
    from garboard import jit as jit
    from garboard import jupyter as jupyter
    from garboard import leaks as leaks
    from garboard import library as library
    from garboard import linalg as linalg
    from garboard import masked as masked
    from garboard import memory as memory
    from garboard import mps as mps
    from garboard import mtia as mtia
    from garboard import multiprocessing as multiprocessing
    from garboard import nn as nn
    from garboard import onnx as onnx
    from garboard import ops as ops
    from garboard import optim as optim
    from garboard import overrides as overrides
    from garboard import profiler as profiler
    from garboard import pytest_plugin as pytest_plugin
    from garboard import quantization as quantization
    from garboard import quasirandom as quasirandom
    from garboard import random as random
    from garboard import return_types as return_types
    from garboard import serialization as serialization
    from garboard import signal as signal
    from garboard import sparse as sparse
    from garboard import special as special
    from garboard import storage as storage
    from garboard import testing as testing
    from garboard import torch_version as torch_version
    from garboard import types as types
    from garboard import utils as utils
    from garboard import version as version
    from garboard import xpu as xpu
    from garboard._arguments.layouts import channels_last as channels_last
    from garboard._arguments.layouts import channels_last_3d as channels_last_3d
    from garboard._arguments.layouts import contiguous_format as contiguous_format
    from garboard._arguments.layouts import layout as layout
    from garboard._arguments.layouts import legacy_contiguous_format as legacy_contiguous_format
    from garboard._arguments.layouts import memory_format as memory_format
    from garboard._arguments.layouts import preserve_format as preserve_format
    from garboard._arguments.layouts import sparse_bsc as sparse_bsc
    from garboard._arguments.layouts import sparse_bsr as sparse_bsr
    from garboard._arguments.layouts import sparse_coo as sparse_coo
    from garboard._arguments.layouts import sparse_csc as sparse_csc
    from garboard._arguments.layouts import sparse_csr as sparse_csr
    from garboard._arguments.layouts import strided as strided
    from garboard._arguments.other_dtypes import chalf as chalf
    from garboard._arguments.other_dtypes import complex32 as complex32
    from garboard._arguments.other_dtypes import float4_e2m1fn_x2 as float4_e2m1fn_x2
    from garboard._arguments.other_dtypes import float8_e4m3fn as float8_e4m3fn
    from garboard._arguments.other_dtypes import float8_e4m3fnuz as float8_e4m3fnuz
    from garboard._arguments.other_dtypes import float8_e5m2 as float8_e5m2
    from garboard._arguments.other_dtypes import float8_e5m2fnuz as float8_e5m2fnuz
    from garboard._arguments.other_dtypes import float8_e8m0fnu as float8_e8m0fnu
    from garboard._arguments.other_dtypes import qint8 as qint8
    from garboard._arguments.other_dtypes import qint32 as qint32
    from garboard._arguments.other_dtypes import quint4x2 as quint4x2
    from garboard._arguments.other_dtypes import quint8 as quint8
    from garboard._arguments.other_dtypes import uint16 as uint16
    from garboard._arguments.other_dtypes import uint32 as uint32
    from garboard._arguments.other_dtypes import uint64 as uint64
    from garboard._ops.contractions import einsum as einsum
    from garboard._ops.contractions import tensordot as tensordot
    from garboard._ops.differences import gradient as gradient
    from garboard._ops.distances import cdist as cdist
    from garboard._ops.distances import pdist as pdist
    from garboard._ops.dlpack import from_dlpack as from_dlpack
    from garboard._ops.dlpack import to_dlpack as to_dlpack
    from garboard._ops.dtypes import can_cast as can_cast
    from garboard._ops.dtypes import finfo as finfo
    from garboard._ops.dtypes import iinfo as iinfo
    from garboard._ops.index_functions import histogram as histogram
    from garboard._ops.index_functions import histogramdd as histogramdd
    from garboard._ops.index_functions import index_reduce as index_reduce
    from garboard._ops.index_functions import renorm as renorm
    from garboard._ops.index_functions import unravel_index as unravel_index
    from garboard._ops.real_numbers import frexp as frexp
    from garboard._ops.real_numbers import is_same_size as is_same_size
    from garboard._ops.real_numbers import is_signed as is_signed
    from garboard._ops.replaced_parts import as_strided_scatter as as_strided_scatter
    from garboard._ops.replaced_parts import diagonal_scatter as diagonal_scatter
    from garboard._ops.replaced_parts import select_scatter as select_scatter
    from garboard._ops.replaced_parts import slice_scatter as slice_scatter
    from garboard._ops.special_functions import mvlgamma as mvlgamma
    from garboard._ops.special_functions import nextafter as nextafter
    from garboard._ops.special_functions import polygamma as polygamma
    from garboard._ops.traits import is_neg as is_neg
    from garboard._ops.typed_tensors import BFloat16Tensor as BFloat16Tensor
    from garboard._ops.typed_tensors import BoolTensor as BoolTensor
    from garboard._ops.typed_tensors import ByteTensor as ByteTensor
    from garboard._ops.typed_tensors import CharTensor as CharTensor
    from garboard._ops.typed_tensors import DoubleTensor as DoubleTensor
    from garboard._ops.typed_tensors import FloatTensor as FloatTensor
    from garboard._ops.typed_tensors import HalfTensor as HalfTensor
    from garboard._ops.typed_tensors import IntTensor as IntTensor
    from garboard._ops.typed_tensors import LongTensor as LongTensor
    from garboard._ops.typed_tensors import ShortTensor as ShortTensor
    from garboard._ops.vectors import combinations as combinations
    from garboard._ops.vectors import cumulative_trapezoid as cumulative_trapezoid
    from garboard._ops.vectors import trapezoid as trapezoid
    from garboard._ops.vectors import trapz as trapz
    from garboard._ops.vectors import vander as vander
    from garboard._ops.window_functions import bartlett_window as bartlett_window
    from garboard._ops.window_functions import blackman_window as blackman_window
    from garboard._ops.window_functions import hamming_window as hamming_window
    from garboard._ops.window_functions import hann_window as hann_window
    from garboard._ops.window_functions import kaiser_window as kaiser_window
    from garboard._root.asking import *  # noqa: F403
    from garboard._root.asking import is_storage as is_storage
    from garboard._root.asking import typename as typename
    from garboard._root.autocasting import *  # noqa: F403
    from garboard._root.convolutions import *  # noqa: F403
    from garboard._root.copies import *  # noqa: F403
    from garboard._root.counts import *  # noqa: F403
    from garboard._root.layers import *  # noqa: F403
    from garboard._root.losses import *  # noqa: F403
    from garboard._root.parts_of_ops import *  # noqa: F403
    from garboard._root.quantized import *  # noqa: F403
    from garboard._root.recurrent import *  # noqa: F403
    from garboard._settings import (
        are_deterministic_algorithms_enabled as are_deterministic_algorithms_enabled,
    )
    from garboard._settings import get_default_device as get_default_device
    from garboard._settings import get_deterministic_debug_mode as get_deterministic_debug_mode
    from garboard._settings import get_device_module as get_device_module
    from garboard._settings import get_float32_matmul_precision as get_float32_matmul_precision
    from garboard._settings import get_num_interop_threads as get_num_interop_threads
    from garboard._settings import set_default_device as set_default_device
    from garboard._settings import set_default_tensor_type as set_default_tensor_type
    from garboard._settings import set_deterministic_debug_mode as set_deterministic_debug_mode
    from garboard._settings import set_float32_matmul_precision as set_float32_matmul_precision
    from garboard._settings import set_flush_denormal as set_flush_denormal
    from garboard._settings import set_num_interop_threads as set_num_interop_threads
    from garboard._settings import use_deterministic_algorithms as use_deterministic_algorithms
    from garboard.amp import GradScaler as GradScaler
    from garboard.fft._short_time import istft as istft
    from garboard.fft._short_time import stft as stft
    from garboard.func import vmap as vmap
    from garboard.futures import Future as Future
    from garboard.io import load as load
    from garboard.io import save as save
    from garboard.jupyter import load_ipython_extension as load_ipython_extension
    from garboard.jupyter import unload_ipython_extension as unload_ipython_extension
    from garboard.library._tags import Tag as Tag
    from garboard.linalg._low_rank import lobpcg as lobpcg
    from garboard.linalg._low_rank import pca_lowrank as pca_lowrank
    from garboard.linalg._low_rank import svd_lowrank as svd_lowrank
    from garboard.linalg._older_factors import lu as lu
    from garboard.linalg._older_factors import lu_solve as lu_solve
    from garboard.linalg._older_factors import lu_unpack as lu_unpack
    from garboard.linalg._older_names import chain_matmul as chain_matmul
    from garboard.linalg._older_names import cholesky as cholesky
    from garboard.linalg._older_names import cholesky_inverse as cholesky_inverse
    from garboard.linalg._older_names import cholesky_solve as cholesky_solve
    from garboard.linalg._older_names import det as det
    from garboard.linalg._older_names import inverse as inverse
    from garboard.linalg._older_names import logdet as logdet
    from garboard.linalg._older_names import matrix_exp as matrix_exp
    from garboard.linalg._older_names import matrix_power as matrix_power
    from garboard.linalg._older_names import pinverse as pinverse
    from garboard.linalg._older_names import qr as qr
    from garboard.linalg._older_names import slogdet as slogdet
    from garboard.linalg._older_names import svd as svd
    from garboard.linalg._older_names import triangular_solve as triangular_solve
    from garboard.linalg._older_reflectors import geqrf as geqrf
    from garboard.linalg._older_reflectors import orgqr as orgqr
    from garboard.linalg._older_reflectors import ormqr as ormqr
    from garboard.nn._root_functions import *  # noqa: F403
    from garboard.sparse import sparse_bsc_tensor as sparse_bsc_tensor
    from garboard.sparse import sparse_bsr_tensor as sparse_bsr_tensor
    from garboard.sparse import sparse_compressed_tensor as sparse_compressed_tensor
    from garboard.sparse import sparse_coo_tensor as sparse_coo_tensor
    from garboard.sparse import sparse_csc_tensor as sparse_csc_tensor
    from garboard.sparse import sparse_csr_tensor as sparse_csr_tensor
    from garboard.sparse import spmm as spmm
    from garboard.sparse._functions import dsmm as dsmm
    from garboard.storage import TypedStorage as TypedStorage
    from garboard.storage import UntypedStorage as UntypedStorage

    is_deterministic_algorithms_warn_only_enabled: Callable[[], _builtins.bool] = (
        _settings.is_deterministic_algorithms_warn_only_enabled
    )
else:
    __getattr__ = module_getattr(__name__, SUBMODULES, {**HOMES, **UNLISTED})

__all__ = [
    "DTypeError",
    "DeviceError",
    "DisposeScope",
    "DisposedError",
    "GarboardError",
    "Generator",
    "GradientError",
    "IndexOutOfRangeError",
    "IndexTypeError",
    "LinAlgError",
    "OpenScopeWarning",
    "OutOfMemoryError",
    "ScopeLimitError",
    "ShapeError",
    "Tensor",
    "ValuesAndIndices",
    "VersionError",
    "Size",
    "aminmax",
    "asarray",
    "autocast",
    "broadcast_shapes",
    "clear_autocast_cache",
    "compile",
    "conj",
    "current_dispose_scope",
    "default_generator",
    "device",
    "dispose_scope",
    "dispose_scope_statistics",
    "dtype",
    "e",
    "empty_permuted",
    "enable_grad",
    "from_file",
    "frombuffer",
    "fuse",
    "get_autocast_dtype",
    "get_default_dtype",
    "get_num_threads",
    "get_printoptions",
    "get_rng_state",
    "inf",
    "inference_mode",
    "initial_seed",
    "is_autocast_available",
    "is_autocast_enabled",
    "is_complex",
    "is_conj",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "is_tensor",
    "isin",
    "isreal",
    "manual_seed",
    "nan",
    "newaxis",
    "no_grad",
    "pi",
    "promote_types",
    "real",
    "resolve_conj",
    "resolve_neg",
    "result_type",
    "seed",
    "set_default_dtype",
    "set_grad_enabled",
    "set_num_threads",
    "set_printoptions",
    "set_rng_state",
    *_functions.OPS,
    *_functions.DTYPES,
    *HOMES,
]


def __dir__() -> list[str]:
    return sorted({*__all__, *SUBMODULES})


def _publish_if_asked() -> None:
    import os

    if os.environ.get("GARBOARD_PUBLISH", "") not in ("", "0"):
        from garboard._top._publisher import start

        start()


_publish_if_asked()
