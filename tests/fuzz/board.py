"""What a child shows its parent while it runs."""

import struct

__all__ = ["BOARD"]

#: The number of the program that runs; programs, calls, errors and interrupts so far.
BOARD = struct.Struct("5q")
