"""Dicts whose keys are objects by identity, held weakly: tensors equal others by element."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from copy import deepcopy
from typing import Any, NoReturn, TypeVar
from weakref import ref

from garboard._arguments import check
from garboard._engine import Tensor

__all__ = [
    "TensorWeakRef",
    "WeakIdKeyDictionary",
    "WeakIdRef",
    "WeakTensorKeyDictionary",
    "WeakTensorRefKey",
]

_V = TypeVar("_V")


class WeakIdRef(ref[object]):
    """A weak reference that equals those of the same object, and no other.

    Args:
        key: Any object that can be held weakly.
        callback: Called with the reference when the object has ended.

    Raises:
        TypeError: The object cannot be held weakly.

    >>> from garboard.utils.weak import WeakIdRef
    >>> x = gb.ones(2)
    >>> WeakIdRef(x) == WeakIdRef(x), WeakIdRef(x) == WeakIdRef(gb.ones(2))
    (True, False)
    """

    __slots__ = ("_id",)

    def __init__(self, key: object, callback: Callable[..., object] | None = None) -> None:
        super().__init__(key, callback)  # type: ignore[call-arg]
        self._id = id(key)

    def __hash__(self) -> int:
        return self._id

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WeakIdRef):
            return False
        mine, its = self(), other()
        return self is other if mine is None or its is None else mine is its

    def __ne__(self, other: object) -> bool:
        return not self == other


WeakTensorRefKey = WeakIdRef


class WeakIdKeyDictionary(MutableMapping[object, _V]):
    """A dict whose keys are objects by identity; an entry ends with its key.

    Args:
        dict: What it holds at first.
        ref_type: The class of its references.

    Raises:
        TypeError: A key cannot be held weakly.
        KeyError: An object is no key.

    >>> from garboard.utils.weak import WeakIdKeyDictionary
    >>> known = WeakIdKeyDictionary()
    >>> x = gb.ones(2)
    >>> known[x] = "x"
    >>> x in known, gb.ones(2) in known
    (True, False)
    >>> del x
    >>> len(known)
    0
    """

    def __init__(
        self, dict: Mapping[object, _V] | None = None, ref_type: type[WeakIdRef] = WeakIdRef
    ) -> None:
        self.ref_type: type[WeakIdRef] = check.of_type(
            type, "WeakIdKeyDictionary", "ref_type", ref_type
        )
        self.data: Any = {}
        holder = ref(self)

        def forget(key: object) -> None:
            this = holder()
            if this is not None:
                this.data.pop(key, None)

        self._forget = forget
        if dict is not None:
            self.update(dict)

    def __setitem__(self, key: object, value: _V) -> None:
        self.data[self.ref_type(key, self._forget)] = value

    def __getitem__(self, key: object) -> _V:
        found: _V = self.data[self.ref_type(key)]
        return found

    def __delitem__(self, key: object) -> None:
        del self.data[self.ref_type(key)]

    def __contains__(self, key: object) -> bool:
        try:
            return self.ref_type(key) in self.data
        except TypeError:  # it cannot be held weakly, so it is no key
            return False

    def __iter__(self) -> Iterator[object]:
        for held in list(self.data):
            key = held()
            if key is not None:
                yield key

    def __len__(self) -> int:
        return len(self.data)

    def copy(self) -> WeakIdKeyDictionary[_V]:
        """Return another one of the same keys and values.

        >>> from garboard.utils.weak import WeakIdKeyDictionary
        >>> x = gb.ones(2)
        >>> list(WeakIdKeyDictionary({x: 1}).copy().values())
        [1]
        """
        return WeakIdKeyDictionary(self, self.ref_type)

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, object]) -> WeakIdKeyDictionary[_V]:
        made: WeakIdKeyDictionary[_V] = WeakIdKeyDictionary(None, self.ref_type)
        memo[id(self)] = made
        for key, value in self.items():  # the same keys: they are what they are by identity
            made[key] = deepcopy(value, memo)
        return made

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"{type(self).__name__}: keys that are held weakly cannot be pickled; a dict is needed"
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)}>"


WeakTensorKeyDictionary = WeakIdKeyDictionary


class TensorWeakRef:
    """A weak reference to a tensor, called for it.

    Args:
        tensor: The tensor.

    Raises:
        TypeError: It is no Tensor.

    >>> from garboard.utils.weak import TensorWeakRef
    >>> x = gb.ones(2)
    >>> TensorWeakRef(x)() is x
    True
    """

    __slots__ = ("_ref",)

    def __init__(self, tensor: Tensor) -> None:
        self._ref = WeakIdRef(check.tensor("TensorWeakRef", "tensor", tensor))

    @property
    def ref(self) -> WeakIdRef:
        """The weak reference by which it holds the tensor.

        >>> from garboard.utils.weak import TensorWeakRef
        >>> x = gb.ones(2)
        >>> TensorWeakRef(x).ref() is x
        True
        """
        return self._ref

    def __call__(self) -> Tensor | None:
        found = self._ref()
        return found if isinstance(found, Tensor) else None
