"""The part of the stub about the base of networks, whose call is C."""

__all__ = ["MODULES"]

MODULES = """\
class _ModuleBase:
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def _is_called_plainly(self) -> _bool: ...
"""
