"""Train the solver "learned" for your own arm, and compare it with dls.

The result is a Python module. A program that imports it can use the module's name as
a solver: IKChain(..., solver="NAME"), and "solver: NAME" in rig files. The first
joint of such a chain is the robot's first joint, and the last is its tool. The command
prints its success rate: how many goals are reached with 10 and with 100 iterations.
Training takes some minutes; the same seed gives the same network.

examples:
  python -m ikrig train arm.urdf -o my_arm.py --tool tool0
  python -m ikrig train arm.yaml -o my_arm.py --steps 2000 --goals 100
"""

from __future__ import annotations

import argparse

from ..errors import SettingError
from ..files.output_file import check_output, write_text
from ..formats.load_robot import load_robot
from ..formats.xml_limits import robot_sources
from ..solvers.registry import BUILT_IN
from .arguments import UsageError, add, add_model, add_out, existing_file, whole
from .file_types import KINDS, file_kind
from .report import Progress, Report, about

DESCRIPTION = str(__doc__)
ENDINGS = (".py",)

REGISTERED = """

class Learned(LearnedSolver):
    \"\"\"Damped least squares that starts from the guess of this network.\"\"\"

    network = ARM


register_solver("{name}", Learned)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    text = "a robot: URDF, MJCF or YAML"
    add(parser, "file", text, existing_file, metavar="ROBOT")
    add_out(parser, "the new module")
    text = "the site or body at the end of the arm; default: the only one"
    add(parser, "--tool", text, metavar="NAME")
    add(parser, "--seed", "random seed", whole, 1)
    add(parser, "--steps", "number of training steps", whole, 20000)
    add(parser, "--goals", "number of goals for the measurement", whole, 300)
    add_model(parser)


def run(options: argparse.Namespace, report: Report) -> None:
    path, out = options.file, options.out
    kind = file_kind(path)
    if kind != "robot":
        raise UsageError(f"{path} is {KINDS[kind]}, not a robot", path)
    name = out.stem
    if not name.isidentifier() or name in BUILT_IN:
        raise UsageError(
            f"{out}: the file's name is also the solver's: it must be a valid Python "
            "module name that ikrig does not use itself",
            out,
        )
    sources = robot_sources(path)
    check_output(out, endings=ENDINGS, sources=sources)
    # imported here because other commands start faster without numpy
    from ..solvers.learned import train
    from ..solvers.learned.network import Network

    with about(path):
        model = load_robot(path, allow=options.allow)
        try:
            tool = train.find_tool(model, options.tool)
        except SettingError as error:
            raise UsageError(f"--tool: {error}", path) from None
        chain = train.robot_chain(model, tool)
    learner = train.Learner(*chain[1:], options.seed, options.steps)
    mean = 0.0
    with Progress("step") as progress:
        for step in range(options.steps):
            mean = learner.step()
            progress.show(step + 1, options.steps)
    title, positions, limits = chain[0], chain[1].positions, chain[2]
    network = Network(
        title=title,
        positions=positions,
        limits=limits,
        sizes=learner.sizes,
        weights=learner.text(),
    )
    text = train.module_text(chain, learner).replace(
        train.IMPORTS, f"{train.IMPORTS}\n{train.SOLVER_IMPORTS}"
    )
    write_text(out, text + REGISTERED.format(name=name), endings=ENDINGS)
    report.result |= {"out": str(out), "tool": tool, "mean_error": mean}
    report.print_result(
        f"{out}: {title}, mean error {mean:.3f}; solver={name!r} once imported"
    )
    found = train.measure(chain, network, options.goals, options.seed + 1)
    for solver, worth in found.items():
        report.result |= {solver: worth._asdict()}
        report.print_result(
            f"  {solver:8} reached {worth.reached} of {options.goals} with 10 "
            f"iterations, {worth.reached_later} with 100, {worth.microseconds:.0f} µs"
        )
