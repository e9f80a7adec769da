"""Results that are there later: one thread waits for what another brings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent import futures
from typing import Any, Generic, TypeVar

from garboard._arguments import check
from garboard._engine import GarboardError

__all__ = ["Future", "collect_all", "wait_all"]

T = TypeVar("T")


class _FutureError(GarboardError, RuntimeError):
    """A result that is not there yet, or is there already."""


def _checked(op: str, futures: Sequence[Future[T]]) -> list[Future[T]]:
    return [check.of_type(Future, op, "a future", it) for it in futures]


class Future(Generic[T]):
    """A result that somebody sets later.

    Args:
        devices: PyTorch's, without effect.

    >>> future = gb.futures.Future()
    >>> doubled = future.then(lambda it: it.value() * 2)
    >>> future.set_result(gb.ones(1))
    >>> doubled.wait()
    tensor([2.])
    """

    def __init__(self, *, devices: object = None) -> None:
        self._future: futures.Future[T] = futures.Future()

    def done(self) -> bool:
        """Tell whether the result is there, or an error in its place.

        Returns:
            True or False.

        >>> gb.futures.Future().done()
        False
        """
        return self._future.done()

    def wait(self) -> T:
        """Wait for the result, and return it.

        Returns:
            The result.

        Raises:
            BaseException: What `set_exception` was given.
        """
        return self._future.result()

    def value(self) -> T:
        """Return the result.

        Raises:
            RuntimeError: It is not there yet.
            BaseException: What `set_exception` was given.
        """
        if not self.done():
            raise _FutureError("value: no result is there yet; wait() waits for it")
        return self._future.result()

    def set_result(self, result: T) -> None:
        """Bring the result.

        Args:
            result: Anything.

        Raises:
            RuntimeError: One is there already.
        """
        if self.done():
            raise _FutureError("set_result: the result is there; it is set once")
        self._future.set_result(result)

    def set_exception(self, result: BaseException) -> None:
        """Bring an error in place of a result.

        Args:
            result: The error.

        Raises:
            TypeError: It is none.
            RuntimeError: A result is there already.

        >>> later = gb.futures.Future()
        >>> later.set_exception(ValueError("no"))
        >>> later.done()
        True
        """
        check.of_type(BaseException, "set_exception", "result", result)
        if self.done():
            raise _FutureError("set_exception: the result is there; it is set once")
        self._future.set_exception(result)

    def add_done_callback(self, callback: Callable[[Future[T]], object]) -> None:
        """Have a function called once the result is there, in the thread that brings it.

        Args:
            callback: Called with this future; its errors are printed.

        Raises:
            TypeError: It cannot be called.

        >>> later = gb.futures.Future()
        >>> later.add_done_callback(lambda it: print(it.value()))
        >>> later.set_result(3)
        3
        """
        check.function("add_done_callback", "callback", callback)
        self._future.add_done_callback(lambda _: callback(self))

    def then(self, callback: Callable[[Future[T]], Any]) -> Future[Any]:
        """Have a function called once the result is there.

        Args:
            callback: Called with this future.

        Returns:
            A future of what it returns, or of its error.

        Raises:
            TypeError: It cannot be called.
        """
        check.function("then", "callback", callback)
        after: Future[Any] = Future()

        def call(done: Future[T]) -> None:
            try:
                result = callback(done)
            except BaseException as error:
                after.set_exception(error)
            else:
                after.set_result(result)

        self.add_done_callback(call)
        return after


def collect_all(futures: Sequence[Future[Any]]) -> Future[list[Future[Any]]]:
    """Return a future of several, which is there once they all are.

    Args:
        futures: The futures.

    Returns:
        A future whose result is a list of them.

    Raises:
        TypeError: One is no future.

    >>> one = gb.futures.Future()
    >>> both = gb.futures.collect_all([one, one])
    >>> one.set_result(3)
    >>> [it.value() for it in both.wait()]
    [3, 3]
    """
    from threading import Lock

    given = _checked("collect_all", futures)
    together: Future[list[Future[Any]]] = Future()
    left, lock = [len(given)], Lock()

    def count(_: Future[Any]) -> None:
        with lock:
            left[0] -= 1
            is_last = left[0] == 0
        if is_last:
            together.set_result(given)

    for it in given:
        it.add_done_callback(count)
    if not given:
        together.set_result(given)
    return together


def wait_all(futures: Sequence[Future[T]]) -> list[T]:
    """Wait for several futures.

    Args:
        futures: The futures.

    Returns:
        Their results, in order.

    Raises:
        TypeError: One is no future.
        BaseException: The error of the first that has one.

    >>> one = gb.futures.Future()
    >>> one.set_result(3)
    >>> gb.futures.wait_all([one])
    [3]
    """
    return [it.wait() for it in _checked("wait_all", futures)]
