"""Random robots, and their poses by matrices and the definitions."""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

import numpy as np

from ikrig import Body, Joint, JointKind, Site
from tests import reference

OUTPUTS = (
    *("xpos", "xquat", "xmat", "xanchor", "xaxis", "xipos", "ximat"),
    *("site_xpos", "site_xmat"),
)


def turn(rng, small: float = 0.0) -> np.ndarray:
    """A random unit quaternion; now and then no turn at all, or a small one [rad]."""
    kind = rng.choice(["any", "none", "small"])
    if kind == "any":
        return reference.unit(rng.normal(size=4))
    x, y, z = small * rng.normal(size=3) * (kind == "small")
    return np.array([1.0, x, y, z])


def place(rng) -> np.ndarray:
    """A random vector, now and then zero."""
    return rng.normal(size=3) * (rng.random() < 0.7)


def random_bodies(rng, count: int) -> list[Body]:
    """A tree with every kind of joint, mocap bodies and sites, depth first."""
    bodies: list[Body] = []
    line: list[str] = []
    for i in range(count):
        # 0 and 1 make sure that mocap and free bodies are there
        depth = 0 if i < 2 else int(rng.integers(len(line) + 1))
        line = line[: max(depth, int(i > 2))]
        on_world = not line
        mocap = i == 0 or (on_world and rng.random() < 0.2)
        if mocap:
            kinds = []
        elif i == 1 or (on_world and rng.random() < 0.2):
            kinds = ["free"]
        else:
            kinds = list(rng.choice(["hinge", "slide"], int(rng.integers(4))))
            if rng.random() < 0.3:
                # a ball is the last to turn a body; slides may follow; MuJoCo allows
                # no more than six degrees of freedom
                kinds = [*kinds[:2], "ball"]
                kinds += ["slide"] * int(rng.integers(2))
        joints = []
        for kind in kinds:
            single = kind in ("hinge", "slide")
            joints.append(
                Joint(
                    f"joint {i} {len(joints)}",
                    kind,
                    axis=reference.unit(rng.normal(size=3)) if single else "z",
                    anchor=(0, 0, 0) if kind == "free" else place(rng),
                    range=sorted(rng.normal(size=2)) if single else None,
                    qpos0=float(rng.normal()) if single else 0.0,
                )
            )
        bodies.append(
            Body(
                f"body {i}",
                parent=line[-1] if line else "world",
                pos=place(rng),
                # so small that its w is 1; of other frames MuJoCo would ignore it
                quat=turn(rng, small=1e-8),
                joints=joints,
                sites=[
                    Site(f"site {i} {s}", place(rng), turn(rng))
                    for s in range(int(rng.integers(3)))
                ],
                mocap=mocap,
                ipos=place(rng),
                iquat=turn(rng),
            )
        )
        line.append(f"body {i}")
    return bodies


def random_qpos(rng, bodies, count: int) -> np.ndarray:
    """Coordinates of many poses: angles over several turns, rough quaternions."""
    size = sum(JointKind(j.kind).coordinates for b in bodies for j in b.joints)
    return rng.normal(size=(count, size)) * rng.choice([0.1, 1.0, 5.0], (count, 1))


def forward(bodies, qpos, mocap_pos=None, mocap_quat=None) -> dict[str, np.ndarray]:
    """All outputs of one pose, by name; no quaternions but as input."""
    frames = {"world": (np.eye(3), np.zeros(3))}
    out: dict[str, list] = {name: [] for name in OUTPUTS if name != "xquat"}
    at = moved = 0
    for body in (Body("world"), *bodies):
        if body.name == "world":
            rotation, position = frames["world"]
        elif body.mocap and mocap_pos is not None:
            rotation = reference.matrix(mocap_quat[moved])
            position = np.array(mocap_pos[moved])
            moved += 1
        else:
            above, origin = frames[body.parent]
            rotation = above @ reference.matrix(body.quat)
            position = origin + above @ np.asarray(body.pos)
        for joint in body.joints:
            kind = JointKind(joint.kind)
            q = qpos[at : at + kind.coordinates]
            at += kind.coordinates
            axis = np.eye(3)[2] if isinstance(joint.axis, str) else joint.axis
            if kind is JointKind.FREE:
                rotation, position = reference.matrix(q[3:]), q[:3]
                out["xaxis"].append(axis)
                out["xanchor"].append(position)
                continue
            axis, anchor = rotation @ axis, position + rotation @ joint.anchor
            out["xaxis"].append(axis)
            out["xanchor"].append(anchor)
            if kind is JointKind.SLIDE:
                position = position + (q[0] - joint.qpos0) * axis
                continue
            if kind is JointKind.HINGE:
                turned = reference.axis_angle(axis, q[0] - joint.qpos0)
            else:
                turned = rotation @ reference.matrix(q) @ rotation.T
            # the whole body turns about the anchor
            rotation = turned @ rotation
            position = anchor + turned @ (position - anchor)
        frames[body.name] = rotation, position
        out["xpos"].append(position)
        out["xmat"].append(rotation)
        out["xipos"].append(position + rotation @ body.ipos)
        out["ximat"].append(rotation @ reference.matrix(body.iquat))
        for site in body.sites:
            out["site_xpos"].append(position + rotation @ site.pos)
            out["site_xmat"].append(rotation @ reference.matrix(site.quat))
    shapes = {name: (-1, 3, 3) if "mat" in name else (-1, 3) for name in out}
    return {name: np.array(rows).reshape(shapes[name]) for name, rows in out.items()}


def stepped(bodies, qpos, velocity) -> np.ndarray:
    """Coordinates after moving on with a small velocity for one unit of time."""
    out, at, v = np.array(qpos), 0, 0
    for joint in (joint for body in bodies for joint in body.joints):
        kind = JointKind(joint.kind)
        rates = velocity[v : v + kind.dofs]
        if kind.coordinates == 1:
            out[at] += rates[0]
        else:
            if kind is JointKind.FREE:
                out[at : at + 3] += rates[:3]
            q = slice(at + kind.coordinates - 4, at + kind.coordinates)
            w, x, y, z = qpos[q] / np.linalg.norm(qpos[q])
            # q ⊗ (0, ω) / 2: the turn is about the body's own axes
            a, b, c = rates[-3:] / 2
            rate = [-x * a - y * b - z * c, w * a + y * c - z * b]
            rate += [w * b + z * a - x * c, w * c + x * b - y * a]
            out[q] = np.array([w, x, y, z]) + rate
        at += kind.coordinates
        v += kind.dofs
    return out


def mjcf(bodies) -> str:
    """The same tree as MuJoCo reads it."""

    def text(numbers) -> str:
        return quoteattr(" ".join(repr(float(value)) for value in numbers))

    def element(body) -> str:
        lines = [
            f"<body name={quoteattr(body.name)} pos={text(body.pos)} "
            f"quat={text(body.quat)} mocap='{str(body.mocap).lower()}'>",
            f"<inertial pos={text(body.ipos)} quat={text(body.iquat)} mass='1' "
            "diaginertia='1 1 1'/>",
        ]
        for joint in body.joints:
            kind = JointKind(joint.kind)
            words = f"<joint name={quoteattr(joint.name)} type='{kind.value}'"
            if kind.coordinates == 1:
                words += f" axis={text(joint.axis)} ref={text([joint.qpos0])}"
                words += f" range={text(joint.range)}"
            if kind is not JointKind.FREE:
                words += f" pos={text(joint.anchor)}"
            lines.append(f"{words}/>")
        lines += [
            f"<site name={quoteattr(site.name)} pos={text(site.pos)} "
            f"quat={text(site.quat)}/>"
            for site in body.sites
        ]
        lines += [element(child) for child in bodies if child.parent == body.name]
        return "\n".join([*lines, "</body>"])

    tops = "\n".join(element(body) for body in bodies if body.parent == "world")
    return (
        "<mujoco><compiler angle='radian' autolimits='true'/>"
        f"<worldbody>{tops}</worldbody></mujoco>"
    )
