"""The counters of a device under PyTorch's names and ours, and the table of them."""

from __future__ import annotations

from typing import Any

from garboard import _engine
from garboard._engine import human_bytes

__all__ = ["memory_stats", "memory_stats_as_nested_dict", "memory_summary"]

_Device = str | _engine.device | None
_METRICS = ("current", "peak", "allocated", "freed")
_POOLS = ("all", "small_pool", "large_pool")
# PyTorch's names of what the engine counts by pool.
_QUANTITIES = {
    "allocation": "blocks",
    "segment": "segments",
    "active": "active_blocks",
    "allocated_bytes": "requested_bytes",
    "reserved_bytes": "reserved_bytes",
    "active_bytes": "occupied_bytes",
    "requested_bytes": "requested_bytes",
}


def memory_stats_as_nested_dict(device: _Device = None) -> dict[str, Any]:
    """Return the counters of `memory_stats`, nested at the dots of its keys.

    Args:
        device: The CPU by default.

    Raises:
        DeviceError: There is no such device.

    >>> sorted(gb.memory.memory_stats_as_nested_dict()["allocation"]["all"])
    ['allocated', 'current', 'freed', 'peak']
    """
    raw = _engine._memory_stats(device)
    counts = _engine._memory_counts(device)
    nested: dict[str, Any] = {}
    for name, ours in _QUANTITIES.items():
        nested[name] = {pool: _metrics(*counts[pool][ours]) for pool in _POOLS}
    for name, at in (("inactive_split", 0), ("inactive_split_bytes", 1)):
        nested[name] = {pool: _now(counts[pool]["split"][at]) for pool in _POOLS}
    booked = raw["booked_bytes"]
    for name in ("allocated_bytes", "requested_bytes", "active_bytes"):
        whole = nested[name]["all"]
        whole["current"] += booked
        whole["allocated"] += booked
        peak = raw["peak_live_bytes"] if name != "active_bytes" else whole["peak"]
        whole["peak"] = max(peak, whole["current"])
    nested["reserved_bytes"]["all"]["peak"] = raw["peak_reserved_bytes"]
    nested["oversize_allocations"] = _metrics(0, 0, 0, 0)
    nested["oversize_segments"] = _metrics(0, 0, 0, 0)
    nested |= {
        "max_split_size": -1,
        "num_alloc_retries": raw["retry_count"],
        "num_device_alloc": raw["map_count"],
        "num_device_free": raw["unmap_count"],
        "num_oom_rejections": 0,
        "num_ooms": raw["out_of_memory_count"],
        "num_sync_all_streams": raw["stream_wait_count"],
    }
    reserved, cached = raw["reserved_bytes"], raw["cached_bytes"]
    nested["fragmentation"] = 1 - raw["largest_free_block"] / cached if cached else 0.0
    nested["frag_sq"] = counts["all"]["free_squared"][0] / reserved**2 if reserved else 0.0
    nested["utilisation"] = (raw["live_bytes"] - booked) / reserved if reserved else 1.0
    # One of ours has the name of a whole group of PyTorch's: it is found there as all.current.
    return nested | {name: value for name, value in raw.items() if name != "reserved_bytes"}


def _metrics(*values: int) -> dict[str, int]:
    return dict(zip(_METRICS, values, strict=True))


def _now(value: int) -> dict[str, int]:
    """What is found by looking, and not followed."""
    return _metrics(value, value, 0, 0)


def memory_stats(device: _Device = None) -> dict[str, Any]:
    """Return the counters of the allocator of a device: PyTorch's keys, and ours.

    PyTorch's are `{what}.{pool}.{metric}`: what is one of allocation, segment, active,
    inactive_split, allocated_bytes, reserved_bytes, active_bytes, inactive_split_bytes and
    requested_bytes; the pool all, small_pool (requests up to 256 KiB) or large_pool; the metric
    current, peak, allocated (ever) or freed. Besides there are `oversize_*`, `num_*` and
    `max_split_size`, which means nothing here and is -1. What they mean here:

    - allocated_bytes and requested_bytes are both what was asked for; the bytes that the blocks for
      it have stand in active_bytes.
    - CPU tensors of up to 64 bytes lie beside their storages and have no block. Their bytes are in
      `booked_bytes`, and in the `all` of the three above, of what has been allocated only those
      that live. So `allocated_bytes.all.current` is `memory_allocated()`.
    - active and active_bytes count pending blocks too: those that were released while another
      stream may still use them. Allocated ones are without these.
    - inactive_split* are walked at each call: their peak is the current value, and what was
      allocated and freed of them is 0.

    Ours: `live_bytes` and `peak_live_bytes` (asked for by live tensors), `booked_bytes`,
    `reserved_bytes`, `peak_reserved_bytes`, `pending_bytes` (released, and perhaps still used by
    another stream), `cached_bytes`, `largest_free_block`, `foreign_bytes` (memory that is not ours,
    outside the limit), `scratch_bytes` and `peak_scratch_bytes` (what the CPU's kernels take from
    the system while they run, in pieces of 4 KiB and more, within the limit; what BLAS takes for
    itself is not in it), `allocation_count`, `free_count`, `segment_count`, `cache_hits` (blocks
    handed out at the first look), `cache_misses` (requests that took longer, failed ones too),
    `step_saved.{step}` (misses by what served them: search, grow, other_sizes, other_streams,
    callbacks, pending, garbage, trim; see docs/concepts/memory.md), `map_count`, `map_time_us`,
    `unmap_count`, `unmap_time_us` (calls of the device, failed ones too), `stream_wait_count`
    (waits for pending blocks when memory had run out), `moved_bytes` (taken from where it lay free,
    to grow where it was wanted, ever), `stolen_bytes` (given to one stream out of another's, ever),
    `retry_count` (requests for which free memory was returned first), `gc_runs`,
    `gc_freed_bytes`, `gc_time_us`, `out_of_memory_count`, `fragmentation` (1 - the largest free
    block / all that is free), `frag_sq` (the sum of the squares of the free blocks / the square of
    what is reserved) and `utilisation` (live / reserved).

    Args:
        device: The CPU by default.

    Raises:
        DeviceError: There is no such device.

    >>> x = gb.zeros(1000)
    >>> stats = gb.memory.memory_stats()
    >>> stats["allocated_bytes.all.current"] == gb.memory.memory_allocated()
    True
    """
    flat = _flat("", memory_stats_as_nested_dict(device))
    flat["reserved_bytes"] = flat["reserved_bytes.all.current"]
    return dict(sorted(flat.items()))


def _flat(prefix: str, nested: dict[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in nested.items():
        flat |= _flat(f"{prefix}{name}.", value) if isinstance(value, dict) else {}
        if not isinstance(value, dict):
            flat[prefix + name] = value
    return flat


# Title, key, whether it is bytes. Those of the first group are also told by pool.
_ROWS = (
    ("Allocated memory", "allocated_bytes", True),
    ("Active memory", "active_bytes", True),
    ("Requested memory", "requested_bytes", True),
    ("Reserved memory", "reserved_bytes", True),
    ("Non-releasable memory", "inactive_split_bytes", True),
    ("Allocations", "allocation", False),
    ("Active allocs", "active", False),
    ("Reserved segments", "segment", False),
    ("Non-releasable allocs", "inactive_split", False),
)
_PARTS = (
    ("all", ""),
    ("large_pool", "      from large pool"),
    ("small_pool", "      from small pool"),
)


def memory_summary(device: _Device = None, abbreviated: bool = False) -> str:
    """Return `memory_stats` as a table, in bytes, with what the device holds besides.

    Args:
        device: The CPU by default.
        abbreviated: Leave the two pools out.

    Raises:
        DeviceError: There is no such device.

    >>> "Allocated memory" in gb.memory.memory_summary()
    True
    """
    from io import StringIO

    from rich.box import ASCII
    from rich.console import Console
    from rich.table import Table

    stats = memory_stats_as_nested_dict(device)
    name = str(_engine.device(device or "cpu"))
    table = Table(
        title=f"garboard memory summary, {name}: {stats['num_ooms']} out of memory, "
        f"{stats['num_alloc_retries']} retries",
        box=ASCII,
    )
    table.add_column("Metric", no_wrap=True)
    for title in ("Current", "Peak", "Allocated", "Freed"):
        table.add_column(title, justify="right", no_wrap=True)
    for title, key, is_bytes in _ROWS:
        unit = " B" if is_bytes else ""
        for pool, part in _PARTS[:1] if abbreviated else _PARTS:
            values = (f"{stats[key][pool][metric]:,}{unit}" for metric in _METRICS)
            table.add_row(part or title, *values)
        table.add_section()
    limit = _engine._memory_limit(device)
    table.add_row("Cached memory", f"{stats['cached_bytes']:,} B")
    table.add_row("Largest free block", f"{stats['largest_free_block']:,} B")
    table.add_row("Foreign memory", f"{stats['foreign_bytes']:,} B")
    scratch = (f"{stats[key]:,} B" for key in ("scratch_bytes", "peak_scratch_bytes"))
    table.add_row("Kernels' scratch", *scratch)
    table.add_row("Limit", "none" if limit is None else f"{limit:,} B")
    table.caption = (
        f"{human_bytes(stats['live_bytes'])} live, "
        f"{human_bytes(stats['peak_live_bytes'])} at the peak"
    )
    out = StringIO()
    # In a notebook rich displays what it is to print, and writes nothing.
    console = Console(
        file=out, width=120, color_system=None, legacy_windows=False, force_jupyter=False
    )
    console.print(table)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())
