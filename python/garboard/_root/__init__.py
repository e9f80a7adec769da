"""Names that PyTorch has at its root for its own layers, and that programs call all the same.

They take the arguments of its native functions: weights before running numbers, enumerations by
their numbers. They are found when they are asked for, and not listed.
"""

__all__: list[str] = []
