"""Parses the command line, runs a command and returns an exit code."""

from __future__ import annotations

import argparse
import io
import os
import platform
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import NoReturn

from ..errors import IkrigError, MissingPackageError, OutputError, suggest
from .arguments import UsageError
from .report import FAILED, GOOD, STOPPED, WRONG_USAGE, Report

COMMANDS = {
    "check": "Check rigs, clips and robot descriptions for errors.",
    "info": "Print the content of a file.",
    "play": "Play a clip on a rig: in a window, or with --record as a video.",
    "record": "Play a clip on a rig and write the motion of its joints as a clip.",
    "bake": "Play clips on a rig and write the result as animations without IK.",
    "convert": "Convert a file to one of ikrig's own: robots, animations, clips.",
    "quality": "Measure motion in a file: sliding feet, jolting hips, leaping joints.",
    "profile": "Measure what each part of a rig takes in a frame.",
    "train": 'Train the solver "learned" for your own arm, and compare it with dls.',
    "studio": "Rig a character by clicking, try it, and save the rig.",
    "view": "View a model, a rig or a robot, and its animations.",
}
"""The first line about each command; its module is imported when it runs."""
DESCRIPTION = """\
Inverse kinematics for Panda3D, from the command line.

A rig file describes chains, targets and limits; a clip moves targets over time:

  python -m ikrig check assets             find errors in files
  python -m ikrig info arm.yaml            print the content of a file
  python -m ikrig play arm.yaml wave.yaml  play it; --record wave.mp4 needs no display
  python -m ikrig record arm.yaml wave.yaml -o joints.yaml    IK as joint rotations
  python -m ikrig bake human.yaml wave.yaml -o wave.bam       for plain Actor.play
  python -m ikrig convert robot.urdf -o robot.yaml            to ikrig's own files
  python -m ikrig quality walk.bvh         feet that slide, joints that leap
  python -m ikrig profile hero.yaml kick.yaml                 what its parts take
  python -m ikrig train robot.urdf -o my_arm.py               a solver for this arm
  python -m ikrig studio hero.glb          rig a model by clicking, and save a rig file
  python -m ikrig view hero.glb            view a model and its animations
"""
EPILOG = f"""\
Each command has its own --help, with examples.

Exit codes:
  {GOOD}    success
  {FAILED}    a file has errors, or a job failed
  {WRONG_USAGE}    the usage is wrong, a file or a package is missing, or the result
       can't be written
  {STOPPED}  stopped with Ctrl-C

Results go to stdout, messages to stderr. With --json, stdout is one JSON document with
"ok", "errors" (each with file, line, column and message) and the command's results.

A command never overwrites a file from which its result is made, not even through a
link, nor a file of a different type. It replaces a file entirely or not at all.
"""


class _Parser(argparse.ArgumentParser):
    """Raises UsageError instead of exiting."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}\nTry: {self.prog} --help")


class _PrintVersions(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        # slow to import, and needed only here
        from importlib.metadata import version

        from .. import COMPILED, __version__

        kernels = "compiled" if COMPILED else "interpreted"
        packages = [f"{name} {version(name)}" for name in ("panda3d", "numpy")]
        used = ", ".join([*packages, f"Python {platform.python_version()}"])
        print(f"ikrig {__version__} ({kernels}), {used}, {platform.platform()}")
        parser.exit()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return the exit code.

    Args:
        arguments: The arguments after ``python -m ikrig``. Default: ``sys.argv``.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    report = Report(as_json="--json" in words)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # file names may not be valid Unicode
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        if words and not words[0].startswith("-") and words[0] not in COMMANDS:
            # argparse would list all commands and suggest none
            hint = suggest(words[0], COMMANDS)
            _parser("").error(f"there is no command {words[0]!r}: {hint}")
        options = _parser(*words[:1]).parse_args(words)
        options.run(options, report)
        report.close()
        code = report.code
    except SystemExit as done:
        # argparse exits this way after --help
        code = int(done.code or 0)
    except KeyboardInterrupt:
        report.stopped()
        code = STOPPED
    except BrokenPipeError:
        # the reader closed the pipe: prevent a second error at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = GOOD
    except IkrigError as error:
        unusable = isinstance(error, (UsageError, MissingPackageError, OutputError))
        report.report_error(error, code=WRONG_USAGE if unusable else FAILED)
        report.close()
        code = report.code
    except OSError as error:
        # without a file name it is stdout, for example on a full disk
        code = FAILED if error.filename else WRONG_USAGE
        reason = IkrigError(error.strerror or str(error))
        report.report_error(reason, error.filename or "stdout", code=code)
        with suppress(OSError):
            report.close()
        code = report.code
    return code


def _parser(chosen: str = "") -> argparse.ArgumentParser:
    """Return the parser; only the chosen command's module is imported."""
    parser = _Parser(
        prog="python -m ikrig",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--version", action=_PrintVersions, nargs=0, help="print the versions in use"
    )
    commands = parser.add_subparsers(
        title="commands", metavar="COMMAND", required=True, parser_class=_Parser
    )
    for name, about in COMMANDS.items():
        if name != chosen:
            commands.add_parser(name, help=about)
            continue
        command = import_module(f".{name}", __package__)
        text, _, examples = str(command.DESCRIPTION).partition("\n\n")
        own = commands.add_parser(
            name,
            help=about,
            description=text,
            epilog=examples,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        command.add_arguments(own)
        own.add_argument(
            "--json", action="store_true", help="one JSON document on stdout"
        )
        own.set_defaults(run=command.run)
    return parser
