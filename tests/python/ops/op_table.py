"""Every op once: its reference in NumPy, what it is tested on, how exact it must be.

A row buys all tests of `test_ops.py`. References get floating inputs as `np.longdouble`, so that
errors can be told in units of the last place (ULP), and all else in the dtype that it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.python.ops.op_elementwise import (
    BINARY,
    MADE_OF_OTHERS,
    SMALL,
    TERNARY,
    TRANSCENDENTAL,
    UNARY,
    WIDE,
)
from tests.python.ops.op_indexing import INDEXING
from tests.python.ops.op_ordering import ORDERING
from tests.python.ops.op_products import PRODUCTS
from tests.python.ops.op_row import (
    FLOATS,
    Case,
    Row,
    index,
    named,
    real,
    reals,
    summed,
    truth,
)
from tests.python.ops.op_shapes import SHAPES
from tests.python.ops.op_special import SPECIAL
from tests.python.ops.op_vectors import VECTOR_ROWS
from tests.python.ops.op_windows import WINDOWS


def over_dims(*extra: Case) -> list[Case]:
    """Cases of a reduction: all, one dim, several, negative ones, kept ones, no dims at all."""
    return [
        Case(((3, 4),)),
        Case(((3, 4, 2),), (1,)),
        Case(((3, 4, 2),), (-1, True)),
        Case(((3, 4, 2),), ((0, 2),)),
        Case(((3, 4, 2),), named=named(dim=[2, 0], keepdim=True)),
        Case(((),)),
        Case(((),), (0,)),
        Case(((3, 1, 2),), (1,)),
        Case(((521, 5),), (0,)),
        Case(((5, 521),), (1,)),
        *extra,
    ]


EMPTY = (Case(((0,),)), Case(((0, 3),), (0,)), Case(((2, 0),), (0,)))
ONE_DIM = [case for case in over_dims() if case.arguments[:1] in ((1,), (-1,), (0,))]


def reducing(function: Callable[..., Any]) -> Callable[..., Any]:
    def reference(x: np.ndarray, dim: Any = None, keepdim: bool = False) -> Any:
        axis = tuple(dim) if isinstance(dim, tuple | list) else dim
        if x.ndim == 0:  # which has a dim 0 for PyTorch, and none for NumPy
            return function(x)
        return function(x, axis=axis, keepdims=keepdim)

    return reference


def extreme(function: Callable[..., Any], place: Callable[..., Any]) -> Callable[..., Any]:
    """Values and indices along a dim; the value alone without one."""

    def reference(x: np.ndarray, *dim: int, **more: Any) -> Any:
        values = reducing(function)(x, *dim, **more)
        return (values, reducing(place)(x, *dim, **more)) if dim else values

    return reference


KEPT = {"keepdim": True}


def kept(case: Case) -> dict[str, Any]:
    """What `var` takes by name alone: keepdim, and no correction where there is one element."""
    options = KEPT if case.arguments[1:] else {}
    is_single = case.shapes[0] in ((), (3, 1, 2))
    return options | ({"correction": 0} if is_single else {})


def spread(function: Callable[..., Any]) -> Callable[..., Any]:
    def reference(
        x: np.ndarray, dim: Any = None, keepdim: bool = False, correction: float = 1
    ) -> Any:
        along = reducing(lambda x, **more: function(x, ddof=correction, **more))
        return along(x, dim, keepdim)

    return reference


def cumsum(x: np.ndarray, dim: int) -> np.ndarray:
    kind = x.dtype if x.dtype.kind == "f" else "int64"
    return x.cumsum(dim if x.ndim else None, kind).reshape(x.shape)


def logsumexp(x: np.ndarray, dim: Any, keepdim: bool = False) -> np.ndarray:
    dims = tuple(dim) if isinstance(dim, list) else dim
    dims = dims if x.ndim else None
    largest = x.max(dims, keepdims=True) if x.size else np.zeros(())
    total = np.exp(x - largest).sum(dims, keepdims=keepdim)
    return np.log(total) + largest.reshape(total.shape if x.size else ())


REDUCTIONS = [
    Row(
        name="sum",
        reference=reducing(np.sum),
        draws=[WIDE],
        cases=over_dims(*EMPTY),
        result=summed,
        terms=600,
    ),
    Row(
        name="prod",
        reference=reducing(np.prod),
        draws=[reals(-1.4, 1.4)],
        cases=over_dims(*EMPTY),
        result=summed,
        terms=600,
    ),
    Row(
        name="mean",
        reference=reducing(np.mean),
        draws=[WIDE],
        cases=over_dims(),
        dtypes=FLOATS,
        terms=600,
    ),
    Row(
        name="var",
        reference=spread(np.var),
        draws=[SMALL],
        cases=[Case(c.shapes, c.arguments[:1], c.named | kept(c)) for c in over_dims()]
        + [Case(((5, 4),), (0,), named(correction=c)) for c in (0, 0.5, 4)],
        dtypes=FLOATS,
        terms=60,
    ),
    Row(
        name="std",
        reference=spread(np.std),
        draws=[SMALL],
        cases=[
            *(Case(((3, 4),)), Case(((3, 4, 2),), (1,)), Case(((521, 5),), (0,), KEPT)),
            Case(((3, 4, 2),), ([2, 0],), named(correction=0)),
        ],
        dtypes=FLOATS,
        terms=60,
    ),
    Row(
        name="cumsum",
        reference=cumsum,
        draws=[WIDE],
        cases=[
            *(Case(((3, 4),), (0,)), Case(((3, 4),), (1,)), Case(((3, 4, 2),), (-2,))),
            *(Case(((),), (0,)), Case(((0, 3),), (0,)), Case(((2, 0),), (0,))),
            *(Case(((521, 5),), (0,)), Case(((5, 521),), (1,)), Case(((2, 30, 600),), (1,))),
        ],
        result=summed,
        terms=600,
    ),
    Row(
        name="logsumexp",
        reference=logsumexp,
        draws=[WIDE],
        cases=[case for case in over_dims(*EMPTY) if case.arguments or case.named.get("dim")],
        result=real,
        ulps=4,
        terms=4,
    ),
    Row(name="amax", reference=reducing(np.max), draws=[WIDE], cases=over_dims()),
    Row(name="amin", reference=reducing(np.min), draws=[WIDE], cases=over_dims()),
    Row(
        name="all",
        reference=reducing(np.all),
        draws=[SMALL],
        cases=over_dims(*EMPTY),
        result=truth,
        gradient_order=0,
    ),
    Row(
        name="any",
        reference=reducing(np.any),
        draws=[SMALL],
        cases=over_dims(*EMPTY),
        result=truth,
        gradient_order=0,
    ),
    Row(name="max", reference=extreme(np.max, np.argmax), draws=[WIDE], cases=ONE_DIM),
    Row(name="min", reference=extreme(np.min, np.argmin), draws=[WIDE], cases=ONE_DIM),
    Row(
        name="argmax",
        reference=reducing(np.argmax),
        draws=[WIDE],
        cases=[Case(((3, 4),)), Case(((),)), Case(((3, 4),), named=named(keepdim=True)), *ONE_DIM],
        result=index,
        gradient_order=0,
    ),
    Row(
        name="argmin",
        reference=reducing(np.argmin),
        draws=[WIDE],
        cases=[Case(((3, 4),)), Case(((),)), Case(((3, 4),), named=named(keepdim=True)), *ONE_DIM],
        result=index,
        gradient_order=0,
    ),
]


ELEMENTWISE = [*UNARY, *TRANSCENDENTAL, *SPECIAL, *MADE_OF_OTHERS, *BINARY, *TERNARY]
COMPOSED = [*PRODUCTS, *VECTOR_ROWS, *SHAPES]
ROWS = [*ELEMENTWISE, *REDUCTIONS, *COMPOSED, *INDEXING, *ORDERING, *WINDOWS]

# Names of the engine's table that make nothing of a tensor's elements alone, and who tests them.
ELSEWHERE = {
    "test_pinned_memory.py": "is_pinned pin_memory",
    "test_creation.py": "tensor as_tensor zeros ones empty full zeros_like ones_like empty_like "
    "full_like arange eye fill_ zero_",
    "test_random.py": "rand randn rand_like randn_like randint randperm uniform_ normal_ dropout",
    "test_names_of_torch.py": "cumprod_ cumsum_ dist empty_strided fill get_device is_nonzero "
    "nan_to_num_ range scalar_tensor sum_to_size",
    "test_draws.py": "bernoulli bernoulli_ exponential_ geometric_ cauchy_ log_normal_ random_ "
    "poisson normal multinomial randint_like",
    "test_tensor.py": "allclose equal size stride dim numel element_size storage_offset data_ptr "
    "is_contiguous is_floating_point item tolist copy_ to type_as float double long int byte bool "
    "cpu cuda",
    "test_windows.py": "tril_ triu_",
    "test_contractions.py": "addmm_ addmv_ addr_ baddbmm_ addbmm_ tril_indices triu_indices",
    "test_narrow_dtypes.py": "half bfloat16 short char",
    "test_even_steps.py": "linspace logspace new_zeros new_ones new_empty new_full new_tensor",
    "test_scaled_products.py": "addcmul_ addcdiv_",
    "test_formulas.py": "isposinf isneginf positive rsub",
    "test_exchange.py": "from_numpy numpy",
    "test_indexing_in_place.py": "scatter_ scatter_add_ scatter_reduce_ index_add_ index_copy_ "
    "index_fill_ index_put_ put_ masked_fill_ masked_scatter_",
    "test_autograd.py": "requires_grad_ backward register_hook",
    "test_complex.py": "angle complex conj_physical conj_physical_ imag polar sgn sgn_ "
    "view_as_complex view_as_real",
    "test_special.py": "bessel_y0 bessel_y1",
    "test_graph_tools.py": "is_inference retain_grad register_post_accumulate_grad_hook",
}
