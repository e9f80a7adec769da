"""Captured work of CUDA devices: queued once, then started as a whole, as often as one likes.

What is called between the begin and the end of a capture is not done but written down, with the
addresses of all that it reads and writes. A replay does it anew, on the same memory: new inputs are
written into the tensors that were inputs, results are read from the tensors that came out.
"""

from garboard.cuda._graphed_callables import make_graphed_callables
from garboard.cuda._graphs import (
    CUDAGraph,
    graph,
    graph_pool_handle,
    is_current_stream_capturing,
)

__all__ = [
    "CUDAGraph",
    "graph",
    "graph_pool_handle",
    "is_current_stream_capturing",
    "make_graphed_callables",
]
