"""Whether the tests notice small mistakes in the code that guards access, history and writes.

Each mutant is the source with one small change: a comparison turned round, a constant moved, a condition negated, a
statement left out. Its tests run in a forked process that loads the changed module; a mutant that no test notices has
survived. `python -m bench mutation` tries a sample for 15 minutes of processor time and writes mutation.md; with other
numbers it only prints, unless --out names a folder.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib.abc
import importlib.util
import json
import os
import random
import resource
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType
from typing import Any

import heldtrue as package
from bench.machine import describe_machine
from bench.pages import RESULTS, machine_lines, table, write_page

MINUTES, SEED, SCORE_MIN = 15.0, 27, 85
_SOURCE = Path(package.__file__).parent
_CPU_SECONDS_MAX = 120
"""A mutant that runs for longer than this does not come to an end, which somebody would notice."""
_WRITING = ("tests/acceptance/test_gateway.py", "tests/acceptance/test_gateway_input.py")
TESTS: dict[str, tuple[str, ...]] = {
    "access/identity.py": ("tests/unit/access",),
    "access/policy.py": ("tests/unit/access", "tests/unit/domain/test_reach.py", *_WRITING),
    "access/rates.py": ("tests/unit/access",),
    "audit/verify.py": ("tests/unit/audit", "tests/reliability/test_tampering.py"),
    "domain/ledger.py": ("tests/unit/domain/test_ledger.py", "tests/reliability/test_tampering.py"),
    "ingest/gateway.py": (*_WRITING, "tests/acceptance/test_invariants.py"),
}
"""What is changed, and the tests that are to notice, quick ones first."""


@dataclass(frozen=True)
class Mutant:
    """One small change to a file."""

    file: str
    line: int
    what: str
    tree: ast.Module = field(repr=False)


@dataclass
class Score:
    """How many mutants were tried, and which of them nobody noticed."""

    tried: int = 0
    survivors: list[Mutant] = field(default_factory=list)

    @property
    def percent(self) -> float:
        return 100 * (self.tried - len(self.survivors)) / max(1, self.tried)


# Mutants

_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_SWAPPED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}  # fmt: skip


def make_mutants(file: str) -> Iterator[Mutant]:
    """Every mutant of a file of the package."""
    tree = ast.parse((_SOURCE / file).read_text("utf-8"))
    texts = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for number, node in enumerate(ast.walk(tree)):
        for what, change in _changes(node, is_text=id(node) in texts):
            changed = copy.deepcopy(tree)
            target = next(other for position, other in enumerate(ast.walk(changed)) if position == number)
            change(target)
            yield Mutant(file, getattr(node, "lineno", 0), what, ast.fix_missing_locations(changed))


def _changes(node: ast.AST, *, is_text: bool) -> Iterator[tuple[str, Any]]:
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in _TURNED:
            turned = _TURNED[type(operator)]
            yield f"{type(operator).__name__} to {turned.__name__}", lambda target: target.ops.__setitem__(0, turned())
        case ast.BoolOp(op=operator):
            other: ast.boolop = ast.Or() if isinstance(operator, ast.And) else ast.And()
            yield f"{type(operator).__name__} swapped", lambda target: setattr(target, "op", other)
        case ast.BinOp(op=operator) if type(operator) in _SWAPPED:
            swapped = _SWAPPED[type(operator)]
            yield f"{type(operator).__name__} to {swapped.__name__}", lambda target: setattr(target, "op", swapped())
        case ast.If() | ast.IfExp() | ast.While():
            yield "condition negated", _negate
        case ast.Constant(value=bool(value)):
            yield f"{value} to {not value}", lambda target: setattr(target, "value", not value)
        case ast.Constant(value=int(value)):
            yield f"{value} to {value + 1}", lambda target: setattr(target, "value", value + 1)
        case ast.Constant(value=str(value)) if value and not is_text:
            yield f"{value[:20]!r} changed", lambda target: setattr(target, "value", f"{value}X")
        case ast.Return(value=ast.expr()):
            yield "returns None", lambda target: setattr(target, "value", ast.Constant(None))
        case ast.Expr(value=ast.Call()) | ast.Raise():
            yield "statement left out", _leave_out


def _negate(target: Any) -> None:
    target.test = ast.UnaryOp(ast.Not(), target.test)


def _leave_out(target: Any) -> None:
    """Turn a statement into one that does nothing; a node cannot be replaced without its parent."""
    target.__class__ = ast.Expr
    for name in ("exc", "cause"):
        target.__dict__.pop(name, None)
    target.value = ast.Constant(None)


def _is_told(mutant: Mutant) -> bool:
    """Whether a mutant only changes the words of a message, or a type, which no test should be about."""
    line = (_SOURCE / mutant.file).read_text("utf-8").splitlines()[mutant.line - 1].strip()
    is_message = "changed" in mutant.what and line.startswith(('"', 'f"', "raise", "hint=", "field=", "f'"))
    return not is_message and not line.startswith(("from ", "import ", "@", "class ", "__all__"))


# Running them


class _Loader(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Loads one module from a changed tree."""

    def __init__(self, mutant: Mutant) -> None:
        self._name = "heldtrue." + mutant.file.removesuffix(".py").replace("/", ".")
        self._mutant = mutant

    def find_spec(self, fullname: str, _path: Any, _target: Any = None) -> Any:
        if fullname != self._name:
            return None
        return importlib.util.spec_from_loader(fullname, self, origin=str(_SOURCE / self._mutant.file))

    def get_source(self, _fullname: str) -> str:
        return (_SOURCE / self._mutant.file).read_text("utf-8")

    def get_code(self, _fullname: str) -> CodeType:
        return compile(self._mutant.tree, str(_SOURCE / self._mutant.file), "exec")


def is_noticed(mutant: Mutant | None, tests: Sequence[str]) -> bool:
    """Whether a test fails with a mutant; without one, whether a test fails at all."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        _run_tests(mutant, tests)
    _, status = os.waitpid(child, 0)
    return status != 0


def _run_tests(mutant: Mutant | None, tests: Sequence[str]) -> None:
    """In the child: run the tests, and end with their status."""
    import pytest

    os.setpgrp()
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS_MAX, _CPU_SECONDS_MAX))
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    for name in [name for name in sys.modules if name.partition(".")[0] in ("heldtrue", "tests", "bench")]:
        del sys.modules[name]
    if mutant is not None:
        sys.meta_path.insert(0, _Loader(mutant))
    status = 1
    try:
        # In one kind of store: that both answer alike is what the conformance suite is for.
        options = ["-x", "-q", "-k", "not postgres", "-p", "no:cacheprovider"]
        status = int(pytest.main([*options, *tests]))
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.killpg(0, signal.SIGTERM)
        os._exit(status)


def draw_mutants(files: Sequence[str], *, seed: int) -> list[Mutant]:
    """The mutants of some files in a drawn order."""
    mutants = [mutant for file in files for mutant in make_mutants(file) if _is_told(mutant)]
    random.Random(seed).shuffle(mutants)
    return mutants


def try_mutants(mutants: Sequence[Mutant], report: Path, *, minutes: float) -> None:
    """Try mutants for some minutes of processor time, and write a line for each to a file."""
    with report.open("w", encoding="utf-8") as lines:
        for number, mutant in enumerate(mutants):
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            if used.ru_utime + used.ru_stime > minutes * 60:
                break
            noticed = is_noticed(mutant, TESTS[mutant.file])
            print(json.dumps([number, noticed]), file=lines, flush=True)
            if not noticed:
                print(f"survived: {mutant.file}:{mutant.line} {mutant.what}", flush=True)


def try_in_processes(files: Sequence[str], *, minutes: float, seed: int, processes: int) -> dict[str, Score]:
    """Try mutants of some files in several processes, each with its share of them and of the time."""
    for file in files:
        if is_noticed(None, TESTS[file]):
            raise AssertionError(f"the tests of {file} fail without a mutant")
    mutants = draw_mutants(files, seed=seed)
    print(f"{len(mutants):,} mutants", flush=True)
    scores = {file: Score() for file in files}
    with tempfile.TemporaryDirectory() as folder:
        reports = [Path(folder) / str(number) for number in range(processes)]
        children = []
        for number, report in enumerate(reports):
            child = os.fork()
            if child == 0:
                try_mutants(mutants[number::processes], report, minutes=minutes / processes)
                os._exit(0)
            children.append(child)
        for child in children:
            os.waitpid(child, 0)
        for number, report in enumerate(reports):
            for line in report.read_text("utf-8").splitlines():
                position, noticed = json.loads(line)
                mutant = mutants[number::processes][position]
                scores[mutant.file].tried += 1
                if not noticed:
                    scores[mutant.file].survivors.append(mutant)
    return scores


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench mutation", description=__doc__)
    parser.add_argument("files", nargs="*", help=f"of the package; left out, {', '.join(TESTS)}")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="of processor time")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--out", type=Path, help="the folder for mutation.md")
    chosen = parser.parse_args(arguments)
    files = chosen.files or list(TESTS)
    scores = try_in_processes(files, minutes=chosen.minutes, seed=chosen.seed, processes=chosen.processes)
    tried = sum(score.tried for score in scores.values())
    survived = sum(len(score.survivors) for score in scores.values())
    whole = 100 * (tried - survived) / max(1, tried)
    rows = [[file, score.tried, len(score.survivors), f"{score.percent:.0f}"] for file, score in scores.items()]
    rows.append(["all", tried, survived, f"{whole:.0f} (at least {SCORE_MIN} are wanted)"])
    figures = table(["file", "mutants", "survived", "score, %"], rows)
    print(figures)
    out = chosen.out or (RESULTS if not chosen.files and chosen.minutes == MINUTES else None)
    if out is not None:
        survivors = [survivor for score in scores.values() for survivor in score.survivors]
        told = "\n".join(f"* `{survivor.file}:{survivor.line}`: {survivor.what}" for survivor in survivors)
        about = f"`python -m bench mutation`: {(__doc__ or '').partition('`python')[0].strip()}"
        sections = ["# Mutants", about, machine_lines(describe_machine()), figures, "Survivors:", told]
        print(f"written: {write_page(out, 'mutation', sections, {})}")
    return int(whole < SCORE_MIN)
