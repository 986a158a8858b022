"""Public calls with valid arguments; a test replaces each by junk."""

from __future__ import annotations

import inspect
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import ikrig
from ikrig import solvers

HINGE = ikrig.HingeLimit("x", -1.0, 1.0)
RANGE = {"axis": "x", "lower": -1.0, "upper": 1.0}
CHAIN = ikrig.ChainModel([[0, 0.1 * (i % 2), i] for i in range(4)])
TREE = ikrig.SkeletonModel(
    [[0, 0, 0], [0, 0, 1], [-1, 0.1, 1], [1, 0.1, 1]], [-1, 0, 1, 1]
)
GIVEN = [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0] * 4
ROBOT = ikrig.RobotModel(
    [
        ikrig.Body("base", joints=[ikrig.Joint("turn")], sites=[ikrig.Site("tip")]),
        ikrig.Body("mark", mocap=True),
    ]
)
CLIP = ikrig.Clip(
    "wave",
    [
        ikrig.Track("hand", "weight", {0: 0.0, 1.0: 1.0}),
        ikrig.Track("hand", "target", ikrig.Circle()),
    ],
    events=[(0.5, "hello")],
    wrap="loop",
    duration=2.0,
)
ARM = ikrig.SphericalWristArm()
PLACE, TURN = ARM.forward(np.full(6, 0.3))
MEASURES = {"a1": 0.1, "a2": 0.0, "b": 0.0, "c1": 1.0, "c2": 1.0, "c3": 1.0, "c4": 0.2}
BOUNDS = {"lower": [-3.0] * 6, "upper": [3.0] * 6}
# where the axes of an upright arm are
ANCHORS = [[0, 0, 0], [0, 0, 1], [0, 0, 2], [0, 0, 3], [0, 0, 3], [0, 0, 3]]
AXES = [[0, 0, 1], [0, 1, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0], [0, 0, 1]]
# an arm that stands straight up, and its leaf
SIX = ikrig.ChainModel([[0, 0, z] for z in (0.0, 0.4, 1.0, 1.3, 1.7, 1.9, 2.1)])
SIX_LIMITS = {j: ikrig.HingeLimit(axis, -2.0, 2.0) for j, axis in enumerate("zyyzyz")}
BONE = {"pos": [0, 0, 1], "quat": [1, 0, 0, 0]}


STILL = ikrig.PoseClip([array("f", [1.0] * 57)], 30.0)
COLLIDER = {
    "joint": "a",
    "radius": 0.1,
    "offset": (0, 0, 0),
    "tail": (0, 0, 1),
    "normal": None,
    "inside": True,
}
GRIP = {
    "point": (0, 0, 0),
    "axis": "z",
    "approach": (0, 1, 0),
    "length": 0.5,
    "pose": "fist",
    "seconds": 0.5,
    "reach": [(0.0, 0.0), (0.5, 1.0)],
    "weight": [(0.0, 0.0), (0.5, 1.0)],
    "curl": [(0.0, 0.0), (0.5, 1.0)],
    "events": [[0.2, "opened"]],
    "strength": 10.0,
}
SPRING = {
    "joints": ["a", "b"],
    "stiffness": [1.0, 1.0],
    "gravity_power": 0.1,
    "gravity_dir": (0, 0, -1),
    "drag_force": 0.5,
    "hit_radius": 0.0,
    "center": None,
    "colliders": ["head"],
    "tail": None,
    "ends": [(0, 0, 1), (0, 0, 1)],
    "limits": {},
}


def figure() -> Any:
    """Three joints, slightly bent."""
    rest = np.tile(np.eye(4), (3, 1, 1))
    rest[1:, 3, :3] = (0.0, 0.1, 1.0), (0.0, -0.1, 1.0)
    return ikrig.Character(["a", "b", "c"], [-1, 0, 1], rest)


def player() -> Any:
    return ikrig.PosePlayer(figure().pose(), {"still": STILL})


def pose_chain(settings: Any, **given: Any) -> Any:
    return ikrig.PoseChain(**given, weight=settings)


def goal() -> Any:
    return ikrig.Goals(1)[0]


def model_of(body: Any) -> Any:
    return ikrig.RobotModel([body])


def body_with(part_kind: Callable[..., Any], /, **found: Any) -> Any:
    """A tree with one part: parts are plain data until a tree is built of them."""
    part = part_kind(**found)
    key = {ikrig.Joint: "joints", ikrig.Site: "sites", ikrig.Geom: "geoms"}[part_kind]
    return model_of(ikrig.Body("base", **{key: [part]}))


def on(kind: Callable[[], Any], method: str) -> Callable[..., Any]:
    """A method of something that is made anew for each call."""
    return lambda **given: getattr(kind(), method)(**given)


def chain() -> Any:
    return solvers.FabrikSolver(CHAIN, {1: HINGE})


def free_chain() -> Any:
    return solvers.FabrikSolver(CHAIN)


def tree() -> Any:
    return solvers.MultiEffectorSolver(TREE)


def free_tree() -> Any:
    return solvers.MultiEffectorSolver(TREE, pinned=False)


def state() -> Any:
    return ikrig.RobotState(ROBOT)


def put(name: str) -> Callable[..., Any]:
    return lambda value: setattr(state(), name, value)


CHAIN_KIND = {"model": CHAIN, "limits": {1: HINGE}}
SOLVE = {
    "goal": [0.0, 1.0, 2.0],
    "pole": [0.0, 5.0, 0.0],
    "root": [0.0, 0.0, 0.0],
    "goal_rotation": [1.0, 0.0, 0.0, 0.0],
    "settings": ikrig.SolveSettings(max_step=1.0),
    "dt": 0.1,
}
SOLVE_TREE = {
    "goals": [[-1.0, 0.5, 0.5], [1.0, 0.5, 0.5]],
    "rotations": [[1.0, 0.0, 0.0, 0.0], None],
    "weights": [1.0, 2.0],
    "orientation_weights": [0.1, 0.0],
    "root": [0.0, 0.0, 0.0],
    "settings": ikrig.SolveSettings(max_step=1.0),
    "dt": 0.1,
}
POSE = {"rotations": np.tile([1.0, 0.0, 0.0, 0.0], (4, 1)), "shifts": {}}
WHEN = {"begin": 0.0, "end": 1.0}
TARGET = {"position": PLACE, "rotation": TURN, "near": np.zeros(6)}
KEY = {"part": "hand", "channel": "weight", "time": 0.5}

CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    # models and limits
    "ChainModel": (ikrig.ChainModel,
     {"positions": CHAIN.positions, "rotations": CHAIN.rotations,
      "frame_rotations": CHAIN.rotations, "names": CHAIN.names,
      "bend": (0.0, 1.0, 0.0)}),
    "SkeletonModel": (ikrig.SkeletonModel,
     {"positions": TREE.positions, "parents": TREE.parents, "rotations": TREE.rotations,
      "frame_rotations": TREE.rotations, "names": TREE.names, "bends": {2: (0, 1, 0)}}),
    "HingeLimit": (ikrig.HingeLimit, {**RANGE, "follows": ("lead", 1.0, 0.0)}),
    "SlideLimit": (ikrig.SlideLimit, {**RANGE, "follows": ("lead", 1.0, 0.0)}),
    "jog": (ikrig.jog,
            {"position": (0, 0, 0), "rotation": (1, 0, 0, 0), "velocity": (0.1, 0, 0),
             "spin": (0, 0, 0.1), "dt": 0.02, "frame": "tool"}),
    "AxesLimit": (ikrig.AxesLimit, {"axes": "xy", "lower": [0, 0], "upper": [1, 1]}),
    "BallLimit": (ikrig.BallLimit, {"most": 1.0}),
    "ConeLimit": (ikrig.ConeLimit, {"half_angles": 1.0, "twist": (0, 1), "up": "z"}),
    "FixedLimit": (ikrig.FixedLimit, {}),
    "Collider": (ikrig.Collider, COLLIDER),
    "Grip": (ikrig.Grip, GRIP),
    "Spring": (ikrig.Spring, SPRING),
    "SpringLimit": (ikrig.SpringLimit,
     {"kind": "cone", "angle": 1.0, "yaw": 1.0, "rotation": (1, 0, 0, 0), "up": "y"}),
    # solvers
    **{
        name: (getattr(solvers, name), CHAIN_KIND)
        for name in ("ChainSolver", "FabrikSolver", "CcdSolver", "DlsSolver")
    },
    **{
        name: (getattr(solvers, name), CHAIN_KIND)
        for name in ("BfgsSolver", "CgSolver", "PinvSolver", "TransposeSolver")
    },
    "LearnedSolver": (solvers.LearnedSolver, CHAIN_KIND),
    "TwoBoneSolver": (solvers.TwoBoneSolver,
     {"model": ikrig.ChainModel(CHAIN.positions[:3]), "limits": None}),
    "MultiEffectorSolver": (solvers.MultiEffectorSolver,
                            {"model": TREE, "effectors": [2, 3], "limits": {1: HINGE},
                             "method": "dls", "pinned": True}),
    "make_solver": (solvers.make_solver, {"name": "dls", **CHAIN_KIND}),
    "register_solver": (ikrig.register_solver,
     {"name": "mine", "factory": solvers.DlsSolver}),
    "solver_names": (solvers.solver_names, {}),
    "SolveSettings": (ikrig.SolveSettings,
     dict.fromkeys(inspect.signature(ikrig.SolveSettings).parameters)),
    "solve a chain": (on(free_chain, "solve"), SOLVE),
    "solve a limited chain": (on(chain, "solve"), SOLVE),
    "solve a tree": (on(tree, "solve"), SOLVE_TREE),
    "solve a free tree": (on(free_tree, "solve"), SOLVE_TREE),
    "set_rest_pose of a chain": (on(chain, "set_rest_pose"), {"model": CHAIN}),
    "set_rest_pose of a tree": (on(tree, "set_rest_pose"), {"model": TREE}),
    "animate a chain": (on(chain, "animate"), {"joints": GIVEN}),
    "animate a tree": (on(tree, "animate"), {"joints": GIVEN}),
    "animate a free tree": (on(free_tree, "animate"), {"joints": GIVEN}),
    "pose a chain": (on(chain, "set_pose"), POSE),
    "pose a free chain": (on(free_chain, "set_pose"), POSE),
    "pose a tree": (on(tree, "set_pose"), {**POSE, "pulled": [0.0, 0.0, 0.0]}),
    "pose a free tree": (on(free_tree, "set_pose"),
                         {**POSE, "pulled": [0.0, 0.0, 0.0]}),
    # trees of bodies
    "RobotModel": (ikrig.RobotModel,
     {"bodies": [ikrig.Body("base")], "name": "robot", "warnings": ("lost",),
      "loops": ()}),
    "Body": (lambda **given: model_of(ikrig.Body(**given)),
     {"name": "base", "parent": "world", **BONE, "joints": [ikrig.Joint("turn")],
      "sites": [ikrig.Site("tip")], "geoms": [ikrig.Geom("box")], "mocap": False,
      "ipos": [0, 0, 0], "iquat": [1, 0, 0, 0]}),
    "Joint": (lambda **given: body_with(ikrig.Joint, **given),
     {"name": "turn", "kind": "hinge", "axis": "z", "anchor": [0, 0, 0],
      "range": (-1.0, 1.0), "qpos0": 0.0, "speed": 1.0, "mimic": None,
      "multiplier": 1.0, "offset": 0.0}),
    "Site": (lambda **given: body_with(ikrig.Site, **given), {"name": "tip", **BONE}),
    "Geom": (lambda **given: body_with(ikrig.Geom, **given),
     {"kind": "mesh", "size": [1, 1, 1], **BONE, "rgba": [1, 1, 1, 1],
      "mesh": ikrig.Mesh("rock", np.eye(3), np.array([[0, 1, 2]])), "name": "shape",
      "group": 0, "collides": True, "texture": Path("rock.png")}),
    "Mesh":
     (lambda **given: body_with(ikrig.Geom, kind="mesh", mesh=ikrig.Mesh(**given)),
      {"name": "rock", "vertices": np.eye(3), "faces": np.array([[0, 1, 2]])}),
    "MeshFile":
     (lambda **given: body_with(ikrig.Geom, kind="mesh", mesh=ikrig.MeshFile(**given)),
      {"path": Path("rock.dae"), "scale": (1.0, 2.0, 3.0)}),
    "body_index": (ROBOT.body_index, {"name": "base"}),
    "joint_index": (ROBOT.joint_index, {"name": "turn"}),
    "site_index": (ROBOT.site_index, {"name": "tip"}),
    "forward_kinematics": (ikrig.forward_kinematics,
                           {"model": ROBOT, "qpos": np.zeros((5, 1)),
                            "mocap_pos": [[0, 0, 1]], "mocap_quat": [[1, 0, 0, 0]]}),
    "RobotSolver": (ikrig.RobotSolver,
     {"model": ROBOT, "effectors": "tip", "method": "dls"}),
    "SixAxisSolver": (solvers.SixAxisSolver, {"model": SIX, "limits": SIX_LIMITS}),
    # poses
    "Pose": (ikrig.Pose,
     {"names": ["a", "b"], "parents": [-1, 0], "rest": [np.eye(4)] * 2}),
    "Character": (ikrig.Character,
     {"names": ["a", "b", "c"], "parents": [-1, 0, 1], "rest": [np.eye(4)] * 3,
      "clips": {"still": STILL}}),
    "play": (on(player, "play"),
     {"name": "still", "weight": 0.5, "rate": 1.0, "loop": True, "start": 0.5}),
    "PoseChain": (pose_chain,
     {"pose": figure().pose(), "joint": "c", "chain_length": 2,
      "goal": ikrig.Goals(2)[1], "orientation_mode": "bone", "tip": [0, 0, 0.1],
      "solver": "dls", "limits": {"b": HINGE}, "settings": 0.5}),
    "PosePlayer": (ikrig.PosePlayer,
     {"pose": figure().pose(), "clips": {"still": STILL}}),
    "Goals": (ikrig.Goals, {"count": 2}),
    "turn a goal": (on(goal, "turn"), {"rotation": [1.0, 0.0, 0.0, 0.0]}),
    "bend to a pole": (on(goal, "bend_to"), {"pole": [1.0, 0.0, 0.0]}),
    "CrowdLevel": (ikrig.CrowdLevel, {"size": 0.1, "rate": 15.0, "layers": True}),
    "FootSettings": (
        ikrig.FootSettings,
        dict.fromkeys(
            (
                *("step_height", "max_tilt", "lock", "lock_distance", "foot_seconds"),
                *("hips_seconds", "release_seconds", "look_ahead"),
            ),
            0.3,
        ),
    ),
    "Heightfield": (ikrig.Heightfield,
     {"heights": [[0.0, 1.0], [0.5, 0.0]], "origin": (0, 0), "size": (2, 2)}),
    "RobotState": (ikrig.RobotState,
     {"model": ROBOT, "shape": (2,), "qpos": [0.5], "mocap_pos": [[0, 0, 1]],
      "mocap_quat": [[1, 0, 0, 0]]}),
    "set qpos": (put("qpos"), {"value": [0.5]}),
    "set mocap_pos": (put("mocap_pos"), {"value": [[0, 0, 1]]}),
    "set mocap_quat": (put("mocap_quat"), {"value": [[1, 0, 0, 0]]}),
    "jacobian of a body": (on(state, "jacobian"), {"body": "base", "point": [0, 0, 1]}),
    "jacobian of a site": (on(state, "jacobian"), {"site": "tip", "point": [0, 0, 1]}),
    # six-axis arms
    "SphericalWristArm": (ikrig.SphericalWristArm,
                          {"lengths": [4, 6, 3, 4, 2, 1], **BOUNDS}),
    "opw": (ikrig.SphericalWristArm.opw,
            {**MEASURES, "signs": [1] * 6, "offsets": [0] * 6, **BOUNDS}),
    "from_axes": (ikrig.SphericalWristArm.from_axes,
     {"anchors": ANCHORS, "axes": AXES, "tool_position": [0, 0, 4],
      "tool_rotation": np.eye(3), **BOUNDS}),
    "forward": (ARM.forward, {"q": np.zeros(6)}),
    "solve_all": (ARM.solve_all, TARGET),
    "solve": (ARM.solve, TARGET),
    "solve_path": (ARM.solve_path,
     {"positions": [PLACE], "rotations": [TURN], "near": np.zeros(6), "max_step": 0.5}),
    "rotation_from_ypr": (ikrig.rotation_from_ypr,
                          {"yaw": 0.1, "pitch": 0.2, "roll": 0.3}),
    # clips
    "Clip": (ikrig.Clip,
     {"name": "wave", "tracks": CLIP.tracks, "events": [(0.5, "hello")], "wrap": "loop",
      "duration": 2.0, "path": Path("wave.yaml"), "sources": [Path("wave.yaml")]}),
    "Track": (ikrig.Track,
     {"part": "hand", "channel": "weight", "motion": {0: 0.0}, "curve": "linear"}),
    "Key": (lambda **given: ikrig.Track("hand", "target", {0: ikrig.Key(**given)}),
            {"value": (0, 0, 1), "then": "cubic"}),
    "Key of a turn":
     (lambda **given: ikrig.Track("hand", "rotation", {0: ikrig.Key(**given)}),
      {"value": (1, 0, 0, 0), "then": (0.1, 0.2, 0.3, 0.4)}),
    "Track.with_key": (CLIP.tracks[0].with_key,
     {"time": 0.5, "value": 0.5, "then": "step"}),
    "Track.without_key": (CLIP.tracks[0].without_key, {"time": 1.0}),
    "Track.moved_key": (CLIP.tracks[0].moved_key, {"time": 1.0, "to": 0.5}),
    "Circle": (ikrig.Circle,
     {"centre": (0, 0, 0), "radius": 1.0, "axis": "z", "turns": 1.0, "start": 0.0,
      **WHEN}),
    "Motion": (ikrig.Motion,
     {"names": ["hip", "knee"], "parents": [-1, 0],
      "offsets": [(0, 0, 1), (0, 0, -0.5)], "rotations": [[(1, 0, 0, 0)] * 2] * 3,
      "positions": None, "times": None, "fps": 30.0, "rest_rotations": None,
      "name": "still", "loop": False, "soles": None, "cuts": None, "notes": ()}),
    "Spline": (ikrig.Spline,
     {"points": [(0, 0, 0), (1, 0, 0), (1, 1, 0)], "closed": True, "laps": 1, **WHEN}),
    "Noise": (ikrig.Noise,
     {"centre": (0, 0, 0), "size": 0.1, "every": 0.5, "seed": 1, **WHEN}),
    "reduce_clip": (ikrig.reduce_clip,
     {"clip": CLIP, "tolerance_deg": 0.1, "tolerance": 0.1}),
    "Clip.sample": (CLIP.sample, {"time": 0.5}),
    "Clip.local_time": (CLIP.local_time, {"time": 0.5}),
    "Clip.events_between": (CLIP.events_between, {"start": 0.0, "end": 1.0}),
    "Clip.with_track": (CLIP.with_track,
     {"part": "foot", "channel": "pole", "motion": ikrig.Noise(), "curve": "step"}),
    "Clip.with_key": (CLIP.with_key, {**KEY, "value": 0.5, "then": "cubic"}),
    "Clip.without_key": (CLIP.without_key, {**KEY, "time": 0.0}),
    "Clip.moved_key": (CLIP.moved_key, {**KEY, "time": 0.0, "to": 0.2}),
    "Clip.with_event": (CLIP.with_event, {"time": 0.1, "name": "step"}),
    "Clip.track": (CLIP.track, {"part": "hand", "channel": "weight"}),
}  # fmt: skip
