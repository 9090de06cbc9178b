"""Counts over source files: lines, parameters, conditions, methods, repeated class names and more.

Files are read as text and parsed, never imported, so that the figures of any checkout can be counted.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]

LIMITS = {
    "file-lines": 500,
    "function-lines": 60,
    "parameters": 7,
    "conditions": 12,
    "methods": 30,
    "same-class-name": 1,
    "environment-reads": 0,
    "vague-names": 0,
}
"""The rules, and the most that each allows."""

ENVIRONMENT_MODULE = "environment.py"
"""The one module of the package that reads environment variables."""

LIST_OF_LIMITS = "src/heldtrue/domain/limits.py"
"""A list of constants with their reasons, which is read by searching in it: it may be longer than a file of code."""

VAGUE_NAMES = frozenset({"one", "place", "it", "this", "that", "thing"})
"""Names of loop variables and parameters that do not say what they hold."""

_BRANCHES = (
    ast.If, ast.For, ast.While, ast.ExceptHandler, ast.IfExp, ast.BoolOp, ast.comprehension, ast.match_case,
)  # fmt: skip
_ENVIRONMENT = re.compile(r"\bos\.(?:environb?|getenvb?)\b|^\s*from os import .*\b(?:environb?|getenvb?)\b")
_PRIVACY_RULE = re.compile(r"isibility.*(?:[\"']private[\"']|\bPRIVATE\b)")
_COMPARISON = re.compile(r"==|!=|<>| = | is | in ")

_Definition = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, order=True)
class Count:
    """How much of something one file, function or class has, by the name of the rule that limits it."""

    rule: str
    path: str
    name: str
    value: int

    @property
    def is_too_much(self) -> bool:
        return self.value > LIMITS[self.rule]

    def __str__(self) -> str:
        return f"{self.rule} {self.value} {self.path} {self.name}".rstrip()


@dataclass(frozen=True)
class Module:
    """One source file."""

    path: str
    """Relative to the project."""
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, filename=self.path)

    @property
    def is_package(self) -> bool:
        """Whether it belongs to the product and not to the tools beside it."""
        return self.path.startswith("src/")

    @property
    def is_language(self) -> bool:
        return self.path.split("/")[2:3] == ["language"]

    def definitions(self) -> Iterator[tuple[str, _Definition]]:
        """Every function and method with its qualified name."""
        return _definitions(self.tree.body, "")

    def classes(self) -> Iterator[ast.ClassDef]:
        return (node for node in ast.walk(self.tree) if isinstance(node, ast.ClassDef))


def read_modules(project: Path = PROJECT) -> list[Module]:
    """The Python files of the package and of the tools."""
    paths = [*sorted(project.glob("src/*/**/*.py")), *sorted(project.glob("tools/*.py"))]
    return [Module(path.relative_to(project).as_posix(), path.read_text(encoding="utf-8")) for path in paths]


def read_modules_beside(project: Path = PROJECT) -> list[Module]:
    """The Python files of the tests, the benchmarks and the examples, where only the names are counted."""
    paths = [path for folder in ("bench", "examples", "tests") for path in sorted(project.glob(f"{folder}/**/*.py"))]
    return [Module(path.relative_to(project).as_posix(), path.read_text(encoding="utf-8")) for path in paths]


def count_all(modules: Iterable[Module], beside: Iterable[Module] = ()) -> list[Count]:
    """Everything that a rule limits, whether it is within the limit or not; only names in the modules beside."""
    modules = list(modules)
    counts = [count for module in modules for count in _count_module(module)]
    package = [module for module in modules if module.is_package]
    names = (Count("vague-names", module.path, "", count_vague_names(module.tree)) for module in (*modules, *beside))
    return [*counts, *_count_methods(package), *_count_class_names(package), *_count_environment(package), *names]


def count_conditions(node: ast.AST) -> int:
    """The conditions in a function: branches and loops, and what `and` and `or` join."""
    branches = (inner for inner in ast.walk(node) if isinstance(inner, _BRANCHES))
    return sum(len(inner.values) - 1 if isinstance(inner, ast.BoolOp) else 1 for inner in branches)


def count_parameters(node: _Definition) -> int:
    """The parameters of a function, without `self` and `cls`."""
    names = [parameter.arg for parameter in _parameters(node.args)]
    return len(names[1:] if names[:1] in (["self"], ["cls"]) else names)


def count_vague_names(tree: ast.AST) -> int:
    """The loop variables, comprehension variables and parameters whose names do not say what they hold."""
    return sum(name in VAGUE_NAMES for node in ast.walk(tree) for name in _bound_names(node))


def _bound_names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
        yield from (inner.id for inner in ast.walk(node.target) if isinstance(inner, ast.Name))
    elif isinstance(node, ast.arguments):
        yield from (parameter.arg for parameter in _parameters(node))


def _parameters(arguments: ast.arguments) -> list[ast.arg]:
    named = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    return [*named, *filter(None, (arguments.vararg, arguments.kwarg))]


def find_privacy_rules(project: Path = PROJECT) -> list[str]:
    """The lines of Python and SQL that compare a visibility with private, as `path:line`."""
    found = []
    for path in sorted(path for kind in ("py", "sql") for path in project.glob(f"src/*/**/*.{kind}")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if _PRIVACY_RULE.search(line) and _COMPARISON.search(line):
                found.append(f"{path.relative_to(project).as_posix()}:{number}")
    return found


def _definitions(body: Iterable[ast.AST], prefix: str) -> Iterator[tuple[str, _Definition]]:
    for node in body:
        if isinstance(node, _Definition | ast.ClassDef):
            name = f"{prefix}{node.name}"
            if not isinstance(node, ast.ClassDef):
                yield name, node
            yield from _definitions(node.body, f"{name}.")
        else:
            yield from _definitions(ast.iter_child_nodes(node), prefix)


def _count_module(module: Module) -> Iterator[Count]:
    if module.path != LIST_OF_LIMITS:
        yield Count("file-lines", module.path, "", module.text.count("\n"))
    for name, node in module.definitions():
        lines = (node.end_lineno or node.lineno) - node.lineno + 1
        yield Count("function-lines", module.path, name, lines)
        yield Count("parameters", module.path, name, count_parameters(node))
        yield Count("conditions", module.path, name, count_conditions(node))


def _count_methods(modules: Iterable[Module]) -> Iterator[Count]:
    """The methods of each class, those of its base classes in the package included."""
    placed = [(module.path, node) for module in modules for node in module.classes()]
    by_name = {node.name: node for _, node in placed}
    for path, node in placed:
        yield Count("methods", path, node.name, len(_method_names(node, by_name, frozenset())))


def _method_names(node: ast.ClassDef, by_name: dict[str, ast.ClassDef], seen: frozenset[str]) -> set[str]:
    names = {inner.name for inner in node.body if isinstance(inner, _Definition)}
    for base in node.bases:
        bare = base.value if isinstance(base, ast.Subscript) else base
        name = bare.id if isinstance(bare, ast.Name) else ""
        if name in by_name and name not in seen:
            names |= _method_names(by_name[name], by_name, seen | {name})
    return names


def _count_class_names(modules: Iterable[Module]) -> Iterator[Count]:
    names = Counter(node.name for module in modules for node in module.classes())
    return (Count("same-class-name", "src", name, times) for name, times in names.items())


def _count_environment(modules: Iterable[Module]) -> Iterator[Count]:
    for module in modules:
        if Path(module.path).name != ENVIRONMENT_MODULE:
            lines = sum(bool(_ENVIRONMENT.search(line)) for line in module.text.splitlines())
            yield Count("environment-reads", module.path, "", lines)
