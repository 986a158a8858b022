"""The inspector: all values of the selection, and its status."""

from __future__ import annotations

from contextlib import suppress

from imgui_bundle import imgui

from ...errors import BindError
from ...formats.rig_file.sections import BEHAVIOURS, new_limit
from ...model.limits import LIMITS, HingeLimit
from ...records import Field, Named, Record
from ...value_shapes import Name
from ..actions import GROUNDS, OWN
from ..document.adding import add_pole, wanted_joint
from ..document.changing import rename, set_limit
from ..document.edited_rig import MOVERS, SECTIONS, Owner, own_entries
from ..document.mirroring import mirror_chain, mirror_limits
from ..session import StudioSession
from .fields import edit_field, label_cell, live_value
from .layout import Rect
from .outliner import heading
from .style import ICONS, STATUS, colour, gap_words
from .windows import chosen_of, clipped, panel, tip, wide_button, wrapped

NARROW = 13.0  # width of panels whose values are below names [letters]
FIRST = ("weight", "solver", "orientation_mode", "iterations", "tolerance", "soften")
"""Values that are shown first; the rest is in a section that opens."""
HIDDEN = ("chain_length", "target_offset", "quat")  # others stand for these


def draw_inspector(session: StudioSession, rect: Rect) -> None:
    with panel("Inspector", rect):
        heading("Inspector")
        if not session.is_open:
            return
        kind, name, owner = session.selection
        if kind == "joint":
            _joint(session, name)
        elif kind == "limits":
            _limit(session, owner, name)
        elif owner:
            _own_entry(session)
        elif kind in SECTIONS:
            _entry(session, kind, name)
        else:
            _rig(session)


def _title(icon: str, text: str, about: str) -> None:
    imgui.push_font(None, imgui.get_style().font_size_base * 1.2)
    imgui.text(clipped(f"{ICONS[icon]} {text}"))
    imgui.pop_font()
    imgui.text_disabled(about)
    imgui.spacing()


def _table(name: str) -> bool:
    """Begin a table of names and values; in a narrow panel, values are below names."""
    width = imgui.get_content_region_avail().x
    columns = 2 if width > NARROW * imgui.get_font_size() else 1
    if not imgui.begin_table(name, columns, imgui.TableFlags_.sizing_fixed_fit):
        return False
    if columns == 2:
        fixed = imgui.TableColumnFlags_.width_fixed
        imgui.table_setup_column("name", fixed, 0.40 * width)
    imgui.table_setup_column("value", imgui.TableColumnFlags_.width_stretch)
    return True


def _rig(session: StudioSession) -> None:
    document = session.document
    skeleton = document.skeleton
    _title("joint", document.name, f"{len(skeleton.names)} joints")
    if wide_button("search", "Find limbs"):
        session.find_limbs()
    imgui.begin_disabled(skeleton.kind != "actor")
    _new_behaviours(session, joints=False)
    imgui.end_disabled()
    imgui.spacing()
    wrapped(
        "Click a joint in the picture, turn the wheel to choose how many bones bend, "
        "press Enter. Drag targets to see it reach."
    )


def _joint(session: StudioSession, name: str) -> None:
    document = session.document
    skeleton = document.skeleton
    joint = skeleton.by_name[name]
    about = f"below {joint.parent}" if joint.parent else "the first joint"
    _title("joint", joint.label, about)
    chain = session.pending_chain()
    if len(chain) > 1:
        imgui.text("Bones that bend")
        imgui.set_next_item_width(-1)
        most = len(skeleton.lineage(name)) - 1
        changed, new = imgui.slider_int("##bones", len(chain) - 1, 1, most)
        if changed:
            session.bones = new
        if wide_button("chain", "Make chain (Enter)"):
            session.make_chain()
        if skeleton.kind == "actor":
            _new_behaviours(session, joints=True)
    imgui.spacing()
    for owner in document.rig.movers(name):
        section, entry = owner
        if imgui.selectable(f"{ICONS['chain']} turned by {entry}", False)[0]:
            session.select(section, entry)
            return
        limits = document.rig.limits(owner)
        if name in limits:
            kind = limits[name].values["kind"]
            if imgui.selectable(f"{ICONS['limit']} {kind}", False)[0]:
                session.select("limits", name, owner)
                return
        elif document.rig.takes_limits(owner):
            _new_limit(session, owner, name)


def _new_behaviours(session: StudioSession, *, joints: bool) -> None:
    for kind, made in BEHAVIOURS.items():
        if bool(wanted_joint(made.record)) is not joints:
            continue
        if wide_button("plus", f"Add {made.title}"):
            session.add_behaviour_here(kind)
        tip(made.record.about)


def _new_limit(session: StudioSession, owner: Owner, joint: str) -> None:
    imgui.set_next_item_width(-1)
    shown = f"{ICONS['limit']} Add limit"
    kind = chosen_of(f"##{'/'.join(owner)}", LIMITS, shown=shown)
    if kind:
        session.do(set_limit, owner, joint, new_limit(joint, kind))


def _entry(session: StudioSession, section: str, name: str) -> None:
    document = session.document
    record = document.rig.record((section, name))
    icons = {"chains": "chain", "trees": "tree", "behaviours": "behaviour"}
    _title(icons.get(section, "node"), name, record.what.replace("_", " "))
    live = session.live.part(section, name)
    if section in MOVERS:
        draw_status(session, section, name)
    fields = {k: f for k, f in record.fields.items() if isinstance(f, Field)}
    plain = list(fields)
    on_actor = document.skeleton.kind == "actor"
    hidden = "match_rotation" if on_actor else "orientation_mode"
    plain = [k for k in plain if k != hidden]
    if section == "behaviours" and "dormant" in fields:
        # but for handles of limbs that the model has not
        known = [limb.name for limb in session.live.limbs]
        known += document.rig.entry((section, name)).values
        sides = ("left", "right")
        plain = [k for k in plain if k.split("_")[0] not in sides or k in known]
    named = [k for k in plain if isinstance(fields[k].shape, Name)]
    first = [k for k in FIRST if k in plain]
    if section == "nodes":
        first = [k for k in ("pos", "rpy", "scale") if k in plain]
    rest = [k for k in plain if k not in (*named, *first, *HIDDEN)]
    if _table("names"):
        if section == "chains":
            label_cell("bones", "How many bones bend.")
            _length(session, len(_turning(session, (section, name))))
        for key in (*named, *first):
            _value(session, (section, name, key), fields[key], live)
        imgui.end_table()
    for key, below in record.fields.items():
        if key in own_entries(record):
            _own_entries(session, (section, name), key)
        elif isinstance(below, Named) and key != "limits":
            _below(session, (section, name, key), below)
    if section == "behaviours":
        draw_trial(session, name, record)
    if isinstance(record.fields.get("limits"), Named):
        _limits(session, (section, name))
    if rest and imgui.collapsing_header("More") and _table("more"):
        for key in rest:
            _value(session, (section, name, key), fields[key], live)
        imgui.end_table()
    imgui.spacing()
    if section == "chains":
        poleless = "pole" not in document.rig.entry((section, name)).values
        if poleless and wide_button("plus", "Add pole (P)"):
            session.do(add_pole, name)
        elif wide_button("mirror", "Mirror to the other side (M)"):
            session.mirror(mirror_chain)
    if wide_button("trash", "Remove"):
        session.remove_selected()


def _value(
    session: StudioSession, path: tuple[str, ...], field: Field, live: object
) -> None:
    now = live_value(live, path[-1]) if path[0] != "nodes" else None
    if path[0] == "nodes" and path[-1] == "pos":
        now = (0.0, 0.0, 0.0)
    edit_field(session, path, field, now)


def _turning(session: StudioSession, owner: Owner) -> tuple[str, ...]:
    """Return the joints that an entry turns; none if the model lacks such a joint."""
    with suppress(BindError):
        return session.document.rig.turning(owner)
    return ()


def _length(session: StudioSession, bones: int) -> None:
    imgui.align_text_to_frame_padding()
    imgui.text(str(bones) if bones > 0 else "not of the model")
    if bones < 1:
        return
    for sign, word in ((-1, "-"), (1, "+")):
        imgui.same_line()
        if imgui.button(f"{word}##length", imgui.ImVec2(imgui.get_frame_height(), 0)):
            session.change_length(sign)


def _below(session: StudioSession, path: Owner, named: Named) -> None:
    """Draw the entries of an entry: the ends of a tree, the joints of a behaviour."""
    rig = session.document.rig
    for name in rig.value(path, {}):
        own = (*path, name)
        if isinstance(named.item, Field):
            if _table(path[-1]):
                edit_field(session, own, named.item._replace(required=True))
                imgui.end_table()
            continue
        imgui.text(f"{ICONS['node']} {name}")
        if _table("/".join(own)):
            _fields(session, own)
            imgui.end_table()


def _fields(session: StudioSession, path: Owner, live: object = None) -> None:
    for key, field in session.document.rig.record(path).fields.items():
        if isinstance(field, Field) and key not in HIDDEN:
            edit_field(session, (*path, key), field, live_value(live, key))


def _own_entries(session: StudioSession, owner: Owner, key: str) -> None:
    """Draw the list of what has names of one's own: grips, colliders, poses."""
    entries = session.document.rig.value((*owner, key), {})
    imgui.spacing()
    imgui.text_disabled(f"{key.upper()} ({len(entries)})")
    for name in entries:
        if imgui.selectable(f"{ICONS['grip']} {name}##{key}", False)[0]:
            session.select(key, name, owner)
    if wide_button("plus", f"Add {OWN[key]}"):
        session.add_entry_here(key)


def _own_entry(session: StudioSession) -> None:
    selection, rig = session.selection, session.document.rig
    key, name, owner = selection
    grip = rig.grip(selection)
    _title("grip", name, f"{OWN[key]} of {owner[1]}")
    if _table("own"):
        label_cell("name")
        imgui.set_next_item_width(-1)
        flags = imgui.InputTextFlags_.enter_returns_true
        done, new = imgui.input_text(f"##name of {name}", name, flags)
        _fields(session, selection.path, grip)
        imgui.end_table()
        if done:
            session.do(rename, key, name, new, owner)
            return
    if grip is not None:
        _hold(session)
    imgui.spacing()
    if wide_button("node", f"Go to {owner[1]}"):
        session.select(owner[0], owner[1])
    elif wide_button("trash", "Remove"):
        session.remove_selected()


def _hold(session: StudioSession) -> None:
    """Draw how a hand is sent to a grip, for trying."""
    tests, live = session.tests, session.live
    if tests is None or live.actor_rig is None:
        return
    imgui.spacing()
    imgui.text_disabled("TRY IT")
    hold = tests.hold
    imgui.set_next_item_width(-1)
    names = ["", *hold.hands(live)]
    hand = chosen_of("##hand", names, hold.hand, "the nearest hand")
    hold.hand = hold.hand if hand is None else hand
    held = hold.grip == session.selection
    if wide_button("grip", "Release (G)" if held else "Grab (G)"):
        session.hold()
    if state := hold.state():
        wrapped(state)


def _limits(session: StudioSession, owner: Owner) -> None:
    rig = session.document.rig
    limits = rig.limits(owner)
    imgui.spacing()
    imgui.text_disabled(f"LIMITS ({len(limits)})")
    for joint, limit in limits.items():
        label = f"{ICONS['limit']} {joint}: {limit.values['kind']}##{joint}"
        if imgui.selectable(label, False)[0]:
            session.select("limits", joint, owner)
    if rig.skeleton.kind == "actor" and rig.takes_limits(owner):
        if wide_button("learn", "Learn from animations (L)"):
            session.learn()
        tip("Each joint as far as all animations turn it, and 5° more")
    free = [b for b in _turning(session, owner) if b not in limits]
    if free:
        imgui.set_next_item_width(-1)
        new = chosen_of("##limit", free, shown=f"{ICONS['plus']} Limit a joint")
        if new:
            session.do(set_limit, owner, new, new_limit(new, HingeLimit.kind))


def _limit(session: StudioSession, owner: Owner, joint: str) -> None:
    rig, (section, name) = session.document.rig, owner
    path = (*owner, "limits", joint)
    limit = rig.limits(owner)[joint]
    kind = limit.values["kind"]
    _title("limit", joint, f"limit in {name}")
    imgui.set_next_item_width(-1)
    kinds = list(LIMITS)
    changed, index = imgui.combo("##kind", kinds.index(kind), kinds)
    if changed:
        new = new_limit(joint, kinds[index])
        if "axis" in limit.values and "axis" in new.values:
            new.values["axis"] = limit.values["axis"]
        session.do(set_limit, owner, joint, new)
        return
    if _table("limit"):
        _fields(session, path)
        imgui.end_table()
    imgui.spacing()
    if wide_button("play", "Sweep its range (W)"):
        session.sweep()
    if rig.skeleton.kind == "actor":
        if wide_button("learn", "Learn from animations (L)"):
            session.learn()
        tip("As far as all animations turn it, and 5° more")
    if wide_button("mirror", f"Mirror limits of {name}"):
        session.do(mirror_limits, owner)
    if wide_button("chain", f"Go to {name}"):
        session.select(section, name)
    if wide_button("trash", "Remove limit"):
        session.remove_selected()


def draw_trial(session: StudioSession, name: str, record: Record) -> None:
    """Draw the test objects for a behaviour; none of them is saved in the rig."""
    tests = session.tests
    if tests is None or not {"ground", "target"} & record.fields.keys():
        return
    imgui.spacing()
    imgui.text_disabled("TRY IT")
    if "ground" in record.fields:
        imgui.set_next_item_width(-1)
        words = [f"ground: {word}" for word in GROUNDS]
        changed, k = imgui.combo("##ground", GROUNDS.index(tests.ground), words)
        if changed:
            tests.ground = GROUNDS[k]
        tip("Ground below the feet; with an animation that walks it goes by")
    if "target" in record.fields:
        flying = tests.flying == ("behaviours", name)
        changed, flying = imgui.checkbox("the target flies", flying)
        if changed:
            tests.flying = ("behaviours", name) if flying else None
        _, tests.things = imgui.checkbox("things to click at", tests.things)
        wrapped("Click anything in the picture: the target goes there.")


WHY = {
    "out of reach": "The target is too far away, or nearer than a long bone allows.",
    "stalled": "It comes no nearer: it bends the wrong way, or limits block it.",
    "not there yet": "It needs more iterations, or max step limits its speed.",
    "no target": "Its target was removed, or the target's position is not finite.",
    "partly": "Its weight is below 1: the pose is between animation and target.",
    "off": "It stays as animated: drag its target, or raise its weight.",
}  # explanations of statuses that are not self-evident


def draw_status(session: StudioSession, section: str, name: str) -> None:
    states = session.live.statuses()
    state = next((s for s in states if (s.section, s.name) == (section, name)), None)
    if state is None:
        return
    tone = STATUS.get(state.word, "dim")
    icon = ICONS.get(tone, ICONS["off"])
    imgui.text_colored(colour(tone), f"{icon} {state.word}")
    why = "" if state.blocked else WHY.get(state.word, "")
    if why and imgui.is_item_hovered():
        imgui.set_tooltip(why)
    if section == "behaviours":
        return
    text = gap_words(state.error)
    imgui.same_line()
    if imgui.calc_text_size(text).x > imgui.get_content_region_avail().x:
        imgui.new_line()
    imgui.text_disabled(text)
    if why:
        wrapped(why)
    for joint in state.blocked:
        text = f"{ICONS['limit']} held back by {joint}"
        imgui.push_style_color(imgui.Col_.text, colour("warn"))
        clicked = imgui.selectable(f"{text}##blocked", False)[0]
        imgui.pop_style_color()
        if clicked:
            session.select("limits", joint, (section, name))
            if not session.selection.kind:
                session.select("joint", joint)
    imgui.spacing()
