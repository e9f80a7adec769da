"""Parametrizations that many networks use: norms and directions, spectral norms, rotations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeVar

from garboard._arguments import check
from garboard._arguments.errors import ArgumentError, ChoiceError
from garboard._arguments.texts import shown
from garboard._contexts.grad_mode import no_grad
from garboard._engine import ShapeError, Tensor, cat, empty, eye, where, zeros, zeros_like
from garboard.linalg import matrix_exp, qr, solve
from garboard.nn._convolutions.transposed_convolution import (
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
)
from garboard.nn.module import Module
from garboard.nn.utils._norms import direction_norm, power_steps, refuse_lazy, spectral_matrix
from garboard.nn.utils.parametrize import register_parametrization

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]

_M = TypeVar("_M", bound=Module)
_Map = Literal["matrix_exp", "cayley", "householder"]


def _tensor_of(op: str, module: Module, name: str) -> Tensor:
    check.of_type(Module, op, "module", module)
    found = getattr(module, check.text(op, "name", name), None)
    if not isinstance(found, Tensor):
        raise ValueError(
            f"{op}: {type(module).__name__} has no parameter or buffer {shown(name)}; one is needed"
        )
    return found


class _WeightNorm(Module):
    def __init__(self, dim: int | None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, norm: Tensor, direction: Tensor) -> Tensor:
        return direction * (norm / direction_norm(direction, self.dim))

    if TYPE_CHECKING:

        def __call__(self, norm: Tensor, direction: Tensor) -> Tensor: ...

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        return direction_norm(weight, self.dim), weight


def weight_norm(module: _M, name: str = "weight", dim: int | None = 0) -> _M:
    """Learn the norm of a weight apart from its direction: w = g v / |v|.

    Salimans and Kingma, arXiv:1602.07868. `g` is `module.parametrizations.name.original0`, `v`
    `original1`; state dicts of `nn.utils.weight_norm`, which has other names for them, are loaded.

    Args:
        module: Whose weight it is.
        name: The weight's name.
        dim: Each slice along it has a norm of its own; None for one of all.

    Returns:
        `module`.

    Raises:
        ValueError: There is no such tensor, or it has no sizes yet.
        IndexOutOfRangeError: `dim` lies outside.
        TypeError: An argument of a wrong type.

    >>> layer = gb.nn.utils.parametrizations.weight_norm(gb.nn.Linear(20, 40))
    >>> layer.get_parameter("parametrizations.weight.original0").shape
    (40, 1)
    """
    op = "weight_norm"
    weight = _tensor_of(op, module, name)
    kept = check.dim(op, "dim", dim)
    refuse_lazy(op, module, name, weight)
    direction_norm(weight.detach(), kept)  # refuses a dim that is not there
    register_parametrization(module, name, _WeightNorm(kept), unsafe=True)
    module._register_load_state_dict_pre_hook(_RenamesOlder(name))
    return module


class _RenamesOlder:
    """Lets a module load what `nn.utils.weight_norm` called "weight_g" and "weight_v"."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, state: dict[str, Any], prefix: str, *_: object) -> None:
        for place, letter in enumerate("gv"):
            older = f"{prefix}{self.name}_{letter}"
            if older in state:
                newer = f"{prefix}parametrizations.{self.name}.original{place}"
                state[newer] = state.pop(older)


class _SpectralNorm(Module):
    _u: Tensor
    _v: Tensor

    def __init__(self, weight: Tensor, n_power_iterations: int, dim: int, eps: float) -> None:
        super().__init__()
        self.dim, self.eps, self.n_power_iterations = dim, eps, n_power_iterations
        if weight.ndim > 1:
            with no_grad():
                matrix = spectral_matrix(weight.detach(), dim)
                for name, size in zip(("_u", "_v"), matrix.shape, strict=True):
                    drawn = empty(size, dtype=weight.dtype, device=weight.device).normal_()
                    self.register_buffer(name, drawn / drawn.norm().clamp(min=eps))
                self._u, self._v = power_steps(matrix, self._u, self._v, 15, eps)

    def forward(self, weight: Tensor) -> Tensor:
        if weight.ndim == 1:
            return weight / weight.norm().clamp(min=self.eps)
        matrix = spectral_matrix(weight, self.dim)
        if self.training:
            with no_grad():
                u, v = power_steps(
                    matrix.detach(), self._u, self._v, self.n_power_iterations, self.eps
                )
                self._u.copy_(u)
                self._v.copy_(v)
        u, v = self._u.clone(), self._v.clone()  # what backward reads, a later call does not change
        return weight / u.vdot(matrix @ v)

    if TYPE_CHECKING:

        def __call__(self, weight: Tensor) -> Tensor: ...

    def right_inverse(self, value: Tensor) -> Tensor:
        return value


def spectral_norm(
    module: _M,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> _M:
    """Divide a weight by its largest singular value, which steps of the power method follow.

    Miyato et al., "Spectral normalization for generative adversarial networks", arXiv:1802.05957. A
    step is made whenever the weight is read while the module trains.

    Args:
        module: Whose weight it is.
        name: The weight's name.
        n_power_iterations: How many steps are made at each reading.
        eps: What norms are no smaller than.
        dim: The weight's dim of outputs; 0 by default, 1 of a transposed convolution.

    Returns:
        `module`.

    Raises:
        ValueError: There is no such tensor, or a number lies outside.
        TypeError: An argument of a wrong type.

    >>> _ = gb.manual_seed(0)
    >>> layer = gb.nn.utils.parametrizations.spectral_norm(gb.nn.Linear(20, 40))
    >>> largest = gb.linalg.matrix_norm(layer.weight.detach(), 2)
    >>> bool((largest - 1).abs() < 0.1)
    True
    """
    op = "spectral_norm"
    weight = _tensor_of(op, module, name)
    steps = check.count(op, "n_power_iterations", n_power_iterations, 1)
    least = check.rate(op, "eps", eps)
    if dim is None:
        kinds = (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)
        dim = 1 if isinstance(module, kinds) else 0
    made = _SpectralNorm(weight, steps, check.integer(op, "dim", dim), least)
    return register_parametrization(module, name, made)


class _Orthogonal(Module):
    base: Tensor

    def __init__(self, weight: Tensor, orthogonal_map: _Map, has_base: bool) -> None:
        super().__init__()
        self.sizes = weight.shape
        self.orthogonal_map: _Map = orthogonal_map
        self.has_base = has_base
        if has_base:
            self.register_buffer("base", None)

    def forward(self, x: Tensor) -> Tensor:
        is_wide = x.shape[-2] < x.shape[-1]
        if is_wide:
            x = x.mT
        rows, columns = x.shape[-2:]
        if self.orthogonal_map == "householder":
            made = _reflected(x.tril(-1)) * x.detach().diagonal(0, -2, -1).unsqueeze(-2)
        else:
            lower = x.tril()
            if rows != columns:
                nothing = zeros(*x.shape[:-1], rows - columns, dtype=x.dtype, device=x.device)
                lower = cat((lower, nothing), -1)
            skew = lower - lower.mH  # complex ones make a unitary matrix of it
            if self.orthogonal_map == "matrix_exp":
                made = matrix_exp(skew)
            else:
                one = eye(rows, dtype=x.dtype, device=x.device).expand(skew.shape)
                made = solve(one - skew * 0.5, one + skew * 0.5)
            made = made.narrow(-1, 0, columns)
        if self.has_base:
            made = self.base @ made
        return made.mT if is_wide else made

    if TYPE_CHECKING:

        def __call__(self, x: Tensor) -> Tensor: ...

    def right_inverse(self, value: Tensor) -> Tensor:
        if value.shape != self.sizes:
            raise ShapeError(f"orthogonal: sizes {value.shape}; {self.sizes} are needed")
        is_wide = value.shape[-2] < value.shape[-1]
        given = value.mT if is_wide else value
        if not self.has_base:
            if self.orthogonal_map != "householder":
                raise ChoiceError(
                    f"orthogonal: {shown(self.orthogonal_map)} without use_trivialization cannot "
                    "be assigned to; leave use_trivialization=True"
                )
            packed = _packed_reflections(given)
            return packed.mT if is_wide else packed
        rows, columns = given.shape[-2:]
        if rows == columns and _is_orthogonal(given):
            self.base = given.clone()
        else:
            more = zeros(*given.shape[:-1], rows - columns, dtype=given.dtype, device=given.device)
            self.base = _made_orthogonal(cat((given, more.normal_()), -1))
        negative = zeros_like(value)
        negative.diagonal(0, -2, -1).fill_(-1.0)
        return negative


def _reflected(vectors: Tensor) -> Tensor:
    """The first columns of the product of the reflections along columns with ones on top."""
    rows, columns = vectors.shape[-2:]
    one = eye(rows, columns, dtype=vectors.dtype, device=vectors.device)
    vectors = vectors + one
    made = one.expand(vectors.shape)
    for place in reversed(range(columns)):
        vector = vectors.narrow(-1, place, 1)
        share = 2.0 / (vector * vector).sum(-2, keepdim=True)
        made = made - share * vector * (vector.mT @ made)
    return made


def _packed_reflections(given: Tensor) -> Tensor:
    """What `_reflected` makes a matrix orthogonal like `given` from, below a diagonal of signs."""
    rest = given.clone()
    rows, columns = rest.shape[-2:]
    packed = zeros_like(rest)
    for place in range(columns):
        column = rest.narrow(-1, place, 1).narrow(-2, place, rows - place)
        first = column.narrow(-2, 0, 1)
        length = (column * column).sum(-2, keepdim=True).sqrt()
        end = -length * (2.0 * (first >= 0) - 1.0)
        vector = column.clone()
        vector.narrow(-2, 0, 1).sub_(end)
        head = vector.narrow(-2, 0, 1)
        is_there = head != 0
        vector = vector / where(is_there, head, 1.0)
        packed.narrow(-1, place, 1).narrow(-2, place, rows - place).copy_(vector)
        # The diagonal says which way the column went.
        packed.narrow(-1, place, 1).narrow(-2, place, 1).copy_(2.0 * (end > 0) - 1.0)
        share = 2.0 / (vector * vector).sum(-2, keepdim=True).clamp(min=1e-30)
        below = rest.narrow(-2, place, rows - place)
        below.sub_(share * vector * (vector.mT @ below))
    return packed


def _made_orthogonal(given: Tensor) -> Tensor:
    """The nearest in a sense: Q of a QR factorization whose R has a positive diagonal."""
    factors = qr(given, "complete")
    diagonal = factors.R.diagonal(0, -2, -1)
    signs = where(diagonal == 0, 1.0, diagonal.sgn())
    return factors.Q * signs.to(given.dtype).unsqueeze(-2)


def _is_orthogonal(given: Tensor) -> bool:
    columns = given.shape[-1]
    one = eye(columns, dtype=given.dtype, device=given.device)
    apart = (given.mH @ given - one).abs()
    return bool((apart < (1e-10 if apart.element_size() == 8 else 1e-4)).all())


def orthogonal(
    module: _M,
    name: str = "weight",
    orthogonal_map: _Map | None = None,
    *,
    use_trivialization: bool = True,
) -> _M:
    """Keep a weight orthogonal: the columns, or the rows where those are fewer, of a rotation.

    A complex weight is kept unitary.

    Lezcano-Casado and Martinez-Rubio, "Cheap orthogonal constraints in neural networks",
    arXiv:1901.08428.

    Args:
        module: Whose weight it is.
        name: The weight's name; of two dims or more, each matrix of the last two is orthogonal.
        orthogonal_map: How it is made of what is learned: "matrix_exp" of a skew-symmetric matrix,
            its "cayley" map, or a product of "householder" reflections, of real ones. By default
            the first where the matrices are square or complex, else the last.
        use_trivialization: Multiply by the weight as it was last assigned, made orthogonal. Without
            it a weight made by another map than "householder" cannot be assigned, and starts as
            what the map makes of it.

    Returns:
        `module`.

    Raises:
        ValueError: There is no such tensor, or no such map, or "householder" of complex ones.
        ShapeError: The tensor has fewer than two dims.
        TypeError: An argument of a wrong type.

    >>> layer = gb.nn.utils.parametrizations.orthogonal(gb.nn.Linear(20, 40))
    >>> gb.allclose(layer.weight.T @ layer.weight, gb.eye(20), atol=1e-5)
    True
    """
    op = "orthogonal"
    weight = _tensor_of(op, module, name)
    if weight.ndim < 2:
        raise ShapeError(f"{op}: a tensor of sizes {weight.shape}; two dims or more are needed")
    chosen: Any = orthogonal_map
    if chosen is None:
        is_square = weight.shape[-2] == weight.shape[-1]
        chosen = "matrix_exp" if is_square or weight.is_complex() else "householder"
    chosen = check.choice(op, "orthogonal_map", chosen, "matrix_exp", "cayley", "householder")
    if chosen == "householder" and weight.is_complex():
        raise ArgumentError(
            f"{op}: 'householder' of a tensor of dtype {weight.dtype}; another map is needed"
        )
    has_base = check.flag(op, "use_trivialization", use_trivialization)
    made = _Orthogonal(weight, chosen, has_base)
    return register_parametrization(module, name, made, unsafe=True)
