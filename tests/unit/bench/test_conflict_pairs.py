"""The pairs of the conflict benchmark, and how what becomes of them is counted."""

from bench.conflicts import AUTHORS, Pair, add_up, find_faults, judge, read_pairs

CLASH = Pair(id="1", kind="replacement", old="The office is in Berlin.", new="The office is in Madrid.", conflict=True)
PEACE = Pair(id="2", kind="both_true", old="Jonas speaks German.", new="The van needs diesel.", conflict=False)


def test_the_pairs_are_well_formed_and_about_half_are_conflicts() -> None:
    pairs = read_pairs()
    assert find_faults(pairs) == []
    assert len(pairs) >= 240
    assert 0.45 < sum(pair.conflict for pair in pairs) / len(pairs) < 0.55


def test_faults_are_named() -> None:
    wrong = Pair(id="1", kind="date", old="a", new="b", conflict=False)
    assert find_faults([CLASH, wrong]) == ["1: date and its label differ", "1: is there twice"]


def test_conflicts_that_are_found_are_counted() -> None:
    for authors in AUTHORS.values():
        judged = [judge(CLASH, authors), judge(PEACE, authors)]
        assert [judgement.found for judgement in judged] == [True, False]
        figures = add_up(judged)
        assert (figures.pairs, figures.conflicts, figures.found, figures.right) == (2, 1, 1, 1)
        assert (figures.precision, figures.recall) == (1.0, 1.0)
