"""The build keeps the house: sizes, conditions, names and the words that no file may contain."""

import ast
from functools import cache

import pytest

from tests.tidy.clocks import find_timed_asserts
from tests.tidy.exceptions import LIST, judge, read_list
from tests.tidy.figures import (
    LIMITS,
    PROJECT,
    Count,
    Module,
    count_all,
    count_conditions,
    count_vague_names,
    read_modules,
    read_modules_beside,
)
from tests.tidy.words import (
    CHANGELOG,
    FORMER_NAME,
    checkout_path,
    find_former_name,
    find_machine_words,
    index_hosts,
    tracked_files,
)


@cache
def counted() -> list[Count]:
    return count_all(read_modules(), beside=read_modules_beside())


@cache
def texts() -> dict[str, str]:
    return {path: (PROJECT / path).read_text(encoding="utf-8", errors="replace") for path in tracked_files()}


# The rules


@pytest.mark.parametrize("rule", LIMITS)
def test_nothing_is_beyond_its_limit_but_what_is_on_the_list(rule: str) -> None:
    exceptions = [exception for exception in read_list(LIST.read_text("utf-8")) if exception.rule == rule]
    verdict = judge([count for count in counted() if count.rule == rule], exceptions)
    assert not verdict.excess, "beyond the limit:\n" + "\n".join(map(str, verdict.excess))
    assert not verdict.needless, "no longer needed in exceptions.txt:\n" + "\n".join(map(str, verdict.needless))


def test_the_list_names_known_rules_and_each_thing_once() -> None:
    listed = [(exception.rule, exception.path, exception.name) for exception in read_list(LIST.read_text("utf-8"))]
    assert {rule for rule, _, _ in listed} <= set(LIMITS)
    assert len(listed) == len(set(listed))


def test_the_former_name_stands_on_one_line_of_the_changelog_and_nowhere_else() -> None:
    found = [where for path, text in texts().items() for where in find_former_name(path, text)]
    assert len(found) == 1, found
    assert found[0].startswith(f"{CHANGELOG}:")


def test_no_file_names_a_folder_of_a_machine_or_the_host_of_a_package_index() -> None:
    checkout, hosts = checkout_path(), index_hosts()
    assert [
        where
        for path, text in texts().items()
        for where in find_machine_words(path, text, checkout=checkout, hosts=hosts)
    ] == []


def test_lock_files_name_no_host() -> None:
    locks = {path: text for path, text in texts().items() if path.startswith("requirements/")}
    assert len(locks) >= 2
    assert [path for path, text in locks.items() if "://" in text] == []


def test_no_test_asserts_a_time_that_a_clock_told() -> None:
    tests = {path: text for path, text in texts().items() if path.startswith("tests/") and path.endswith(".py")}
    assert [where for path, text in tests.items() for where in find_timed_asserts(path, text)] == []


# The counting itself


def module(text: str, path: str = "src/heldtrue/part.py") -> Module:
    return Module(path, text)


def counts(rule: str, *modules: Module) -> dict[str, int]:
    return {count.name: count.value for count in count_all(modules) if count.rule == rule}


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("return 1", 0),
        ("if a and b or c: pass", 3),
        ("return a if b else c", 1),
        ("return [x for x in y if x and z]", 2),
        ("try:\n        pass\n    except ValueError:\n        pass", 1),
        ("while a:\n        pass\n    for b in c: pass", 2),
        ("match a:\n        case 1: pass\n        case 2: pass", 2),
    ],
)
def test_conditions_are_counted_with_what_and_and_or_join(body: str, wanted: int) -> None:
    assert count_conditions(ast.parse(f"def f():\n    {body}\n")) == wanted


def test_methods_are_counted_with_those_of_base_classes() -> None:
    base = module("class Base:\n    def one(self): ...\n    def two(self): ...\n", "src/heldtrue/base.py")
    whole = module("class Whole(Base, Generic[T]):\n    def two(self): ...\n    def three(self): ...\n")
    assert counts("methods", base, whole) == {"Base": 2, "Whole": 3}


def test_parameters_lines_and_names_are_counted() -> None:
    text = "class A:\n    def f(self, a, /, b, *c, d, **e):\n        def g(x): ...\n\nasync def h(y): ...\n"
    assert counts("parameters", module(text)) == {"A.f": 5, "A.f.g": 1, "h": 1}
    assert counts("function-lines", module(text)) == {"A.f": 2, "A.f.g": 1, "h": 1}
    assert counts("file-lines", module(text)) == {"": 5}
    assert counts("same-class-name", module(text), module("class A: ...", "src/heldtrue/b.py")) == {"A": 2}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("for one in rows: pass", 1),
        ("found = [this for _, (this, that) in rows]", 2),
        ("def read(place, *, it=1, **thing): ...", 3),
        ("rows.sort(key=lambda one: one.id)", 1),
        ("for row in rows: one = row", 0),
        ("def read(path, *rows): return {row.place for row in rows}", 0),
    ],
)
def test_vague_names_of_loop_variables_and_parameters_are_counted(text: str, wanted: int) -> None:
    assert count_vague_names(ast.parse(text)) == wanted
    assert counts("vague-names", module(text)) == {"": wanted}
    assert [count for count in count_all([], beside=[module(text, "tests/a.py")]) if count.value] == (
        [Count("vague-names", "tests/a.py", "", wanted)] if wanted else []
    )


@pytest.mark.parametrize(
    ("line", "reads"),
    [
        ("home = os.environ.get('HOME')", 1),
        ("home = os.getenv('HOME')", 1),
        ("from os import environ, path", 1),
        ("environment = read()", 0),
    ],
)
def test_reads_of_the_environment_are_counted_but_in_the_one_module_for_them(line: str, reads: int) -> None:
    assert counts("environment-reads", module(line)) == {"": reads}
    assert counts("environment-reads", module(line, "src/heldtrue/environment.py")) == {}


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("assert time.monotonic() - started < 5", True),
        ("assert perf_counter() - started < 5", True),
        ("assert min(timeit.repeat(work)) < 1", True),
        ("took = time.process_time() - started\nassert took < 5", True),
        ("while time.monotonic() < end: pass", False),
        ("assert memory.time() == 5", False),
    ],
)
def test_asserts_on_a_clock_are_found(text: str, is_found: bool) -> None:
    assert bool(list(find_timed_asserts("tests/test_it.py", text))) == is_found
    assert not list(find_timed_asserts("tests/waiting.py", text))


def test_a_line_of_the_list_is_needed_allows_no_more_than_it_says_and_must_go_when_nothing_needs_it() -> None:
    listed = read_list("# why\nconditions 15 src/a.py f  # soon\nconditions 15 src/a.py g\nconditions 15 src/a.py h\n")
    found = [Count("conditions", "src/a.py", name, value) for name, value in (("f", 15), ("g", 16), ("h", 12))]
    verdict = judge([*found, Count("conditions", "src/b.py", "f", 13)], listed)
    assert [str(count) for count in verdict.excess] == ["conditions 16 src/a.py g", "conditions 13 src/b.py f"]
    assert [str(count) for count in verdict.needless] == ["conditions 15 src/a.py h"]


def test_forbidden_words_are_found_where_they_stand() -> None:
    former = FORMER_NAME.title()
    assert list(find_former_name("docs/a.md", f"Heldtrue\nwas {former} once\n")) == ["docs/a.md:2"]
    assert list(find_former_name(f"docs/{FORMER_NAME}.md", "")) == [f"docs/{FORMER_NAME}.md"]
    lines = ["cd /home/" + "bob/code", "cd /home/ada/code", "see https://index.example/simple", "in /srv/of/one/src"]
    lines += [f'"resolved": "https://{host}/x.tgz"' for host in ("mirror.example", "registry.npmjs.org")]
    found = find_machine_words("a", "\n".join(lines), checkout="/srv/of/one/", hosts=frozenset({"index.example"}))
    assert list(found) == ["a:1: /home/" + "bob", "a:3: index.example", "a:4: /srv/of/one/", "a:5: mirror.example"]
