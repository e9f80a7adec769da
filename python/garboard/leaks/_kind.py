"""The names of the kinds of leaks, and their families."""

from __future__ import annotations

from typing import Final

__all__ = ["FAMILIES", "Kind"]


class Kind:
    """What a leak is, as reports say it. Nothing else spells these names."""

    ACCUMULATED_GRAPH: Final = "accumulated-graph"
    STATE_CARRYOVER: Final = "state-carryover"
    GRAPH_IN_RUNNING_STAT: Final = "graph-in-running-stat"
    RETAIN_GRAPH: Final = "retain-graph"
    TENSOR_LIST: Final = "tensor-list"
    DUPLICATE_NETS: Final = "duplicate-nets"
    RETAINED_EXCEPTION: Final = "retained-exception"
    NOTEBOOK_OUTPUT: Final = "notebook-output"
    NOTEBOOK_OR_TEST_TRACEBACK: Final = "notebook-or-test-traceback"
    PY_CYCLE: Final = "py-cycle"
    HOOK_CAPTURE: Final = "hook-capture"
    LRU_CACHE: Final = "lru-cache"
    GLOBAL_REGISTRY: Final = "global-registry"
    METRIC_STATE: Final = "metric-state"
    VIEW_PINS_STORAGE: Final = "view-pins-storage"
    OPTIMIZER_ORPHAN: Final = "optimizer-orphan"
    THREAD_STATE: Final = "thread-state"
    QUEUE_FUTURE_ASYNC: Final = "queue-future-async"
    EXPORT_PIN: Final = "export-pin"
    UNBOUNDED_SHAPE_CACHE: Final = "unbounded-shape-cache"
    VARIABLE: Final = "variable"
    NOT_FREED: Final = "not-freed"
    UNKNOWN: Final = "unknown"


FAMILIES: dict[str, str] = {
    Kind.ACCUMULATED_GRAPH: "GRAPH",
    Kind.STATE_CARRYOVER: "GRAPH",
    Kind.GRAPH_IN_RUNNING_STAT: "GRAPH",
    Kind.RETAIN_GRAPH: "GRAPH",
    Kind.TENSOR_LIST: "LIST",
    Kind.DUPLICATE_NETS: "NETS",
    Kind.RETAINED_EXCEPTION: "EXC",
    Kind.NOTEBOOK_OUTPUT: "OUT",
    Kind.NOTEBOOK_OR_TEST_TRACEBACK: "EXC",
    Kind.PY_CYCLE: "CYCLE",
    Kind.HOOK_CAPTURE: "HOOK",
    Kind.LRU_CACHE: "CACHE",
    Kind.GLOBAL_REGISTRY: "REG",
    Kind.METRIC_STATE: "STATE",
    Kind.VIEW_PINS_STORAGE: "VIEW",
    Kind.OPTIMIZER_ORPHAN: "OPT",
    Kind.THREAD_STATE: "THREAD",
    Kind.QUEUE_FUTURE_ASYNC: "QUEUE",
    Kind.EXPORT_PIN: "EXPORT",
    Kind.UNBOUNDED_SHAPE_CACHE: "SHAPE",
    Kind.VARIABLE: "NAME",
    Kind.NOT_FREED: "ALIVE",
    Kind.UNKNOWN: "LEAK",
}
