"""Curves, pictures and texts of a training for TensorBoard, written by the package tensorboardX.

`SummaryWriter` is its class of that name, which is imported when the name is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any
from warnings import warn

from garboard import _engine
from garboard._arguments.callers import level_of_caller
from garboard._engine import Tensor
from garboard._names.missing import module_getattr
from garboard._names.paths import publish_paths

__all__ = ["SummaryWriter", "hparams"]

if TYPE_CHECKING:
    from garboard.types import Number

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


def _imported(module: str, op: str) -> Any:
    """A module of the package that writes TensorBoard's files."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != "tensorboardX":
            raise
        raise ModuleNotFoundError(
            f"{op}: the package tensorboardX, which writes TensorBoard's files, is not installed; "
            "pip install tensorboardX",
            name="tensorboardX",
        ) from None


def hparams(
    hparam_dict: Mapping[str, Tensor | Number | str],
    metric_dict: Mapping[str, Tensor | Number],
    hparam_domain_discrete: Mapping[str, Sequence[Number | str]] | None = None,
) -> tuple[object, object, object]:
    """Return the records of a run's settings, by which TensorBoard compares runs.

    `writer._get_file_writer().add_summary(record)` writes one; `SummaryWriter.add_hparams` makes
    and writes all three, in a folder below.

    Args:
        hparam_dict: The settings: numbers, bools, texts and tensors of one element, by name.
        metric_dict: What runs are judged by, by name; of its values nothing is kept.
        hparam_domain_discrete: Refused unless None: the package does not write it.

    Returns:
        The records of the experiment, of the beginning and of the end of the run.

    Raises:
        ModuleNotFoundError: tensorboardX is not installed.
        NotImplementedError: `hparam_domain_discrete` is given.

    >>> from garboard.utils.tensorboard import hparams
    >>> hparams({"rate": 0.1}, {"loss": 1.0}, {"rate": [0.1, 0.2]})
    Traceback (most recent call last):
    NotImplementedError: hparams: hparam_domain_discrete is not written; leave it out
    """
    if hparam_domain_discrete is not None:
        raise NotImplementedError("hparams: hparam_domain_discrete is not written; leave it out")
    records = _imported("tensorboardX.summary", "hparams").hparams
    first, second, third = records(_plain(dict(hparam_dict)), _plain(dict(metric_dict)))
    return first, second, third


def _writer() -> type:
    """Return tensorboardX's class, given arrays and numbers in place of tensors.

    Raises:
        ModuleNotFoundError: tensorboardX is not installed.
    """
    base: Any = _imported("tensorboardX", "SummaryWriter").SummaryWriter
    methods = {it: _of_arrays(getattr(base, it)) for it in dir(base) if it.startswith("add_")}
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
    return type("SummaryWriter", (base,), {**methods, **own})


publish_paths(__name__)
