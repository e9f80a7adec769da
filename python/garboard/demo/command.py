"""`garboard demo` on the command line."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from garboard._contexts.generator import manual_seed

__all__ = ["SUMMARY", "add_options", "run"]

SUMMARY = "train on handwritten digits, plant a leak, read its name"


def add_options(parser: ArgumentParser) -> None:
    """Add what the demo can be told."""
    parser.add_argument("--epochs", type=int, default=25, help="how long to train (25)")
    parser.add_argument("--seed", type=int, default=0, help="of weights, split and batches (0)")
    parser.add_argument("--plain", action="store_true", help="no colours, no progress bars")


def run(options: Namespace) -> int:
    """Run the demo; 0 if all it promises came true."""
    if options.epochs < 1:
        raise SystemExit(f"garboard demo: --epochs {options.epochs}; 1 or more is needed")
    from garboard.demo.acts import run_acts
    from garboard.demo.stage import Stage

    manual_seed(options.seed)
    stage = Stage(options.plain)
    run_acts(stage, options.epochs)
    if stage.failed:
        stage.say(f"\nwhat did not hold: {'; '.join(stage.failed)}", "bold red")
        return 1
    stage.say(f"\nall {len(stage.held)} claims held", "bold green")
    return 0
