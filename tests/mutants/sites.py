"""Where a source can be changed, and into what: one small mistake at a time."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass

SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.MatMult: ast.Mult,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
NEGATED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
BOUNDS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}
EXTREMES = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum"}
UNSEEN = ("TYPE_CHECKING", "cython.compiled")
TINY, VAST = 1e-6, 1e6
"""Numbers beyond are there for what divides by nothing: no result tells 1e-300 from
2e-300."""


@dataclass(frozen=True)
class Mutant:
    """One change to one file."""

    path: str
    """The file, from the root of the tree."""
    line: int
    kind: str
    """Which mistake: "index", "bound", "operator", "comparison", "constant"..."""
    start: int
    """First byte that is replaced."""
    end: int
    """The byte after the last."""
    before: str
    after: str
    text: str
    """The whole line, without its indent."""

    def apply(self, source: bytes) -> bytes:
        """Return the source with the change."""
        return source[: self.start] + self.after.encode() + source[self.end :]

    def __str__(self) -> str:
        before, after = (" ".join(t.split()) for t in (self.before, self.after))
        return f"{self.kind}: {before} -> {after}"


def find_mutants(path: str, source: str, indices: bool) -> list[Mutant]:
    """Return every mutant of a source, in the order of its lines.

    Args:
        path: The file's name.
        source: What it says.
        indices: Whether names in brackets are numbers, as in kernels; else they may as
            well be keys, and only numbers and sums are taken for indices.
    """
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    lines = source.splitlines()
    finder = _Finder(indices)
    finder.visit(ast.parse(source))
    found = []
    for kind, node, new in finder.found:
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        after = new if isinstance(new, str) else f"({ast.unparse(new)})"
        if isinstance(node, (ast.Constant, ast.Name)) and isinstance(new, ast.Constant):
            after = after[1:-1]
        before = source.encode()[start:end].decode()
        text = lines[node.lineno - 1].strip()
        found.append(Mutant(path, node.lineno, kind, start, end, before, after, text))
    return sorted(found, key=lambda m: (m.start, m.end, m.kind, m.after))


class _Finder(ast.NodeVisitor):
    """Walks over what runs: no types, no texts, nothing that only imports."""

    def __init__(self, indices: bool) -> None:
        self.indices = indices
        self.found: list[tuple[str, ast.AST, ast.AST | str]] = []
        self.flags: set[int] = set()
        """What functions return that only ever say 0 or 1: yes or no."""
        self.starts: set[int] = set()
        """Zeros that attributes of a new object are given; compiled they are 0."""

    def change(
        self, kind: str, node: ast.AST, edit: Callable[[ast.AST], object]
    ) -> None:
        """Note a copy of the node with an edit."""
        new = copy.deepcopy(node)
        edit(new)
        self.found.append((kind, node, new))

    def drop(self, node: ast.stmt) -> None:
        self.found.append(("dropped", node, "pass"))

    # -- statements ------------------------------------------------------------------

    def visit_Module(self, node: ast.Module) -> None:
        for child in node.body:
            # what chooses between compiled and not is tested by its import
            if not isinstance(child, (ast.If, ast.Try, ast.Import, ast.ImportFrom)):
                self.visit(child)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.visit(default)
        returned = [n.value for n in ast.walk(node) if isinstance(n, ast.Return)]
        if returned and all(map(_is_flag, returned)):
            self.flags |= {id(value) for value in returned}
        if self.indices and node.name == "__init__":
            self.starts |= {id(child) for child in node.body if _is_start(child)}
        self.visit_body(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.visit_body(node)

    def visit_body(self, node: ast.FunctionDef | ast.ClassDef) -> None:
        for child in node.body:
            self.visit(child)

    def visit_Expr(self, node: ast.Expr) -> None:
        # a profiler's clocks are nobody's result
        if isinstance(node.value, ast.Call) and not _is_clock(node.value.func):
            self.drop(node)
            self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        names = [t.id for t in node.targets if isinstance(t, ast.Name)]
        if "__all__" in names:
            return
        # a name that is never set ends in an error of its own: no test's merit
        tuples = any(isinstance(t, ast.Tuple) for t in node.targets)
        if not names and not tuples and id(node) not in self.starts:
            self.drop(node)
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.drop(node)
        if type(node.op) in SWAPPED:
            swapped = copy.deepcopy(node)
            swapped.op = SWAPPED[type(node.op)]()  # type: ignore[assignment]
            self.found.append(("operator", node, ast.unparse(swapped)))
        self.visit(node.target)
        self.visit(node.value)

    def visit_Raise(self, node: ast.Raise) -> None:
        # what every subclass has of its own never runs
        if node.exc is None or ast.unparse(node.exc) != "NotImplementedError":
            self.drop(node)

    def visit_Assert(self, node: ast.Assert) -> None:
        """What the type checker is told; the other way round each ends in an error."""

    def visit_keyword(self, node: ast.keyword) -> None:
        # zip(strict=...) only checks lengths that are equal by construction
        if node.arg != "strict":
            self.visit(node.value)

    def visit_If(self, node: ast.If) -> None:
        # the type checker's own
        if ast.unparse(node.test).removeprefix("not ") in UNSEEN:
            return
        self.visit_test(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.visit_test(node.test)
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        self.visit_test(node.test)
        self.generic_visit(node)

    def visit_test(self, test: ast.expr) -> None:
        """A bare condition, the other way round; comparisons have their own ways."""
        if isinstance(test, (ast.Name, ast.Attribute, ast.Call)):
            self.found.append(("condition", test, f"(not {ast.unparse(test)})"))

    # -- expressions -----------------------------------------------------------------

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """A text for people; its parts have no places of their own either."""

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, bool):
            self.found.append(("constant", node, ast.Constant(not value)))
        elif isinstance(value, int):
            # of yes and no the other; 2 is as good a yes as 1
            other = 1 - value if id(node) in self.flags else value + 1
            self.found.append(("constant", node, ast.Constant(other)))
        elif isinstance(value, float):
            size = abs(value)
            if size == 0.0:
                self.found.append(("constant", node, ast.Constant(1.0)))
            elif TINY < size < VAST:
                self.found.append(("constant", node, ast.Constant(2.0 * value)))

    def visit_BinOp(self, node: ast.BinOp) -> None:
        # of texts, and of types: int | None
        texts = any(
            isinstance(side, ast.JoinedStr)
            or (isinstance(side, ast.Constant) and isinstance(side.value, (str, bytes)))
            for side in (node.left, node.right)
        )
        if texts:
            return
        if type(node.op) in SWAPPED:
            swapped = SWAPPED[type(node.op)]
            # 3 / j as an index ends in an error of its own
            if isinstance(node.op, ast.Mult) and _counts(node):
                swapped = ast.Add
            self.change("operator", node, lambda n: setattr(n, "op", swapped()))
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        swapped = SWAPPED[type(node.op)]
        self.change("and/or", node, lambda n: setattr(n, "op", swapped()))
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.USub) and not isinstance(node.operand, ast.Constant):
            self.found.append(("sign", node, node.operand))
        elif isinstance(node.op, ast.Not):
            self.found.append(("condition", node, node.operand))
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        for k, op in enumerate(node.ops):
            for table, kind in ((NEGATED, "comparison"), (BOUNDS, "bound")):
                # of measured numbers < and <= are the same but for one in 2^52
                counted = _counts(node.left) or any(map(_counts, node.comparators))
                if type(op) not in table or (kind == "bound" and not counted):
                    continue
                other = table[type(op)]

                def put(new: ast.AST, k: int = k, other: type = other) -> None:
                    assert isinstance(new, ast.Compare)
                    new.ops[k] = other()

                self.change(kind, node, put)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func
        if isinstance(name, ast.Name) and name.id in EXTREMES:
            self.found.append(("min/max", name, EXTREMES[name.id]))
        elif isinstance(name, ast.Attribute) and name.attr in EXTREMES:

            def swap(new: ast.AST) -> None:
                assert isinstance(new, ast.Attribute)
                new.attr = EXTREMES[new.attr]

            self.change("min/max", name, swap)
        if isinstance(name, ast.Name) and name.id == "range":
            # where it ends: the only argument, or the second
            end = node.args[min(1, len(node.args) - 1)]
            for way in (ast.Add(), ast.Sub()):
                self.shift("bound", end, way)
        if isinstance(name, ast.Name) and name.id in ("cast", "TypeVar", "isinstance"):
            return
        if isinstance(name, ast.Attribute) and name.attr == "reshape":
            # to numpy -2 leaves a size open, too, as -1 does
            for part in (name, *node.args):
                if ast.unparse(part) != "-1":
                    self.visit(part)
            return
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if isinstance(node.ctx, ast.Load) and _is_type(node):
            return
        for part in _index_parts(node.slice):
            if self.indices or _counts(part):
                self.shift("index", part, ast.Add())
        self.generic_visit(node)

    def shift(self, kind: str, node: ast.expr, way: ast.operator) -> None:
        """Note a number that is 1 more or less."""
        if isinstance(node, ast.Starred):
            return
        self.found.append((kind, node, ast.BinOp(node, way, ast.Constant(1))))


def _counts(node: ast.expr) -> bool:
    """Whether an expression is a whole number for certain."""
    if isinstance(node, ast.Constant):
        return type(node.value) is int
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "len"
    if isinstance(node, ast.BinOp):
        return _counts(node.left) or _counts(node.right)
    return False


def _is_clock(node: ast.expr) -> bool:
    return ast.unparse(node) in ("stats.start", "stats.stop")


def _is_flag(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value in (0, 1)


def _is_start(node: ast.stmt) -> bool:
    """Whether attributes are set to what a compiled class has at first."""
    return (
        isinstance(node, ast.Assign)
        and all(isinstance(target, ast.Attribute) for target in node.targets)
        and isinstance(node.value, ast.Constant)
        and not node.value.value
    )


def _index_parts(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Tuple):
        for part in node.elts:
            yield from _index_parts(part)
    elif isinstance(node, ast.Slice):
        yield from (part for part in (node.lower, node.upper) if part is not None)
    elif not (isinstance(node, ast.Constant) and not isinstance(node.value, int)):
        yield node


def _is_type(node: ast.Subscript) -> bool:
    """Whether what has brackets is a type: ``dict[str, int]``."""
    name = node.value
    return isinstance(name, ast.Name) and (
        name.id[0].isupper() or name.id in ("dict", "list", "tuple", "set", "type")
    )
