"""Poses written to joints' own memory are those that Panda3D computes itself.

The oracle is Panda3D's own update: forced in the same frame, with the controls that the
rig has set, it must change nothing.
"""

from __future__ import annotations

import builtins
import gc
from types import SimpleNamespace

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig
from ikrig import ActorRig
from ikrig.scene.actor import joint_memory
from ikrig.scene.actor.joint_memory import Layout, PortableError, layout, try_out

from .stage import HUMANOID, KINDS, LIMBS, bundle, character, joint, net, nets, skin

pytestmark = pytest.mark.skipif(
    isinstance(layout(), str), reason=f"poses are written by public calls: {layout()}"
)
HANDS = "LeftHand", "RightHand"


def held(stage, actor, body="humanoid", frames=4) -> ActorRig:
    """A rig whose chains hold the limbs beside their places, written directly."""
    tips, bones = LIMBS[body]
    rig = ActorRig(actor).start(stage.task_mgr)
    for tip in tips:
        chain = rig.chain(tip, bones)
        root = net(actor, chain.bones[0].get_name())[3, :3]
        near = 0.8 * net(actor, tip)[3, :3] + 0.2 * root
        chain.target.set_pos(p3d.NodePath(character(actor)), *near.tolist())
    return run(stage, rig)


def run(stage, rig: ActorRig) -> ActorRig:
    """Run frames until the rig's are written directly."""
    for _ in range(20):
        stage.step()
        if is_direct(rig):
            return rig
    pytest.fail(f"not written directly: {rig.sink}")


def is_direct(rig: ActorRig) -> bool:
    """Whether the last frame was written, and not compared any more."""
    memory = rig.skeleton._memory
    now = p3d.ClockObject.get_global_clock().get_frame_time()
    return memory is not None and memory.written == now


def drawn(actor) -> tuple[np.ndarray, np.ndarray]:
    return np.array(list(nets(actor).values())), skin(actor)


def differs(actor) -> float:
    """How much Panda3D's own update would change now, as a fraction of the size."""
    before = drawn(actor)
    for name in actor.get_lod_names():
        actor.get_part_bundle("modelRoot", name).force_update()
    pairs = list(zip(before, drawn(actor), strict=True))
    return max(abs(a - b).max() / abs(b).max() for a, b in pairs)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("body", ["panda", "humanoid"])
def test_what_is_written_is_what_panda3d_computes(stage, body, kind):
    actor = stage.body(body, kind)
    rig = held(stage, actor, body)
    plain = nets(stage.body(body, kind))
    for _ in range(20):
        stage.step()
        assert is_direct(rig)
        before = nets(actor)
        assert differs(actor) < 2e-6
    # and it is the rig's pose, not the clip's
    tip = LIMBS[body][0][0]
    assert abs(before[tip] - plain[tip]).max() > 0.01 * abs(plain[tip]).max()


def test_sheared_and_scaled_joints(stage):
    actor = stage.body("humanoid", "frame-blended")
    arm = actor.control_joint(None, "modelRoot", "LeftShoulder")
    arm.set_scale(1.0, 1.3, 0.7)
    arm.set_shear(0.2, 0.1, -0.1)
    rig = held(stage, actor)
    for k in range(10):
        # the user's own control, which is followed at once
        arm.set_h(3.0 * k)
        stage.step()
        assert differs(actor) < 2e-6
        own = p3d.LMatrix4f()
        joint(actor, "LeftShoulder").get_transform(own)
        assert own.almost_equal(arm.get_mat(), 1e-5)
    assert rig.sink == "direct"


def test_joint_that_is_controlled_later_is_followed_in_that_frame(stage):
    actor = stage.body("humanoid")
    rig = held(stage, actor)
    node = actor.control_joint(None, "modelRoot", "Spine1")
    node.set_h(25.0)
    stage.step()
    assert is_direct(rig)
    assert differs(actor) < 2e-6
    actor.release_joint("modelRoot", "Spine1")
    stage.step()
    assert differs(actor) < 2e-6
    joint(actor, "LeftArm").apply_freeze(p3d.TransformState.make_hpr((5, 6, 7)))
    for _ in range(30):
        # one that the rig controls: taken back within as many frames as there are
        stage.step()
    assert differs(actor) < 2e-6


def test_exposed_joints_move_in_the_same_frame(stage):
    actor = stage.body("humanoid")
    rig = held(stage, actor)
    node = actor.expose_joint(None, "modelRoot", "LeftHand")
    own = actor.expose_joint(None, "modelRoot", "RightHand", localTransform=True)
    for _ in range(5):
        stage.step()
        assert is_direct(rig)
        # read without the effect, which updates the Character
        wanted = net(actor, "LeftHand")
        found = np.array(node.node().get_transform().get_mat())
        assert np.allclose(found, wanted, atol=1e-6)
        local = joint(actor, "RightHand").get_transform()
        assert own.node().get_transform().get_mat().almost_equal(local, 1e-6)
        before = nets(actor)
        node.get_net_transform()
        assert all((before[name] == mat).all() for name, mat in nets(actor).items())


def test_a_rig_that_is_not_updated_leaves_the_actor_to_panda3d(stage):
    actor, reference = stage.body("humanoid"), stage.body("humanoid")
    rig = held(stage, actor)
    # neither stopped nor updated: what it does not move goes on as animated
    rig._system.remove(rig)
    for frame in (3, 9, 9, 3, 20):
        for body in (actor, reference):
            body.pose("walk", frame)
        stage.step()
        for body in (actor, reference):
            character(body).node().update()
        assert np.allclose(net(actor, "Spine2"), net(reference, "Spine2"), atol=1e-5)


def test_paused_rig_does_not_keep_a_pose_of_another_frame(stage):
    actor = stage.body("humanoid")
    rig = held(stage, actor)
    actor.pose("walk", 3)
    stage.step()
    bundle(actor).force_update()
    actor.pose("walk", 12)
    stage.step()
    assert is_direct(rig)
    rig._system.remove(rig)
    # the frame that Panda3D itself has shown last
    actor.pose("walk", 3)
    stage.step()
    character(actor).node().update()
    assert differs(actor) < 2e-6


def test_updates_within_a_frame_change_nothing(stage):
    actor = stage.body("humanoid", "two")
    rig = held(stage, actor)
    for k in range(12):
        stage.step()
        if k == 3:
            actor.set_control_effect("walk", 0.3)
        if k == 6:
            actor.loop("run")
        before = nets(actor)["LeftHand"]
        for update in (
            actor.update,
            bundle(actor).update,
            character(actor).node().update,
        ):
            update()
        if k not in (3, 6):
            assert abs(nets(actor)["LeftHand"] - before).max() < 1e-5
        # with other weights too, the chains' own joints stay
        own = rig.skeleton.mat(rig.skeleton.pose.index["LeftForeArm"])
        have = joint(actor, "LeftForeArm").get_transform()
        assert p3d.LMatrix4f(own).almost_equal(have, 1e-5)


def test_copies_of_an_actor_are_animated(stage):
    actor = stage.body("humanoid")
    held(stage, actor)
    copy, reference = stage.add(Actor(other=actor)), stage.body("humanoid")
    copy.loop("run")
    reference.loop("run")
    for _ in range(5):
        stage.step()
        for body in (copy, reference):
            character(body).node().update()
        assert np.allclose(net(copy, "Head"), net(reference, "Head"), atol=1e-5)


def test_geometry_that_is_added_later_moves(stage):
    actor = stage.body("humanoid")
    held(stage, actor)
    late = p3d.JointVertexTransform(joint(actor, "LeftHand"))
    seen, seqs = [], set()
    for _ in range(3):
        stage.step()
        late.get_matrix(mat := p3d.LMatrix4f())
        seen.append(tuple(mat.get_row3(3)))
        seqs.add(int(late.get_modified().get_seq()))
    assert len(set(seen)) == 3
    assert len(seqs) == 3


@pytest.mark.parametrize("what", ["cleanup", "remove", "flatten", "detach", "stop"])
def test_actor_that_ends_in_mid_frame(stage, what):
    actor = stage.body("humanoid")
    rig = held(stage, actor)

    class Breaks:
        started, order, phase, joints = True, 99, ikrig.Phase.LIMBS, ()
        enabled = True
        weight = 1.0

        def apply(self, pose, dt):
            self.started = False
            if what == "cleanup":
                actor.cleanup()
            elif what == "remove":
                actor.remove_node()
            elif what == "flatten":
                actor.set_scale(2.0)
                actor.flatten_strong()
            elif what == "detach":
                rig.detach()
            else:
                rig.stop()

        def reads(self):
            return ()

        def start(self):
            pass

        stop = reset = detach = start

    breaks = Breaks()
    rig.skeleton.move(["Spine2"])
    rig._layers.append(breaks)
    rig._moved[id(breaks)] = ["Spine2"]
    rig._begin(1 / 60)
    rig._apply([breaks], 1 / 60)
    rig._end(1 / 60)
    if breaks in rig._layers:
        rig._layers.remove(breaks)
    gc.collect()
    stage.step(12)
    if what in ("flatten", "stop", "detach"):
        character(actor).node().update()
        assert differs(actor) < 2e-6
        pose = nets(actor)["Head"]
        # a frame of the clip lasts for two of these
        stage.step(4)
        character(actor).node().update()
        assert abs(nets(actor)["Head"] - pose).max() > 0.0


def test_joints_memory_outlives_the_actor(stage):
    actor = stage.body("humanoid")
    rig = held(stage, actor)
    memory = rig.skeleton._memory
    actor.cleanup()
    stage._made.remove(actor)
    del actor, rig
    gc.collect()
    for _ in range(100):
        memory._write()


def test_bone_end_that_is_asked_for_between_frames(stage):
    actor = stage.body("humanoid")
    rig = held(stage, actor)
    for k in range(3):
        # the pose then has other memory
        rig.skeleton.end_node("RightHand", (0.0, 0.1 + k, 0.0))
        stage.step()
        assert differs(actor) < 2e-6
    run(stage, rig)
    assert differs(actor) < 2e-6


def test_setting_while_it_runs(stage):
    actor = stage.body("humanoid")
    rig = held(stage, actor)
    for k in range(12):
        rig.portable = k // 3 % 2 == 1
        assert rig.sink == (
            "direct" if not rig.portable else "portable: the rig's setting"
        )
        stage.step()
        assert differs(actor) < 2e-6
        stage.step()
        assert differs(actor) < 2e-6
    with pytest.raises(ikrig.SettingError, match="portable"):
        rig.portable = "yes"


def offsets(found: Layout):
    for by in (-160, -16, -4, 4, 16, 64, 272, 10_000, -10_000):
        yield found._replace(value=found.value + by)
    for by in (-296, -8, 8, 16, 10_000, -10_000):
        yield found._replace(updated=found.updated + by)


def test_spoilt_offsets_are_refused():
    for spoilt in offsets(layout()):
        with pytest.raises(PortableError):
            try_out(spoilt)


def test_spoilt_offsets_are_refused_for_an_actor(stage, monkeypatch):
    for spoilt in offsets(layout()):
        if spoilt.updated != layout().updated or abs(spoilt.value) > 500:
            continue
        actor = stage.body("humanoid")
        with monkeypatch.context() as patched:
            patched.setattr(joint_memory, "layout", lambda spoilt=spoilt: spoilt)
            rig = ActorRig(actor).start(stage.task_mgr)
            rig.chain("LeftHand", 2)
            stage.step(8)
            assert rig.sink == "portable: a joint's matrix is not where others have it"
            assert differs(actor) < 2e-6
        rig.detach()


def test_results_that_differ_from_panda3ds_are_refused(stage, monkeypatch):
    monkeypatch.setattr(joint_memory, "MATCH_FRAMES", 3)
    actor = stage.body("humanoid")
    rig = ActorRig(actor).start(stage.task_mgr)
    rig.chain("LeftHand", 2)
    read = joint_memory.JointMemory._read
    calls = []

    def wrong(self):
        calls.append(1)
        found = read(self)
        found[1, 5] += 0.01 * (len(calls) == 3)
        return found

    monkeypatch.setattr(joint_memory.JointMemory, "_read", wrong)
    stage.step(9)
    assert rig.sink == "portable: joints differ from Panda3D's own result"
    assert differs(actor) < 2e-6


def test_what_is_refused(stage, monkeypatch):
    actor = stage.body("humanoid")
    slider = p3d.CharacterSlider(bundle(actor), "smile")
    assert "CharacterSlider" in ActorRig(actor).sink
    del slider
    lods = {"high": str(HUMANOID), "low": str(HUMANOID)}
    lods = stage.add(Actor(lods, {"walk": str(HUMANOID)}))
    assert ActorRig(lods).sink.startswith("portable: ")
    engine = SimpleNamespace(threading_model=p3d.GraphicsThreadingModel("Cull/Draw"))
    monkeypatch.setattr(
        builtins, "base", SimpleNamespace(graphicsEngine=engine), raising=False
    )
    assert ActorRig(stage.body("humanoid")).sink == "portable: another thread draws"
    monkeypatch.delattr(builtins, "base")
    monkeypatch.setattr(joint_memory, "TESTED", ())
    with pytest.raises(PortableError, match="not tested with Panda3D"):
        joint_memory.find_layout()


def test_threads_that_begin_later_are_seen(stage, monkeypatch):
    rig = held(stage, stage.body("humanoid"))
    engine = SimpleNamespace(threading_model=p3d.GraphicsThreadingModel("Cull/Draw"))
    monkeypatch.setattr(
        builtins, "base", SimpleNamespace(graphicsEngine=engine), raising=False
    )
    stage.step(20)
    assert rig.sink == "portable: another thread draws"


def test_environment_rules_it_out(stage, monkeypatch):
    monkeypatch.setenv("IKRIG_PORTABLE", "1")
    rig = ActorRig(stage.body("humanoid")).start(stage.task_mgr)
    rig.chain("LeftHand", 2)
    stage.step(12)
    assert rig.sink == "portable: IKRIG_PORTABLE is set"
    assert rig.skeleton._memory is None
