"""The floors of the house: which folder may know which."""

from __future__ import annotations

# What each floor stands on; it knows those and what they know. Between memory, lifetime and kernels
# there is nothing: their tensor introduces them to each other.
STANDS_ON = {
    "csrc/core": [],
    "csrc/device": ["csrc/core"],
    "csrc/memory": ["csrc/device"],
    "csrc/lifetime": ["csrc/device"],
    "kernels": ["csrc/device"],
    "csrc/tensor": ["csrc/memory", "csrc/lifetime"],
    "csrc/ops": ["csrc/tensor", "kernels"],
    "csrc/autograd": ["csrc/ops"],
    "python/bindings": ["csrc/autograd"],
}


def floor_of(file: str) -> str | None:
    """Return the floor a path lies on, if any."""
    return next((floor for floor in STANDS_ON if file.startswith(f"{floor}/")), None)


def known_by(floor: str) -> set[str]:
    """Return the floors that `floor` may include: itself and all below."""
    return {floor}.union(*map(known_by, STANDS_ON[floor]))
