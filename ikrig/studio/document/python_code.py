"""Writes a rig as Python code that builds an equal one."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping

from ...formats.part import entry_values
from ...formats.rig_file import Part
from ...formats.rig_file.sections import (
    BEHAVIOURS,
    BY_EFFECTOR,
    CHAIN,
    LOOK_ANGLES,
    TREE,
    limits_joints,
    names_in,
)
from ...formats.yaml_writer import value_text
from ...math3d.quaternion import from_rpy
from ...model.limits import LIMITS
from ...records import Field, Record
from ...value_shapes import Value
from .skeleton_info import SkeletonInfo

WIDEST = 88
Word = str | Mapping[str, str]  # an expression, or a dict of them


def python_code(parts: Part, skeleton: SkeletonInfo) -> str:
    """Return a module with a function that builds a rig: ``build_rig(model, parent)``.

    ``model`` is the Actor or the node above the bones, ``parent`` the parent of
    targets, as for ``load_rig``. A rig with articulated bodies or with effectors that
    have a ``target_offset`` is better loaded from its file: the code contains a note
    and loads it.
    """
    return "\n".join(_Code(parts, skeleton).lines()) + "\n"


class _Code:
    def __init__(self, parts: Part, skeleton: SkeletonInfo) -> None:
        self.parts = parts
        self.skeleton = skeleton
        self.on_actor = skeleton.kind == "actor"
        self.nodes = parts.parts("nodes")

    def lines(self) -> list[str]:
        name = str(self.parts.values.get("name", "rig"))
        head = [f'"""Rig {_plain(name)}, written by `python -m ikrig studio`."""', ""]
        reason = self.unsupported_reason()
        if reason:
            return [
                *head,
                "import ikrig",
                "",
                "",
                "def build_rig(model, parent):",
                f'    """{reason}: it is loaded from its file."""',
                f'    path = "{_plain(name)}.yaml"',
                "    rig = ikrig.load_rig(path, model, parent)",
                "    return rig, rig.nodes",
            ]
        body = list(self.body())
        text = "\n".join(body)
        imports = ["import ikrig"]
        if "radians(" in text:
            imports = ["from math import radians", "", *imports]
        return [*head, *imports, "", "", *body]

    def unsupported_reason(self) -> str:
        if self.parts.parts("bodies"):
            return "It has articulated bodies"
        entries = [*self.parts.parts("chains").values()]
        for tree in self.parts.parts("trees").values():
            entries += tree.parts("effectors").values()
        if any("target_offset" in entry.values for entry in entries):
            return "Ends are held in a way of their own"
        return ""

    def body(self) -> Iterator[str]:
        model = "actor" if self.on_actor else "model"
        yield f"def build_rig({model}, parent):"
        kind, rigs = ("an Actor", "the rig") if self.on_actor else ("a model", "rigs")
        yield f'    """Rig {kind}; returns {rigs}, to be started, and nodes."""'
        yield "    nodes = {}" if self.on_actor else "    nodes, rigs = {}, {}"
        if self.on_actor:
            part = self.parts.values.get("part")
            more = f", {part!r}" if part else ""
            yield f"    rig = ikrig.ActorRig(actor{more})"
        for name in self.in_order():
            yield from self.node(name)
        for section, code in (
            ("chains", self.chain),
            ("trees", self.tree),
            ("behaviours", self.behaviour),
        ):
            for name, part in self.parts.parts(section).items():
                yield ""
                yield from code(name, part)
        yield ""
        yield f"    return {'rig' if self.on_actor else 'rigs'}, nodes"

    def in_order(self) -> list[str]:
        done: dict[str, None] = {}
        for name in self.nodes:
            line, current = [], name
            while current in self.nodes and current not in done and current not in line:
                line.append(current)
                current = self.nodes[current].values.get("parent", "")
            done.update(dict.fromkeys(reversed(line)))
        return list(done)

    def node(self, name: str) -> Iterator[str]:
        values = self.nodes[name].values
        above = values.get("parent")
        parent = "parent" if above is None else self.find(above)
        yield f"    node = nodes[{name!r}] = {parent}.attach_new_node({name!r})"
        if "pos" in values:
            yield f"    node.set_pos({_numbers(values['pos'])})"
        quat = values.get("quat")
        if "rpy" in values:
            quat = tuple(float(x) for x in from_rpy(values["rpy"]))
        if quat is not None:
            yield f"    node.set_quat(({_numbers(quat)}))"
        if "scale" in values:
            scale = values["scale"]
            numbers = scale if isinstance(scale, tuple) else (scale,)
            yield f"    node.set_scale({_numbers(numbers)})"
        for grip, entry in self.nodes[name].parts("grips").items():
            given = {key: _value(value) for key, value in entry.values.items()}
            yield from _call(f"    ikrig.add_grip(node, {grip!r}", given)

    def find(self, name: str) -> str:
        if name in self.nodes:
            return f"nodes[{name!r}]"
        if self.on_actor and name in self.skeleton.by_name:
            return f"rig.joint({name!r})"
        if name in self.skeleton.by_name:
            return f"model.find({'**/' + name!r})"
        return f"parent.find({'**/' + name!r})"

    def chain(self, name: str, part: Part) -> Iterator[str]:
        values = part.values
        leaf = values["leaf"]
        joint = self.on_actor and leaf in self.skeleton.by_name
        given: dict[str, Word] = {}
        first = values.get("root_joint")
        if joint and first is not None:
            given["root_joint"] = repr(first)
        else:
            length = self.length(leaf, first) if first else values.get("chain_length")
            given["chain_length"] = str(length or 2)
        own = ("leaf", "chain_length", "root_joint", "dormant")
        given |= self.words(part, CHAIN, own)
        dormant = joint and values.get("dormant")
        start = f"    {'chain = ' if dormant else ''}rig.chain({leaf!r}"
        if not joint:
            start = f"    {self.slot(name)}ikrig.IKChain({self.find(leaf)}"
        yield from _call(start, given)
        if dormant:
            yield "    rig._set_dormant(chain)"

    def tree(self, name: str, part: Part) -> Iterator[str]:
        effectors = part.parts("effectors")
        joint = self.on_actor and next(iter(effectors)) in self.skeleton.by_name
        goals = {}
        for leaf, effector in effectors.items():
            target = effector.values.get("target")
            key = repr(leaf) if joint else self.find(leaf)
            goals[key] = "None" if target is None else self.find(target)
        given: dict[str, Word] = {}
        first = part.values.get("root_joint")
        if joint and first is not None:
            given["root_joint"] = repr(first)
        for word, key in BY_EFFECTOR.items():
            found = {
                repr(leaf) if joint else self.find(leaf): (
                    self.find(e.values[key]) if key == "pole" else _value(e.values[key])
                )
                for leaf, e in effectors.items()
                if key in e.values
            }
            if found:
                given[word] = found
        given |= self.words(part, TREE, ("root_joint", "effectors"))
        start = "    rig.tree("
        if not joint:
            start = f"    {self.slot(name)}ikrig.IKTree({self.find(str(first))}, "
        yield from _call(start + _text(goals), given)

    def behaviour(self, name: str, part: Part) -> Iterator[str]:
        made = BEHAVIOURS[part.values["kind"]]
        given: dict[str, Word] = {}
        if "ground" in made.record.fields and "ground" not in part.values:
            given["ground"] = "parent"
        given |= self.words(part, made.record, ("kind",))
        yield from _call(f"    ikrig.{made.__name__}(rig", given)

    def words(
        self, part: Part, record: Record, without: Container[str]
    ) -> dict[str, Word]:
        """Return the values of an entry as arguments."""
        given: dict[str, Word] = {}
        for key, value in part.values.items():
            if key in without:
                continue
            field = record.fields[key]
            if key in names_in(record) and isinstance(value, str):
                given[key] = self.find(value)
            elif key == "ground":
                given[key] = f"lambda x, y: {value!r}"
            elif key == "limits" and limits_joints(record):
                given[key] = _limits(value)
            elif isinstance(field, Field) and field.shape is LOOK_ANGLES:
                angles = ", ".join(_angle(angle) for angle in value)
                given[key] = f"ikrig.LookLimits({angles})"
            elif isinstance(value, Mapping):
                given[key] = {
                    repr(name): _value(entry, in_degrees=field.degrees)
                    for name, entry in entry_values(value).items()
                }
            else:
                given[key] = _value(value, in_degrees=field.degrees)
        return given

    def slot(self, name: str) -> str:
        return "" if self.on_actor else f"rigs[{name!r}] = "

    def length(self, leaf: str, first: str) -> int | None:
        count, current = 0, leaf
        while current != first:
            if current in self.nodes:
                above = self.nodes[current].values.get("parent")
            else:
                joint = self.skeleton.by_name.get(current)
                above = joint.parent if joint else None
            if above is None:
                return None
            count, current = count + 1, above
        return count


def _limits(entries: Mapping[str, Part]) -> dict[str, str]:
    found = {}
    for joint, limit in entries.items():
        kind = LIMITS[limit.values["kind"]]
        given = []
        fields, values = kind.record.fields, dict(limit.values)
        del values["kind"]
        for key, value in kind.arguments(values).items():
            if key == "follows":
                leader, factor, added = value
                added = _value(added, in_degrees=fields["offset"].degrees)
                given.append(f"follows=({leader!r}, {factor!r}, {added})")
                continue
            ends = key in ("lower", "upper") and "range" in fields
            degrees = fields["range" if ends else key].degrees
            given.append(f"{key}={_value(value, in_degrees=degrees)}")
        found[repr(joint)] = f"ikrig.{kind.__name__}({', '.join(given)})"
    return found


def _value(value: Value, *, in_degrees: bool = False) -> str:
    if isinstance(value, (tuple, list)):
        inner = ", ".join(_value(part, in_degrees=in_degrees) for part in value)
        return f"({inner}{',' if len(value) == 1 else ''})"
    if isinstance(value, Mapping):
        # a record's values, none of which is an angle
        return _text({repr(key): _value(part) for key, part in value.items()})
    if isinstance(value, float) and value in (float("inf"), -float("inf")):
        return f'float("{value}")'
    return _angle(value) if in_degrees else repr(value)


def _angle(value: float) -> str:
    """Return code in degrees for exactly an angle [rad]."""
    return "0.0" if value == 0.0 else f"radians({value_text(value, in_degrees=True)})"


def _numbers(values: Iterable[float]) -> str:
    return ", ".join(
        f"{value:g}" if value == int(value) else repr(value)
        for value in map(float, values)
    )


def _call(start: str, given: Mapping[str, Word]) -> Iterator[str]:
    words = [f"{key}={_text(value)}" for key, value in given.items()]
    line = f"{', '.join([start, *words])})"
    if len(line) <= WIDEST:
        yield line
        return
    head, bracket, first = start.partition("(")
    yield f"{head}{bracket}"
    if first:
        yield f"        {first},"
    for (key, value), word in zip(given.items(), words, strict=True):
        if isinstance(value, str) or len(word) < WIDEST - 9:
            yield f"        {word},"
            continue
        yield f"        {key}={{"
        yield from (f"            {name}: {text}," for name, text in value.items())
        yield "        },"
    yield "    )"


def _text(word: Word) -> str:
    if isinstance(word, str):
        return word
    return "{" + ", ".join(f"{key}: {value}" for key, value in word.items()) + "}"


def _plain(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
