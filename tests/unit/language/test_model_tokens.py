"""Tokens: an estimate that hardly ever falls short of a real count, and texts cut to a budget."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldtrue.language.model_tokens import _pieces, count_tokens, cut_to_tokens
from tests.effort import assert_linear

# Our own texts with their counts in the o200k vocabulary.
SAMPLES = [
    (
        "english: a decision",
        62,
        "We decided to keep the gateway timeout at thirty seconds. Shorter values made uploads "
        "from the mobile app fail on slow networks, and longer ones hid a deadlock in the worker "
        "pool for two weeks. Anyone who wants to change it should talk to the platform team "
        "first and add a test that shows the difference.",
    ),
    (
        "english: a chat",
        68,
        "Caroline: Hey Mel! How was the pottery class?\n"
        "Melanie: So good! I made a bowl and only broke one cup, haha. The kids loved the "
        "colours.\n"
        "Caroline: That's amazing, I'm really proud of you. Are you going again next week?\n"
        "Melanie: Yes, on Thursday. You should come along!",
    ),
    (
        "english: a question",
        18,
        "What did the support group say about the adoption process, and when is the next meeting?",
    ),
    (
        "english: a story",
        67,
        "The ferry left before sunrise, when the harbour was still grey and the gulls had not "
        "begun to argue. Old Tomas stood at the rail with his collar up and counted the lights "
        "along the shore, as he had done every autumn since his brother went away. Nobody on "
        "board knew that it would be the last crossing of the year.",
    ),
    (
        "english: terse notes",
        35,
        "Retries: three, with backoff. Logs go to stdout. No secrets in the repository. Deploys "
        "only on weekdays, never after four. Ask before touching the schema.",
    ),
    (
        "english: formal",
        43,
        "The licensee shall notify the operator in writing of any modification, and the operator "
        "may, within a reasonable period, object to modifications that materially impair the "
        "availability, integrity or confidentiality of the service described in this agreement.",
    ),
    (
        "markdown",
        115,
        "# Install\n\nYou need **Python 3.11** or newer.\n\n"
        "1. Create an environment: `python -m venv .venv`\n"
        "2. Install the package: `pip install heldtrue`\n3. Check it: `heldtrue status`\n\n"
        "> Note: on macOS you may have to allow the binary first.\n\n"
        "| option | default | meaning |\n| --- | --- | --- |\n"
        "| `--home` | `~/.heldtrue` | where the store lives |\n"
        "| `--json` | off | print one JSON object per line |\n",
    ),
    (
        "python",
        102,
        "def merge_intervals(intervals: list[tuple[int, int]]) -> list[tuple[int, int]]:\n"
        '    """Join intervals that touch or overlap."""\n'
        "    merged: list[tuple[int, int]] = []\n"
        "    for start, end in sorted(intervals):\n"
        "        if merged and start <= merged[-1][1]:\n"
        "            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))\n"
        "        else:\n            merged.append((start, end))\n    return merged\n",
    ),
    (
        "javascript",
        96,
        "export async function fetchUsers(baseUrl, { page = 1, perPage = 50 } = {}) {\n"
        "  const response = await fetch(`${baseUrl}/users?page=${page}&per_page=${perPage}`);\n"
        "  if (!response.ok) {\n"
        "    throw new Error(`HTTP ${response.status}: ${await response.text()}`);\n  }\n"
        "  return (await response.json()).items.map((user) => ({ ...user, isActive: "
        "user.lastSeen !== null }));\n}\n",
    ),
    (
        "rust",
        71,
        "impl<T: Clone + Ord> SortedVec<T> {\n"
        "    pub fn insert(&mut self, value: T) -> usize {\n"
        "        let index = match self.inner.binary_search(&value) {\n"
        "            Ok(found) => found,\n            Err(missing) => missing,\n"
        "        };\n        self.inner.insert(index, value);\n        index\n    }\n}\n",
    ),
    (
        "sql",
        75,
        "SELECT m.memory_id, m.content, COUNT(e.source_id) AS evidence\n"
        "FROM memories AS m\nLEFT JOIN evidence AS e ON e.memory_id = m.memory_id\n"
        "WHERE m.status = 'active' AND m.observed_at >= :since\n"
        "GROUP BY m.memory_id, m.content\nORDER BY evidence DESC, m.observed_at DESC\n"
        "LIMIT 20;",
    ),
    (
        "shell",
        63,
        '#!/usr/bin/env bash\nset -euo pipefail\nfor file in "$HOME"/logs/*.log; do\n'
        "  grep -E 'ERROR|WARN' \"$file\" | sort | uniq -c | sort -rn | head -n 20 > "
        '"${file%.log}.summary"\ndone\n',
    ),
    (
        "json",
        95,
        '{"id": "mem_01HZX3", "kind": "decision", "content": "Use UUIDv7 for ids", "confidence": '
        '0.85, "tags": ["ids", "storage"], "scope": {"project": "heldtrue", "repo": null}, '
        '"evidence": [{"source": "chat", "line": 42}, {"source": "docs/adr/0007.md", "line": 3}]}',
    ),
    (
        "json: indented",
        54,
        '{\n  "name": "gateway",\n  "replicas": 3,\n  "ports": [8080, 8443],\n  "env": {\n'
        '    "LOG_LEVEL": "info",\n    "TIMEOUT_MS": "30000"\n  }\n}\n',
    ),
    (
        "yaml",
        63,
        'version: "3.9"\nservices:\n  web:\n    image: registry.example.com/web:1.4.2\n'
        '    ports:\n      - "8080:80"\n    environment:\n'
        "      DATABASE_URL: postgres://app:secret@db:5432/app\n    depends_on: [db]\n",
    ),
    (
        "urls",
        70,
        "https://docs.example.com/en/latest/guide/install.html#requirements\n"
        "https://github.com/example/heldtrue/pull/1234/files?diff=split&w=1\n"
        "http://localhost:8080/api/v2/memories/search?q=timeout&limit=10\n"
        "https://cdn.example.net/assets/img/logo-dark@2x.png",
    ),
    (
        "log",
        95,
        "2024-05-17T09:30:12.345Z INFO  gateway[4321] request_id=7f3a9c path=/v1/users "
        "status=200 took=12.8ms\n"
        "2024-05-17T09:30:13.002Z ERROR gateway[4321] request_id=7f3a9d path=/v1/orders "
        "status=502 took=30001.4ms upstream timed out\n",
    ),
    (
        "uuids",
        55,
        "550e8400-e29b-41d4-a716-446655440000\n9b2d7f1c-0a3e-4c58-8f6d-1e2a3b4c5d6e\n",
    ),
    (
        "traceback",
        67,
        "Traceback (most recent call last):\n"
        '  File "/srv/app/main.py", line 87, in handle\n'
        "    return self.pool.submit(job).result(timeout=30)\n"
        '  File "/usr/lib/python3.11/concurrent/futures/_base.py", line 458, in result\n'
        "    raise TimeoutError()\nTimeoutError\n",
    ),
    (
        "diff",
        44,
        "@@ -12,7 +12,8 @@ def load(path):\n-    return json.load(open(path))\n"
        '+    with open(path, encoding="utf-8") as file:\n'
        "+        return json.load(file)\n",
    ),
    (
        "chinese",
        56,
        "我们决定把网关的超时时间保持在三十秒。更短的时间会让手机应用在慢速网络上传失败，更长的时间则掩盖了工作线程池里的死锁。谁想修改，请先和平台团队商量。",
    ),
    (
        "japanese",
        64,
        "ゲートウェイのタイムアウトは三十秒のままにすることにしました。短くすると遅い回線でアップロードが失敗し、長くするとデッドロックに気づけません。変更したい人は先に担当チームに相談"
        "してください。",
    ),
    (
        "korean",
        47,
        "게이트웨이 제한 시간은 삼십 초로 유지하기로 했습니다. 더 짧으면 느린 네트워크에서 업로드가 실패하고, "
        "더 길면 교착 상태를 알아차리기 어렵습니다.",
    ),
    (
        "emoji",
        32,
        "We shipped it! 🎉🚀 Thanks everyone 🙏❤️ The build is green ✅ and the docs are live 📚✨ See "
        "you tomorrow 😊👋",
    ),
    (
        "emoji alone",
        34,
        "😀😂🥳🔥👍🏽👩‍💻🇩🇪🏳️‍🌈🦀🐍🛠️📈",
    ),
    (
        "german",
        59,
        "Wir haben beschlossen, das Zeitlimit des Gateways bei dreißig Sekunden zu lassen. "
        "Kürzere Werte ließen Uploads aus der mobilen App scheitern, längere verdeckten zwei "
        "Wochen lang eine Verklemmung. Wer das ändern möchte, spricht bitte vorher mit dem Team.",
    ),
    (
        "french",
        48,
        "Nous avons décidé de garder le délai de la passerelle à trente secondes. Des valeurs "
        "plus courtes faisaient échouer les envois depuis l'application mobile, et des valeurs "
        "plus longues cachaient un blocage pendant deux semaines.",
    ),
    (
        "russian",
        48,
        "Мы решили оставить тайм-аут шлюза равным тридцати секундам. Более короткие значения "
        "приводили к сбоям загрузки из мобильного приложения, а более длинные две недели "
        "скрывали взаимную блокировку.",
    ),
    (
        "arabic",
        34,
        "قررنا إبقاء مهلة البوابة عند ثلاثين ثانية لأن القيم الأقصر كانت تسبب فشل الرفع من تطبيق "
        "الهاتف على الشبكات البطيئة.",
    ),
    (
        "hindi",
        33,
        "हमने गेटवे की समय सीमा तीस सेकंड रखने का निर्णय लिया, क्योंकि छोटी सीमा से धीमे नेटवर्क पर अपलोड विफल हो जाते थे।",
    ),
]
ENGLISH = [(real, text) for name, real, text in SAMPLES if name.startswith("english")]


@pytest.mark.parametrize(("real", "text"), [sample[1:] for sample in SAMPLES], ids=[sample[0] for sample in SAMPLES])
def test_is_no_less_than_a_model_counts_and_not_much_more(real: int, text: str) -> None:
    assert 0.98 * real <= count_tokens(text) <= 1.6 * real


@pytest.mark.parametrize(("real", "text"), ENGLISH)
def test_is_close_for_english_prose(real: int, text: str) -> None:
    assert 0.98 * real <= count_tokens(text) <= 1.25 * real


def test_is_close_for_all_english_prose_together() -> None:
    real = sum(count for count, _ in ENGLISH)
    assert 1.0 <= sum(count_tokens(text) for _, text in ENGLISH) / real <= 1.15


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("a", 2), ("the", 2), ("123", 1), ("1234567", 3), ("\n\n", 1), ("    ", 1), ("…", 1), ("----------", 1)],
)
def test_small_pieces_have_known_prices(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


def test_more_text_is_more_tokens() -> None:
    text = SAMPLES[0][2]
    counts = [count_tokens(text[:end]) for end in range(0, len(text), 20)]
    assert counts == sorted(counts)


# --- cutting ------------------------------------------------------------------------------------------

SENTENCES = "The first sentence is here. The second one is a little longer than that. And the third ends it all."


def test_what_fits_is_not_touched() -> None:
    assert cut_to_tokens(SENTENCES, count_tokens(SENTENCES)) == SENTENCES


def test_is_cut_after_a_sentence_where_one_ends_late_enough() -> None:
    assert cut_to_tokens(SENTENCES, 19) == "The first sentence is here. The second one is a little longer than that.…"


def test_is_cut_between_words_elsewhere() -> None:
    assert cut_to_tokens(SENTENCES, 15) == "The first sentence is here. The second one is a little…"


def test_is_cut_after_a_full_stop_of_another_script() -> None:
    text = "我们决定保持三十秒。更短的时间会失败。更长的时间掩盖了死锁问题"
    assert cut_to_tokens(text, 24) == "我们决定保持三十秒。更短的时间会失败。…"


def test_little_room_leaves_the_sign_alone_and_none_leaves_nothing() -> None:
    assert cut_to_tokens(SENTENCES, 1) == "…"
    assert cut_to_tokens(SENTENCES, 0) == ""
    assert cut_to_tokens(SENTENCES, -3) == ""
    assert cut_to_tokens("", 0) == ""


def test_a_long_word_is_cut_inside() -> None:
    cut = cut_to_tokens("x" * 5000, 50)
    assert 50 < len(cut) < 5000
    assert cut.endswith("x…")


def test_an_emoji_is_not_cut_in_two() -> None:
    for most in range(2, 30):
        assert cut_to_tokens("👍🏽" * 40, most).rstrip("…").count("👍") == cut_to_tokens("👍🏽" * 40, most).count("🏽")


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=400), st.integers(-2, 60))
def test_the_cut_text_never_counts_more(text: str, most: int) -> None:
    cut = cut_to_tokens(text, most)
    assert count_tokens(cut) <= max(0, most)
    assert cut == text or most < 1 or (cut.endswith("…") and text.startswith(cut[:-1]))


@pytest.mark.parametrize("sample", SAMPLES, ids=[sample[0] for sample in SAMPLES])
def test_every_budget_is_kept(sample: tuple[str, int, str]) -> None:
    for most in range(1, sample[1], 7):
        assert count_tokens(cut_to_tokens(sample[2], most)) <= most


@settings(max_examples=300, deadline=None)
@given(st.text())
def test_every_character_is_in_one_piece(text: str) -> None:
    assert "".join(_pieces().findall(text)) == text


@pytest.mark.parametrize("part", [" ", "a", "-", "é", "你", "\n", "'s", "aB", "1", "!?", "word ", "\u0301", " \n"])
def test_takes_linear_time(part: str) -> None:
    text = part * (400_000 // len(part))
    assert count_tokens(cut_to_tokens(text, 500)) <= 500
    assert_linear(lambda some: cut_to_tokens(some, 500), text)
    assert_linear(count_tokens, text)
