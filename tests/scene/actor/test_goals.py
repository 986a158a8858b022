"""The goal of a limb, compared with NodePath transforms.

Nothing of the code under test is trusted here: positions and rotations come from the
nodes of the joints, by Panda3D's own composition.
"""

from __future__ import annotations

import numpy as np
import panda3d.core as p3d
import pytest

from ikrig import ActorRig

from .stage import Stage

FOOT = "Bone_lf_foot"


def apart(a: p3d.LQuaternionf, b: p3d.LQuaternionf) -> float:
    """Angle between two rotations [rad]."""
    return (a.conjugate() * b).get_angle_rad() % (2 * np.pi)


@pytest.mark.parametrize("where", ["beside", "in the Actor", "far below"])
@pytest.mark.parametrize("mode", ["animation", "target", "bone"])
def test_goal_is_the_target_in_root_space(stage: Stage, mode, where):
    actor = stage.body()
    stage.step(5)
    rig = ActorRig(actor)
    pole = actor.attach_new_node("pole")
    pole.set_pos(1, 2, 3)
    chain = rig.chain(FOOT, 2, pole=pole, orientation_mode=mode)
    target = chain.target
    if where == "in the Actor":
        target.wrt_reparent_to(actor)
    elif where == "far below":
        above = actor.get_parent().attach_new_node("above")
        above.set_pos_hpr_scale((3, 1, 2), (20, 30, 40), 1.7)
        target.wrt_reparent_to(above.attach_new_node("below"))
    actor.set_pos_hpr(2, -1, 0.5, 50, 10, -5)
    rng = np.random.default_rng(5)
    (goal,), root = chain._goals, chain.root
    for k in range(6):
        if k != 3:
            target.set_hpr(*rng.uniform(-180, 180, 3))
            target.set_pos(target.get_pos() + p3d.LVector3f(*rng.normal(0, 0.1, 3)))
        stage.step()
        rig.skeleton.look()
        rig.skeleton.begin()
        chain._binding.pass_rest_pose(chain._solver)
        assert goal.read()
        size = chain.reach
        found = (goal.gx, goal.gy, goal.gz)
        assert np.allclose(found, target.get_pos(root), atol=2e-5 * size)
        assert np.allclose(
            (goal.px, goal.py, goal.pz), pole.get_pos(root), atol=2e-5 * size
        )
        assert goal.use_tip == (mode != "bone")
        turned = p3d.LQuaternionf(goal.tw, goal.tx, goal.ty, goal.tz)
        if mode == "animation":
            assert turned == p3d.LQuaternionf.ident_quat()
        if mode == "target":
            # from the animation it leads to the target's rotation, and the offset
            there = target.get_quat(root)
            there.normalize()
            wanted = p3d.LQuaternionf(*chain.effectors[0].offset) * there
            now = chain.leaf.get_quat(root)
            now.normalize()
            angle = apart(now * turned, wanted)
            assert min(angle, 2 * np.pi - angle) < 2e-3
