"""Whole programs, each for garboard and for PyTorch."""
