"""What holds for a block of code: recording, casting, fusing, and where draws come from."""

__all__: list[str] = []
