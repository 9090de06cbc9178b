"""The samples of the masking bench, a few of every kind, through the real gate; and what the bench calls a miss."""

from __future__ import annotations

import itertools
from pathlib import Path

from bench.masking import CLEAN, OWN, Sample, read_samples, try_samples

OF_EACH_KIND = 2


def test_a_few_samples_of_every_kind_are_masked_and_clean_texts_stay(tmp_path: Path) -> None:
    samples = sorted(read_samples(OWN), key=lambda sample: sample.kind)
    by_kind = {kind: list(found) for kind, found in itertools.groupby(samples, key=lambda sample: sample.kind)}
    assert len(by_kind) > 30
    assert len(by_kind[CLEAN]) > 400
    chosen = [sample for kind, found in by_kind.items() for sample in found[: 60 if kind == CLEAN else OF_EACH_KIND]]
    met = try_samples(chosen, tmp_path)
    assert (met.missed, met.changed) == ([], [])
    assert met.is_good


def test_a_sample_that_survives_is_missed_and_a_masked_clean_text_is_changed(tmp_path: Path) -> None:
    samples = [
        Sample("pin", "The heron has 4417 feathers.", ("4417",)),
        Sample("pin", "PIN: 4417", ("4417",)),
        Sample(CLEAN, "The IBAN is DE89 3704 0044 0532 0130 00."),
        Sample(CLEAN, "The heron has 4417 feathers."),
    ]
    met = try_samples(samples, tmp_path)
    assert [sample.text for sample in met.missed] == ["The heron has 4417 feathers."]
    assert [text for text, _ in met.changed] == ["The IBAN is DE89 3704 0044 0532 0130 00."]
    assert (met.seeded, met.clean, met.is_good) == ({"pin": 2}, 2, False)
