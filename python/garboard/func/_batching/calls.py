"""Calls of ops with samples of a batch: by a rule, by what the op is made of, or one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import BuiltinFunctionType, MethodDescriptorType, WrapperDescriptorType
from typing import Any, NamedTuple, TypeVar

from garboard import _engine
from garboard._arguments.errors import ArgumentError
from garboard._arguments.layouts import is_really
from garboard._contexts.blocks import block
from garboard._contexts.generator import Generator, get_rng_state, set_rng_state
from garboard._engine import Tensor
from garboard.autograd._function_ctx import open_batches
from garboard.autograd._passes import is_asked_again
from garboard.autograd.function import Function
from garboard.func._batching.tensor import DEEPEST, BatchedTensor, batch, hides_a_batch, unasked

__all__ = ["SINGLY", "UNCHANGED", "BatchLevel", "Call", "NotBatchedError", "rule", "rules"]

_F = TypeVar("_F", bound=Callable[..., Any])
_Rule = Callable[..., Any]

#: By the names that `name_of` gives.
rules: dict[str, _Rule] = {}


class NotBatchedError(ArgumentError):
    """What a function does cannot be done for all samples at once."""


def rule(*names: str) -> Callable[[_F], _F]:
    """Have a function compute these ops: of a `Call` and what the op was given.

    It returns what has the samples in front, to be hidden again; or `UNCHANGED`, or `SINGLY`; or
    NotImplemented, for what the op is made of to be tried.
    """

    def added(function: _F) -> _F:
        for name in " ".join(names).split():
            rules[name] = function
        return function

    return added


class VmapInfo(NamedTuple):
    """What the rule of an `autograd.Function` is told of a batch."""

    batch_size: int
    randomness: str


class BatchLevel(_engine._OverrideBlock):
    """A call of `vmap` in progress, which takes over the calls of ops.

    Attributes:
        size: How many samples there are.
        draws_apart: Whether each sample draws numbers of its own.
        depth: How many calls are around this one, and it.
        within: The functions written in Python that are running on samples, the innermost last.
    """

    def __init__(self, size: int, draws_apart: bool) -> None:
        self.size, self.draws_apart = size, draws_apart
        self.depth = len(open_batches.get()) + 1
        self.within: list[Callable[..., Any]] = []

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        if self.has_samples(args, kwargs):
            made = Call(self, func).result(args, kwargs)
            return made if kwargs.get("out") is None else kwargs["out"]
        name = name_of(func)
        if name != "empty" and not (self.draws_apart and name in DRAWING):
            return func(*args, **kwargs)
        call = Call(self, func)
        if kwargs.get("out") is not None or (call.writes and name in DRAWING):
            raise NotBatchedError(
                f"{name}: each sample draws numbers of its own, and what they are written into all "
                "samples have alike; draw into what comes of a sample or of gb.empty, or with "
                "randomness='same'"
            )
        return call.result(args, kwargs) if name in _SIZED else call.one_by_one(args, kwargs)

    def has_samples(self, args: Any, kwargs: dict[str, Any]) -> bool:
        """Whether there is a sample of this level among arguments."""
        return self._is_in(args) or (bool(kwargs) and self._is_in(kwargs))

    def applied(self, function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """An `autograd.Function` of samples: by its own rule, or one by one."""
        rule = None if function.vmap is Function.vmap else function.vmap
        return self.computed(function.apply, rule, args, kwargs)

    def computed(
        self, function: Callable[..., Any], rule: Any, args: Any, kwargs: dict[str, Any]
    ) -> Any:
        """What a function gives of samples that a user has written a rule for; or one by one."""
        call = Call(self, function)
        if rule is None:
            return call.one_by_one(args, kwargs)
        hidden = [call.is_batched(it) for it in args]
        values = [it._value if is_one else it for it, is_one in zip(args, hidden, strict=True)]
        info = VmapInfo(self.size, "different" if self.draws_apart else "same")
        in_dims = tuple(0 if it else None for it in hidden)
        with _outside(self):
            made, out_dims = rule(info, in_dims, *values, **kwargs)
        return self._hidden_along(made, out_dims)

    def _hidden_along(self, made: Any, dims: Any) -> Any:
        if isinstance(made, (list, tuple)):
            each = dims if isinstance(dims, (list, tuple)) else [dims] * len(made)
            parts = zip(made, each, strict=True)
            return _like(made, [self._hidden_along(it, dim) for it, dim in parts])
        if dims is None or not is_really(made, Tensor):
            return made
        return batch(made.movedim(dims, 0), self)

    def _is_in(self, nest: Any, depth: int = 0) -> bool:
        if depth > DEEPEST:
            return False  # a list that holds itself: the op refuses it
        for part in nest.values() if isinstance(nest, dict) else nest:
            if type(part) is BatchedTensor:
                if part._level is self:
                    return True
            elif isinstance(part, (list, tuple, dict)) and self._is_in(part, depth + 1):
                return True
        return False


_DRAWING = """
rand randn randint randperm normal rand_like randn_like randint_like bernoulli bernoulli_
multinomial poisson uniform_ normal_ random_ exponential_ geometric_ cauchy_ log_normal_ dropout
dropout_ dropout1d dropout2d dropout3d alpha_dropout alpha_dropout_ feature_alpha_dropout
feature_alpha_dropout_ feature_dropout feature_dropout_ native_dropout gumbel_softmax rrelu rrelu_
binomial log_gamma_draws log_gamma_rsample binomial_draws von_mises_draws
"""
_OF_HANDLES = """
numel nelement dim ndimension size is_complex is_floating_point is_signed is_same_size
element_size result_type can_cast is_inference is_tensor is_nested
"""
#: What draws random numbers.
DRAWING = frozenset(_DRAWING.split())
#: What is made anew of sizes, and differs between samples.
_SIZED = ("rand", "randn", "randint", "normal", "empty")
#: What is asked of one sample's sizes and kind, which its handle has.
_TRAITS = frozenset(_OF_HANDLES.split())
#: What is asked of how one sample lies in memory: the first does.
_LAYOUT = frozenset(("stride", "is_contiguous", "storage_offset", "is_conj", "is_neg", "dim_order"))
_PLACES = {f"garboard.{it}": f"{it}." for it in ("linalg", "fft", "autograd", "masked")}
_ALSO_FUNCTIONAL = ("unfold", "fold", "normalize")
_LASTING = (BuiltinFunctionType, MethodDescriptorType, WrapperDescriptorType, _engine._Overridable)
_names: dict[Any, str] = {}  # of what is never made anew


def name_of(func: Any) -> str:
    """A function's name, with its place where another has the name; of a property, what is read."""
    if not isinstance(func, _LASTING):
        return _named(func)
    known = _names.get(func)
    if known is None:
        known = _names[func] = _named(func)
    return known


def _named(func: Any) -> str:
    name = str(getattr(func, "__name__", ""))
    if name == "__get__":
        return str(getattr(func.__self__, "__name__", name))
    module = str(getattr(func, "__module__", None))
    if name in _ALSO_FUNCTIONAL and module.startswith("garboard.nn.functional"):
        return "functional." + name
    for path, place in _PLACES.items():
        if module == path or module.startswith(path + "."):
            return place + name
    return name


def _listed(given: Any) -> Any:
    return given if isinstance(given, (list, tuple)) else (given,)


def _drops(name: str, args: Any, kwargs: dict[str, Any]) -> bool:
    """Whether it is attention that draws which weights it drops."""
    if name != "scaled_dot_product_attention":
        return False
    return bool(kwargs.get("dropout_p", args[4] if len(args) > 4 else 0))


@block
def _outside(level: BatchLevel) -> Iterator[None]:
    """Have a level, and those inside of it, neither take calls over nor be there for leaves."""
    taken: list[Any] = []
    before = open_batches.get()
    try:
        while level not in taken:
            found = _engine._pop_override()
            if found is None:  # it is being asked already
                while taken:
                    _engine._push_override(taken.pop())
                break
            taken.append(found)
        open_batches.set(before[: level.depth - 1])
        yield
    finally:
        open_batches.set(before)
        while taken:
            _engine._push_override(taken.pop())


class Call:
    """One call of an op, of which some arguments are samples of a level's batch.

    Attributes:
        function: What was called.
        name: Its name.
        level: Whose samples are looked at; what else there is, samples of others too, is theirs
            alike, and is called unbatched here.
    """

    def __init__(self, level: BatchLevel, function: Callable[..., Any]) -> None:
        self.level, self.function = level, function
        self.name = name_of(function)

    @property
    def size(self) -> int:
        return self.level.size

    def is_batched(self, given: Any) -> bool:
        return hides_a_batch(given, self.level)

    def value(self, given: Tensor) -> Tensor:
        """With the samples in front; or with a dim of one place there, where all have it alike."""
        return given._value if hides_a_batch(given, self.level) else given.unsqueeze(0)

    def full(self, given: Tensor) -> Tensor:
        """With the samples in front, each there to be read."""
        if hides_a_batch(given, self.level):
            return given._value
        return given.expand(self.size, *given.shape)

    def _leaves_samples(self, result: Any) -> bool:
        """Whether a rule has left a sample among its arguments, and with it in its result."""
        if isinstance(result, (list, tuple)):
            return any(map(self._leaves_samples, result))
        return self.is_batched(result)

    def hidden(self, result: Any) -> Any:
        """A result whose tensors have the samples in front, as samples."""
        return _mapped(result, self._hidden)

    def _hidden(self, made: Tensor) -> Tensor:
        sizes = made.shape
        if sizes[0] != self.size:  # all samples have it alike
            made = made.expand(self.size, *sizes[1:])
        return batch(made.detach_from_dispose_scope(), self.level)

    def result(self, args: Any, kwargs: dict[str, Any]) -> Any:
        name, level = self.name, self.level
        if name in _TRAITS:
            return unasked(self.function, args, kwargs)
        if name in _LAYOUT:
            return self.function(*self._sample(args, 0), **kwargs)
        if not level.draws_apart and (name in DRAWING or _drops(name, args, kwargs)):
            return self.one_by_one(args, kwargs, True)
        written = args[0] if self.writes and args else kwargs.get("out")
        if written is not None and not all(map(self.is_batched, _listed(written))):
            raise NotBatchedError(
                f"{name}: samples are written into a tensor that all of them have alike; one that "
                "comes of a sample is needed, as x.new_zeros(sizes) or gb.zeros_like(x) of one"
            )
        if not args and "input" in kwargs and name != "where":
            kwargs = dict(kwargs)
            args = (kwargs.pop("input"),)
        found = rules.get(name)
        if found is not None:
            try:
                made = found(self, *args, **kwargs)
            except (NotBatchedError, MemoryError):
                raise
            except Exception:  # a sample tells what is wrong, if something is
                made = SINGLY if self.writes else NotImplemented
            if made is UNCHANGED:
                return args[0]
            if made is SINGLY:
                return self.one_by_one(args, kwargs)
            if made is not NotImplemented and not self._leaves_samples(made):
                return self.hidden(made)
        body = getattr(self.function, "__wrapped__", None)
        within = self.level.within
        if body is not None and self.function not in within:
            within.append(self.function)
            try:
                with self.level:
                    return body(*args, **kwargs)
            except MemoryError:
                raise
            except Exception:  # a sample tells what is wrong, if something is
                pass
            finally:
                within.pop()
        return self.one_by_one(args, kwargs)

    @property
    def writes(self) -> bool:
        """Whether the op writes into its first argument."""
        name = self.name
        return name == "__setitem__" or (name.endswith("_") and not name.endswith("__"))

    def one_by_one(self, args: Any, kwargs: dict[str, Any], draws_alike: bool = False) -> Any:
        """The op of each sample, and the results side by side."""
        with _outside(self.level):
            return self._one_by_one(args, kwargs, draws_alike)

    def _one_by_one(self, args: Any, kwargs: dict[str, Any], draws_alike: bool) -> Any:
        outer = is_asked_again.get()
        generators = [it for it in (*args, *kwargs.values()) if isinstance(it, Generator)]
        state = get_rng_state() if draws_alike else None
        states = [it.get_state() for it in generators if draws_alike]
        results = []
        try:
            for place in range(max(self.size, 1)):  # none: a stand-in tells the sizes
                is_asked_again.set(outer or place + 1 < self.size)
                if state is not None:
                    set_rng_state(state)
                for it, its in zip(generators, states, strict=False):
                    it.set_state(its)
                parts, named = self._sample((args, kwargs), place)
                results.append(self.function(*parts, **named))
        finally:
            is_asked_again.set(outer)
        if self.writes:
            return args[0] if self.name != "__setitem__" else None
        return self.joined(results)

    def _sample(self, nest: Any, place: int, depth: int = 0) -> Any:
        if depth > DEEPEST:
            return nest
        depth += 1
        if self.is_batched(nest):
            return nest._value.select(0, place) if self.size else _stand_in(nest._value)
        if isinstance(nest, slice):
            return slice(
                *(self._sample(it, place, depth) for it in (nest.start, nest.stop, nest.step))
            )
        if isinstance(nest, dict):
            return {key: self._sample(it, place, depth) for key, it in nest.items()}
        if isinstance(nest, (list, tuple)):
            return _like(nest, [self._sample(it, place, depth) for it in nest])
        return nest

    def joined(self, results: list[Any]) -> Any:
        first = results[0]
        if is_really(first, Tensor):
            if any(it.shape != first.shape for it in results):
                raise NotBatchedError(
                    f"{self.name}: samples give results of several sizes, as {tuple(first.shape)}; "
                    "one size is needed"
                )
            made = _engine.stack(results)
            return self._hidden(made if self.size else made.narrow(0, 0, 0))
        if isinstance(first, (list, tuple)):
            if any(len(it) != len(first) for it in results):
                raise NotBatchedError(f"{self.name}: samples give several numbers of results")
            return _like(first, [self.joined(list(it)) for it in zip(*results, strict=True)])
        if isinstance(first, dict):
            return {key: self.joined([it[key] for it in results]) for key in first}
        if any(it is not first and it != first for it in results[1:]):
            raise NotBatchedError(
                f"{self.name}: samples give {type(first).__name__}s that differ; one answer is "
                "needed, as they are computed at once: chunk_size=1 takes them singly"
            )
        return first


#: What a rule returns that has written into the first argument; and one that leaves it to samples.
UNCHANGED, SINGLY = object(), object()


def _stand_in(value: Tensor) -> Tensor:
    """A sample for a batch of none, with its history: most ops take ones, and 0 as an index."""
    sizes = value.shape[1:]
    if not (value.is_floating_point() or value.is_complex()):
        return value.new_zeros(sizes)
    made = value.sum(0) + 1
    if len(sizes) > 1 and sizes[-1] == sizes[-2]:  # with an inverse and a root
        made = made + _engine.eye(sizes[-1], dtype=value.dtype, device=value.device)
    return made


def _like(nest: Any, parts: list[Any]) -> Any:
    """A list or tuple of the same class."""
    return type(nest)(*parts) if hasattr(nest, "_fields") else type(nest)(parts)


def _mapped(nest: Any, function: Callable[[Tensor], Any]) -> Any:
    if is_really(nest, Tensor):
        return function(nest)
    if isinstance(nest, (list, tuple)):
        return _like(nest, [_mapped(it, function) for it in nest])
    return nest
