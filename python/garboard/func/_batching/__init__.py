"""What `vmap` hides a batch with: samples that stand for all, and how ops compute them at once."""

from garboard.func._batching import (  # noqa: F401  their rules
    derivatives,
    dims,
    elementwise,
    networks,
    places,
    products,
    shapes,
)

__all__: list[str] = []
