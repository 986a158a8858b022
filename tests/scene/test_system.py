"""IKSystem: one task, in order, beside Panda3D's intervals."""

from __future__ import annotations

import builtins
import gc
import weakref

import panda3d.core as p3d
import pytest
from direct.directnotify.DirectNotifyGlobal import directNotify
from direct.interval.IntervalGlobal import LerpPosInterval
from direct.interval.IntervalManager import ivalMgr
from direct.showbase.DirectObject import DirectObject
from direct.task.Task import TaskManager

from ikrig import BindError, IKChain, IKSystem, SettingError
from ikrig.scene.ik import system
from tests.scene.conftest import limb


class Recorder:
    def __init__(self, log, name, order=0):
        self.log, self.name, self.order = log, name, order

    def update(self, dt):
        self.log.append((self.name, dt))


def test_started_chain_follows_and_stopped_one_stays(world, task_mgr):
    nodes = limb(world)
    chain = IKChain(nodes[-1], 4)
    assert chain.start(task_mgr) is chain
    chain.start(task_mgr)
    assert IKSystem.of(task_mgr).rigs == (chain,)
    chain.target.set_pos(1, 1, 2)
    task_mgr.step()
    assert chain.result.converged
    assert (nodes[-1].get_pos(world) - chain.target.get_pos(world)).length() < 1e-5
    chain.stop()
    chain.stop()
    chain.target.set_pos(-1, 1, 2)
    task_mgr.step()
    assert (nodes[-1].get_pos(world) - chain.target.get_pos(world)).length() > 1
    assert IKSystem.of(task_mgr).rigs == ()
    chain.start(task_mgr)
    task_mgr.step()
    assert (nodes[-1].get_pos(world) - chain.target.get_pos(world)).length() < 1e-5


def test_rigs_are_solved_at_task_sort_40(task_mgr):
    log = []
    for sort in (41, 39):
        note = lambda task, sort=sort: log.append(sort)  # noqa: E731
        task_mgr.add(note, f"at {sort}", sort=sort)
    IKSystem.of(task_mgr).add(Recorder(log, "rig"))
    task_mgr.step()
    assert [entry if isinstance(entry, int) else 40 for entry in log] == [39, 40, 41]


def test_rigs_may_stop_rigs_while_they_run(task_mgr):
    log = []
    system = IKSystem.of(task_mgr)
    last = Recorder(log, "last", 9)

    class Stopper(Recorder):
        def update(self, dt):
            system.remove(last)
            system.remove(self)

    system.add(Stopper(log, "first"))
    system.add(last)
    system.update(0.1)
    # at once: also one that is due later in the same frame
    assert log == []


def test_targets_moved_by_intervals_are_followed_in_the_same_frame(world, task_mgr):
    nodes = limb(world)
    chain = IKChain(nodes[-1], 4).start(task_mgr)
    task_mgr.add(lambda task: ivalMgr.step() or task.cont, "ivalLoop", sort=20)
    clock = p3d.ClockObject.get_global_clock()
    mode = clock.mode
    clock.mode = p3d.ClockObject.M_non_real_time
    clock.dt = 1 / 30
    try:
        interval = LerpPosInterval(chain.target, 1.0, (1, 1, 2), startPos=(-1, 1, 2))
        interval.start()
        for _ in range(20):
            clock.tick()
            task_mgr.step()
            gap = nodes[-1].get_pos(world) - chain.target.get_pos(world)
            assert gap.length() < 1e-5
        interval.finish()
    finally:
        clock.mode = mode


def test_status_changes_are_sent_once(world):
    chain = IKChain(limb(world)[-1], 4)
    seen = []
    listener = DirectObject()
    listener.accept("ikrig-status", lambda rig, result: seen.append((rig, result)))
    for z in (2, 2.1, 99, 99.5, 2):
        chain.target.set_pos(0.5, 0.5, z)
        chain.solve()
    listener.ignore_all()
    assert [rig for rig, _ in seen] == [chain] * 3
    names = [result.status.name for _, result in seen]
    assert names == ["CONVERGED", "UNREACHABLE", "CONVERGED"]


def test_missing_showbase_is_a_clear_error(world, monkeypatch):
    monkeypatch.delattr(builtins, "base", raising=False)
    chain = IKChain(limb(world)[-1], 4)
    with pytest.raises(BindError, match="no ShowBase is running"):
        chain.start()


def test_invalid_task_managers_and_rigs_are_clear_errors(world, task_mgr):
    chain = IKChain(limb(world)[-1], 4)
    for junk in (5, "taskMgr", object()):
        with pytest.raises(BindError, match="task_mgr must be a task manager"):
            chain.start(junk)
        with pytest.raises(
            BindError, match="a rig must have the attribute order and a method update"
        ):
            IKSystem.of(task_mgr).add(junk)
    # a failed start leaves nothing behind
    assert chain.start(task_mgr) is chain
    assert IKSystem.of(task_mgr).rigs == (chain,)


def test_order_of_another_rig_is_checked(task_mgr):
    own = IKSystem.of(task_mgr)
    for order in ("first", float("nan"), None):
        with pytest.raises(
            SettingError, match=r"order of <.*Recorder .* must be a numb"
        ):
            own.add(Recorder([], "a", order))
    late = Recorder([], "a")
    late.phase = "late"
    with pytest.raises(SettingError, match=r"phase of <.*Recorder .* must be a Phase"):
        own.add(late)
    for missing in ("update", "order"):
        kept = {"update": late.update, "order": 0}
        del kept[missing]
        with pytest.raises(BindError, match="a rig must have the attribute order"):
            own.add(type("Part", (), kept)())
    assert own.rigs == ()
    # and there is no task without a rig
    good = Recorder([], "b")
    own.add(good)
    assert task_mgr.hasTaskNamed(own._name)
    own.remove(good)
    assert not task_mgr.hasTaskNamed(own._name)


@pytest.mark.parametrize("given", [None, "", "0", "1"])
def test_interpreted_kernels_are_reported_at_the_first_start(
    world, task_mgr, monkeypatch, given
):
    said = {"warning": [], "info": []}
    for kind, log in said.items():
        category = directNotify.newCategory("ikrig")
        monkeypatch.setattr(category, kind, log.append)
    monkeypatch.setattr(system, "COMPILED", True)
    monkeypatch.setattr(system, "_noted", False)
    monkeypatch.delenv("IKRIG_INTERPRETED", raising=False)
    if given is not None:
        monkeypatch.setenv("IKRIG_INTERPRETED", given)
    chain = IKChain(limb(world)[-1], 4).start(task_mgr)
    assert said == {"warning": [], "info": []}
    monkeypatch.setattr(system, "COMPILED", False)
    for _ in range(3):
        chain.start(task_mgr)
    # one that was asked for is no reason to warn
    kind = "info" if given == "1" else "warning"
    assert [len(log) for log in said.values()] == [kind == "warning", kind == "info"]
    assert said[kind][0].startswith("the kernels run as Python")


def test_raising_listener_does_not_stop_other_rigs(world, task_mgr):
    chains = [IKChain(limb(world)[-1], 4).start(task_mgr) for _ in range(3)]
    listener = DirectObject()

    def fail(rig, result):
        raise RuntimeError("a bug in the game")

    listener.accept("ikrig-status", fail)
    with pytest.raises(RuntimeError, match="a bug in the game"):
        IKSystem.of(task_mgr).update(0.1)
    listener.ignore_all()
    assert all(chain.result is not None for chain in chains)
    # and the system runs on
    chains[0].target.set_pos(1, 1, 2)
    task_mgr.step()
    assert chains[0].result.converged


def test_recursive_update_is_refused(world, task_mgr):
    system = IKSystem.of(task_mgr)
    chain = IKChain(limb(world)[-1], 4).start(task_mgr)
    log = []

    class Nested(Recorder):
        def update(self, dt):
            super().update(dt)
            if len(log) < 9:
                system.update(0.5)

    system.add(Nested(log, "nested", 1))
    for _ in range(2):
        system.update(0.1)
    assert log == [("nested", 0.1)] * 2
    assert chain.result is not None


def test_systems_do_not_keep_task_managers_alive():
    manager = TaskManager()
    manager.mgr = p3d.AsyncTaskManager("short-lived")
    IKSystem.of(manager)
    gone = weakref.ref(manager)
    del manager
    gc.collect()
    assert gone() is None


def test_a_system_without_a_task_manager_runs_by_hand() -> None:
    """All task managers of Panda3D share their tasks: it must add none."""
    tasks = TaskManager()
    before = len(tasks.getAllTasks())
    by_hand = IKSystem(None)
    root = p3d.NodePath("root")
    leaf = root.attach_new_node("elbow").attach_new_node("hand")
    leaf.get_parent().set_pos(0, 0.1, 1)
    leaf.set_pos(0, -0.1, 1)
    chain = IKChain(leaf)
    by_hand.add(chain)
    assert len(tasks.getAllTasks()) == before
    assert chain.result is None
    tasks.step()
    assert chain.result is None
    by_hand.update(1 / 60)
    assert chain.result is not None
    by_hand.remove(chain)
    assert by_hand.rigs == ()
