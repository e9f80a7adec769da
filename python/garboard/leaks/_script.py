"""A script run under watch, otherwise as `python script.py` runs it."""

from __future__ import annotations

import builtins
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType, TracebackType
from typing import Any, NoReturn

from garboard._arguments.texts import printable, shown
from garboard._whole_files import replace_file
from garboard.leaks import _watch
from garboard.leaks._errors import LeakError
from garboard.leaks._keeping import Keeper
from garboard.leaks.evidence._evidence import Provider
from garboard.leaks.findings._leak import GRAVITY, Leak
from garboard.leaks.judging._checked import Checked
from garboard.leaks.reports._forms import form_of
from garboard.leaks.reports._report import LeakReport

__all__ = ["ScriptRun"]

_NOT_JUDGED = "the script raised, so what it keeps was not judged"
_OF_TORCH = "the script has tensors of PyTorch's; --provider torch watches those"
_INTERRUPTED = 130  # what shells say of a program that SIGINT ended


class ScriptRun:
    """One run of a script. A step ends when an optimizer comes round again; where the script has
    watches of its own that count steps, their findings are the report.

    Args:
        script: The file.
        arguments: What the script finds behind its name in `sys.argv`.
        files: Where the report is written to; the form goes by the name's end.
        provider: Whose tensors and optimizers: "garboard" or "torch", which is imported.

    Raises:
        ImportError: PyTorch is asked for and is not installed.
        OSError: The script cannot be read.
        ValueError: It is no text, or a report has no form or no folder.
    """

    def __init__(
        self,
        script: str,
        arguments: Sequence[str],
        files: Sequence[str],
        provider: Provider = "garboard",
    ) -> None:
        self._torch = import_module("torch") if provider == "torch" else None
        self._files = [_checked(file) for file in files]
        self._given, self._arguments = script, list(arguments)
        self._script = os.path.abspath(script)
        with io.open_code(self._script) as file:
            self._source = file.read()
        self._announced: list[Leak] = []
        self._own: list[LeakReport] = []  # of the script's watches
        self._seen: set[int] = set()  # optimizers that stepped in this round
        self._watcher = _watch.LeakWatcher(self._announced.append, provider=provider)
        self._is_over = False

    def run(self, fail_on: str | None) -> int:
        """Run it, say and write what was found, and return the exit status."""
        from garboard.optim import _hooked

        worst = GRAVITY[: ("leak", "growing", "cycle").index(fail_on) + 1] if fail_on else ()
        process, leave = os.getpid(), os._exit

        def report_and_leave(status: int) -> NoReturn:
            if os.getpid() == process and not self._is_over:
                with suppress(Exception):
                    status = self._end(status, worst, is_judged=True)
            leave(status)

        module = self._become_main()
        _hooked.listeners.append(self._optimizer_stepped)
        handle = self._listen_to_torch()
        _watch.listeners.append(self._own.append)
        os._exit = report_and_leave
        keeper = Keeper(self._write_early) if self._files else None
        if keeper is not None:
            keeper.start()
        try:
            self._watcher.__enter__()
            self._watcher._watch_file(self._script)
            status, is_judged = self._executed(module)
        finally:
            if keeper is not None:
                keeper.stop()
            os._exit = leave
            _watch.listeners.remove(self._own.append)
            _hooked.listeners.remove(self._optimizer_stepped)
            if handle is not None:
                handle.remove()
        if os.getpid() != process:  # a forked child came to the end, and is not the script
            return status
        if is_judged:
            self._watcher.__exit__(None, None, None)
        return self._end(status, worst, is_judged)

    def _become_main(self) -> ModuleType:
        """Put the script where python would: in sys.argv, sys.path and sys.modules."""
        module = ModuleType("__main__")
        loader = SourceFileLoader("__main__", self._script)
        vars(module).update(
            __file__=self._script, __builtins__=builtins, __loader__=loader, __cached__=None
        )
        # The command's own module stays: without its namespace, our functions find no names.
        self._command = sys.modules.get("__main__")
        sys.modules["__main__"] = module
        sys.argv = [self._given, *self._arguments]
        sys.path[:1] = [os.path.dirname(os.path.realpath(self._script))]
        return module

    def _executed(self, module: ModuleType) -> tuple[int, bool]:
        """Return the status, and whether the script came to its end."""
        try:
            code: CodeType = compile(self._source, self._script, "exec", dont_inherit=True)
            exec(code, vars(module))
        except SystemExit as left:
            return _status_of(left), True
        except BaseException as error:
            if isinstance(error, LeakError):
                self._own.append(error.report)
            trace = error.__traceback__
            while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
                trace = trace.tb_next
            _tell(error, trace)
            return _INTERRUPTED if isinstance(error, KeyboardInterrupt) else 1, False
        return 0, True

    def _listen_to_torch(self) -> Any:
        """Count steps of PyTorch's optimizers, where its tensors are watched."""
        if self._torch is None:
            return None
        optimizers = import_module("torch.optim.optimizer")
        register = optimizers.register_optimizer_step_post_hook
        return register(lambda optimizer, *_: self._optimizer_stepped(optimizer))

    def _optimizer_stepped(self, optimizer: object) -> None:
        """Count a step when an optimizer steps that did so before: others may step in between."""
        if id(optimizer) in self._seen:
            self._seen.clear()
            self._watcher.step()
        self._seen.add(id(optimizer))

    def _end(self, status: int, worst: Sequence[str], is_judged: bool) -> int:
        """Print and write the report; the status is the script's where that is an error."""
        self._is_over = True
        report = self._report(is_judged)
        with suppress(OSError, ValueError, AttributeError):  # the script may have closed it
            sys.stdout.flush()
            if is_judged or report.leaks:
                report.show(sys.stderr)
            else:
                print(f"garboard run: {_NOT_JUDGED}", file=sys.stderr)
            if self._torch is None and "torch" in sys.modules and not report.checked.born:
                print(f"garboard run: {_OF_TORCH}", file=sys.stderr)
        if not self._write(report):
            status = status or 2
        return status or int(any(leak.verdict in worst for leak in report.leaks))

    def _write(self, report: LeakReport) -> bool:
        """Write the files; tell whether that worked."""
        found = True
        for path in self._files:
            try:
                replace_file(path, form_of(path)(report))
            except OSError as error:
                print(f"garboard run: {printable(str(error))}", file=sys.stderr)
                found = False
        return found

    def _write_early(self, why: str) -> None:
        """Write what is known before the script's end: somebody asks, or there will be none."""
        now = [watcher._known() for watcher in tuple(_watch.running)]
        counted = [it for it in (*self._own, *now) if it.checked.steps]
        report = _merged(counted or now)
        self._write(replace(report, notes=(f"written before the end: {why}", *report.notes)))

    def _report(self, is_judged: bool) -> LeakReport:
        counted = [it for it in self._own if it.checked.steps]
        if counted:
            return _merged(counted)
        if not is_judged:  # the traceback keeps frames, and they their tensors
            return LeakReport(tuple(self._announced), (_NOT_JUDGED,))
        return _merged([self._watcher.report(), *self._own])


def _checked(file: str) -> Path:
    path = Path(file)
    try:
        form_of(path)
    except ValueError as error:
        raise ValueError(f"--report {error}") from None
    if not path.parent.is_dir():
        raise ValueError(f"--report {shown(file)}; its folder does not exist")
    return path.absolute()  # the script may go elsewhere


def _merged(reports: Sequence[LeakReport]) -> LeakReport:
    if len(reports) == 1:
        return reports[0]
    leaks = {leak.fingerprint: leak for report in reports for leak in report.leaks}
    checked = [report.checked for report in reports]
    return LeakReport(
        tuple(sorted(leaks.values(), key=lambda leak: leak.gravity)),
        tuple(dict.fromkeys(note for report in reports for note in report.notes)),
        Checked(
            steps=max(it.steps for it in checked),
            born=sum(it.born for it in checked),
            alive=sum(it.alive for it in checked),
            grown_bytes=max(it.grown_bytes for it in checked),
            needed=max(it.needed for it in checked),
        ),
        max((report.seen for report in reports), key=lambda it: len(it.timeline)),
    )


def _status_of(left: SystemExit) -> int:
    """Return what python would end with; a text is printed."""
    code: Any = left.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    with suppress(Exception):
        print(code, file=sys.stderr)
    return 1


def _tell(error: BaseException, trace: TracebackType | None) -> None:
    """Print what python would: the script's own hook may say it in its way."""
    error = error.with_traceback(trace)
    try:
        sys.excepthook(type(error), error, trace)
    except Exception:
        sys.__excepthook__(type(error), error, trace)
