"""Ids sort by time and never repeat."""

from heldtrue.domain.ids import ending_of, ends_id, is_id, new_id, plain_reference

MOMENT = 1_777_885_200_000_000


def test_ids_of_later_moments_sort_later() -> None:
    moments = [MOMENT + step for step in (0, 1, 999, 1_000, 1_001, 60_000_000, 10**15)]
    ids = [new_id(moment) for moment in moments]
    assert sorted(ids) == ids


def test_ids_of_one_moment_differ() -> None:
    assert len({new_id(MOMENT) for _ in range(10_000)}) == 10_000


def test_an_id_is_a_uuid_of_version_seven() -> None:
    for moment in (0, -5, MOMENT, 2**62):
        text = new_id(moment)
        assert is_id(text)
        assert (text[14], text[19] in "89ab") == ("7", True)
    assert int(new_id(MOMENT).replace("-", "")[:12], 16) == MOMENT // 1_000


def test_what_only_looks_like_an_id_is_none() -> None:
    good = new_id(MOMENT)
    for text in (
        "",
        good[:-1],
        good + "0",
        good.upper(),
        good.replace("-", ""),
        f" {good}",
        good.replace(good[0], "g", 1),
    ):
        assert not is_id(text)


def test_an_id_goes_by_its_end() -> None:
    name = new_id(MOMENT)
    for length in range(4, 36):
        assert ends_id(name[-length:])
    for text in (name, name[-3:], "", "zzzz", name[-12:] + "-", "1-10", "100-120", "1", "14"):
        assert not ends_id(text)
    assert plain_reference(f" …{ending_of(name).upper()} ") == plain_reference(f"...{name[-8:]}") == name[-8:]
