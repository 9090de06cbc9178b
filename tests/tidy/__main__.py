"""Print the figures: `python -m tests.tidy [--list] [folder of a checkout]`.

With `--list` it prints what breaks a rule, in the form of exceptions.txt.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from tests.tidy.exceptions import LIST, read_list
from tests.tidy.figures import LIMITS, PROJECT, Count, count_all, find_privacy_rules, read_modules, read_modules_beside


def main(arguments: Sequence[str]) -> int:
    """Print the figures of a checkout, this one by default."""
    folders = [Path(argument) for argument in arguments if argument != "--list"]
    project = folders[0] if folders else PROJECT
    counts = count_all(read_modules(project), beside=read_modules_beside(project))
    if "--list" in arguments:
        print("\n".join(str(count) for count in sorted(counts) if count.is_too_much))
    else:
        print("\n".join(describe(counts, len(find_privacy_rules(project)))))
    return 0


def describe(counts: Sequence[Count], privacy_rules: int) -> list[str]:
    """One line for each figure."""
    knotty = [count for count in counts if count.rule == "conditions" and count.is_too_much]
    language = [count for count in knotty if count.path.split("/")[2:3] == ["language"]]
    repeated = [count for count in counts if count.rule == "same-class-name" and count.is_too_much]
    vague = [count for count in counts if count.rule == "vague-names"]
    reading = [count for count in counts if count.rule == "environment-reads" and count.value]
    return [
        f"functions with more than {LIMITS['conditions']} conditions outside language/: {len(knotty) - len(language)}",
        f"functions with more than {LIMITS['conditions']} conditions in language/: {len(language)}",
        f"most conditions: {_widest(counts, 'conditions')}",
        f"methods of the widest class, inherited ones included: {_widest(counts, 'methods')}",
        f"most parameters: {_widest(counts, 'parameters')}",
        f"class names used more than once: {len(repeated)}",
        f"largest file, in lines: {_widest(counts, 'file-lines')}",
        f"longest function, in lines: {_widest(counts, 'function-lines')}",
        f"lines that read the environment elsewhere: {sum(count.value for count in reading)} in {len(reading)} files",
        f"loop variables and parameters with a vague name: {sum(count.value for count in vague)}",
        f"places that write the privacy rule: {privacy_rules}",
        f"lines on the list of exceptions: {len(read_list(LIST.read_text(encoding='utf-8')))}",
    ]


def _widest(counts: Sequence[Count], rule: str) -> str:
    widest = max((count for count in counts if count.rule == rule), key=lambda count: count.value)
    return f"{widest.value} ({' '.join(filter(None, (widest.name, widest.path)))})"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
