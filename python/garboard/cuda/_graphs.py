"""Graphs of captured work, and the block that captures."""

from __future__ import annotations

import gc
from types import TracebackType

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard.cuda import memory
from garboard.cuda._devices import synchronize
from garboard.cuda.streams import Stream, StreamContext

__all__ = [
    "CUDAGraph",
    "graph",
    "graph_pool_handle",
    "is_current_stream_capturing",
]

_ERROR_MODES = ("global", "thread_local", "relaxed")


def is_current_stream_capturing() -> bool:
    """Tell whether what the current stream is given is captured instead of done.

    Returns:
        A bool; False where there is no CUDA device.

    >>> gb.cuda.is_current_stream_capturing()
    False
    """
    return _engine._is_captured()


def graph_pool_handle() -> _engine._CapturePool:
    """Make a pool for the memory of graphs that are never replayed at the same time.

    Returns:
        A handle, for `pool` of graphs on the device that is current now. The pool stays as long as
        somebody holds a handle, or a graph that has memory of it.

    Raises:
        DeviceError: There is no CUDA device.

    >>> if gb.cuda.is_available():
    ...     pool = gb.cuda.graph_pool_handle()
    """
    return _engine._CapturePool(_engine._current_cuda_device())


class CUDAGraph:
    """Captured work of a device. `gb.cuda.graph` captures it; `replay` does it.

    What the work allocates while it is captured stays the graph's, in a pool of its own or one that
    `pool` shares, until the graph ends or is reset: tensors that were made then hold what the last
    replay has put there. Random numbers of the standard generator are drawn anew by each replay, as
    the ops would draw them. A graph holds no tensor: inputs must be kept as long as it is replayed.

    Args:
        keep_graph: Taken; nothing else is kept of a capture than what `replay` needs.

    Raises:
        DeviceError: There is no CUDA device.
        TypeError: `keep_graph` is no bool.

    >>> if gb.cuda.is_available():
    ...     x = gb.ones(3, device="cuda")
    ...     captured = gb.cuda.CUDAGraph()
    ...     with gb.cuda.graph(captured):
    ...         y = x * 2
    ...     x.fill_(5)
    ...     captured.replay()
    ...     assert y.tolist() == [10, 10, 10]
    """

    def __init__(self, keep_graph: bool = False) -> None:
        check.flag("CUDAGraph", "keep_graph", keep_graph)
        _engine._require_cuda("CUDAGraph", _engine._current_cuda_device())
        self._held = _engine._DeviceGraph()

    def capture_begin(
        self, pool: _engine._CapturePool | None = None, capture_error_mode: str = "global"
    ) -> None:
        """Capture what the current stream, not the default one, is given from now on.

        `gb.cuda.graph` calls it; by hand one has to choose the stream first.

        Args:
            pool: Where memory comes from: `pool()` of another graph, or `graph_pool_handle()`.
            capture_error_mode: "global", "thread_local" or "relaxed", which are one here: what
                cannot be captured is refused by name, and other threads go on.

        Raises:
            DeviceError: The default stream is current, or is being captured; or the graph has been.
            TypeError: `pool` is no pool.
            ValueError: There is no such mode.

        >>> if gb.cuda.is_available():
        ...     x, captured = gb.ones(3, device="cuda"), gb.cuda.CUDAGraph()
        ...     with gb.cuda.stream(gb.cuda.Stream()):
        ...         captured.capture_begin()
        ...         x += 1
        ...         captured.capture_end()
        """
        if pool is not None and not isinstance(pool, _engine._CapturePool):
            raise TypeError(
                f"capture_begin: pool {shown(pool)}; pool() of a graph, or graph_pool_handle(), "
                "gives one"
            )
        if capture_error_mode not in _ERROR_MODES:
            raise ValueError(
                f"capture_begin: capture_error_mode {shown(capture_error_mode)}; one of "
                f"{', '.join(_ERROR_MODES)} is needed"
            )
        self._held.begin(_engine._current_cuda_device(), pool)

    def capture_end(self) -> None:
        """End the capture; from now on the graph can be replayed.

        Raises:
            DeviceError: Nothing is being captured; or something was called that cannot be; or a
                stream that has joined was not waited for. The graph is as new then.

        >>> if gb.cuda.is_available():
        ...     captured = gb.cuda.CUDAGraph()
        ...     with gb.cuda.stream(gb.cuda.Stream()):
        ...         captured.capture_begin()
        ...         captured.capture_end()
        """
        self._held.end()

    def replay(self) -> None:
        """Do the captured work, on the current stream and on the same memory as before.

        Raises:
            DeviceError: The graph holds no work, or the current stream is being captured.

        >>> if gb.cuda.is_available():
        ...     x, captured = gb.ones(2, device="cuda"), gb.cuda.CUDAGraph()
        ...     with gb.cuda.graph(captured):
        ...         x += 1
        ...     captured.replay()
        ...     captured.replay()
        ...     assert x.tolist() == [3, 3]
        """
        self._held.replay()

    def reset(self) -> None:
        """Forget the work, and give up the memory; waits for the last replay.

        >>> if gb.cuda.is_available():
        ...     gb.cuda.CUDAGraph().reset()
        """
        self._held.reset()

    def pool(self) -> _engine._CapturePool:
        """Return a handle of the pool that the graph's memory is of, for other graphs.

        Raises:
            DeviceError: The graph holds no work.

        >>> if gb.cuda.is_available():
        ...     x, first, second = gb.ones(2, device="cuda"), *map(gb.cuda.CUDAGraph, (0, 0))
        ...     with gb.cuda.graph(first):
        ...         y = x + 1
        ...     with gb.cuda.graph(second, pool=first.pool()):
        ...         z = y + 1
        """
        return self._held.pool()


class graph:
    """Capture what a block calls into a graph: a block.

    Before it the device is waited for, garbage is collected and the cache emptied. A stream other
    than the default one is current inside, and what it is given is captured, with what other
    streams do that are told to wait for it. Not to be captured is what waits for the device:
    `item()`, printing, tensors made of Python's numbers, `nonzero`, `synchronize`; each is refused
    by name, and so is the graph then.

    Args:
        cuda_graph: Takes what is captured; has captured nothing so far.
        pool: Where memory comes from: `pool()` of another graph, or `graph_pool_handle()`.
        stream: By default one of its own.
        capture_error_mode: As for `CUDAGraph.capture_begin`.

    Raises:
        DeviceError: As `CUDAGraph.capture_begin` and `capture_end` do.
        TypeError: An argument of another type.

    >>> if gb.cuda.is_available():
    ...     x, captured = gb.ones(3, device="cuda"), gb.cuda.CUDAGraph()
    ...     with gb.cuda.graph(captured):
    ...         y = x + x
    ...     captured.replay()
    ...     assert y.sum().item() == 6
    """

    def __init__(
        self,
        cuda_graph: CUDAGraph,
        pool: _engine._CapturePool | None = None,
        stream: Stream | None = None,
        capture_error_mode: str = "global",
    ) -> None:
        if not isinstance(cuda_graph, CUDAGraph):
            raise TypeError(f"graph: {shown(cuda_graph)}; a gb.cuda.CUDAGraph is needed")
        self.cuda_graph = cuda_graph
        self.pool = pool
        self.capture_error_mode = capture_error_mode
        self.capture_stream: Stream = Stream() if stream is None else stream
        self._stream = StreamContext(self.capture_stream)

    def __enter__(self) -> None:
        synchronize()
        gc.collect()
        memory.empty_cache()
        self._stream.__enter__()
        try:
            self.cuda_graph.capture_begin(self.pool, self.capture_error_mode)
        except BaseException:
            self._stream.__exit__(None, None, None)
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            if error is None:
                self.cuda_graph.capture_end()
            else:
                self.cuda_graph.reset()  # half of it is of no use
        finally:
            self._stream.__exit__(kind, error, traceback)
