"""Curves, pictures and texts of a training for TensorBoard, written by the package tensorboardX.

`SummaryWriter` is its class of that name, which is imported when the name is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any
from warnings import warn

from garboard import _engine
from garboard._arguments.callers import level_of_caller
from garboard._engine import Tensor
from garboard._names.missing import module_getattr
from garboard._names.paths import publish_paths

__all__ = ["SummaryWriter"]

if TYPE_CHECKING:
    SummaryWriter: Any
else:
    _missing = module_getattr(__name__)

    def __getattr__(name: str) -> Any:
        if name != "SummaryWriter":
            return _missing(name)
        globals()[name] = made = _writer()
        return made


def _plain(value: Any) -> Any:
    """What NumPy and Python know, in place of the tensors of a nest."""
    if isinstance(value, Tensor):
        host = value.detach().cpu()
        host = host.float() if host.dtype == _engine.bfloat16 else host
        return host.numpy().copy() if host.ndim else host.item()
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if type(value) in (list, tuple):
        return type(value)(map(_plain, value))
    return value


def _of_arrays(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def add(self: Any, *given: Any, **named: Any) -> Any:
        return method(self, *map(_plain, given), **_plain(named))

    return add


def _add_graph(self: object, *given: object, **named: object) -> None:
    """Warn, and write nothing: ops run as they are called, and there is no graph of a model."""
    warn(
        "add_graph: ops run as they are called, and nothing records a graph of the model, so none "
        "is written; leave it out",
        stacklevel=level_of_caller(),
    )


def _get_logdir(self: Any) -> str:
    """Return the folder that is written to."""
    return str(self.log_dir)


def _log_dir(self: Any, name: str) -> Any:
    """The folder by PyTorch's name, `log_dir`; nothing else is missing there."""
    if name != "log_dir" or "logdir" not in vars(self):
        told = f"'SummaryWriter' object has no attribute '{name}'"
        raise AttributeError(told, name=name, obj=self)
    return self.logdir


def _writer() -> type:
    """Return tensorboardX's class, given arrays and numbers in place of tensors.

    Raises:
        ModuleNotFoundError: tensorboardX is not installed.
    """
    try:
        from tensorboardX import SummaryWriter as Base  # type: ignore[import-not-found]
    except ModuleNotFoundError as error:
        if error.name != "tensorboardX":
            raise
        raise ModuleNotFoundError(
            "SummaryWriter: the package tensorboardX, which writes TensorBoard's files, is not "
            "installed; pip install tensorboardX",
            name="tensorboardX",
        ) from None
    methods = {it: _of_arrays(getattr(Base, it)) for it in dir(Base) if it.startswith("add_")}
    about = (
        "Writes what TensorBoard shows: tensorboardX's class, whose arguments are PyTorch's.\n\n"
        "    Tensors are copied as they come, to arrays and numbers, so nothing of them stays.\n"
    )
    own = {
        "__doc__": about,
        "__module__": __name__,
        "add_graph": _add_graph,
        "get_logdir": _get_logdir,
        "__getattr__": _log_dir,
    }
    return type("SummaryWriter", (Base,), {**methods, **own})


publish_paths(__name__)
