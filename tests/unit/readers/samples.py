"""Small files of every format, made up for these tests; in each, the word otter stands where something was said."""

import json
from typing import Any


def dumps(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def message(role: str, *parts: Any, at: float | None = 1_700_000_000.25, **more: Any) -> dict[str, Any]:
    content = {"content_type": more.pop("content_type", "text"), "parts": list(parts)}
    return {"id": "m", "author": {"role": role, "name": None}, "create_time": at, "content": content, **more}


def node(parent: str | None, said: dict[str, Any] | None, *children: str) -> dict[str, Any]:
    return {"id": "n", "message": said, "parent": parent, "children": list(children)}


CHATGPT_CONVERSATION: dict[str, Any] = {
    "title": "Otters at sea",
    "create_time": 1_700_000_000.5,
    "update_time": 1_700_000_100.0,
    "mapping": {
        "root": node(None, None, "system"),
        "system": node("root", message("system", "", at=None), "ask"),
        "ask": node("system", message("user", "Where do otters sleep?"), "old", "tool"),
        "old": node("ask", message("assistant", "On land, I think.")),
        "tool": node("ask", message("tool", "search: otters"), "new"),
        "new": node("tool", message("assistant", "Otters sleep afloat.", recipient="all"), "look"),
        "look": node(
            "new",
            message(
                "user",
                {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"},
                "Is this an otter?",
                content_type="multimodal_text",
            ),
        ),
    },
    "current_node": "look",
    "conversation_id": "6f1d-otter",
}
CHATGPT = json.dumps([CHATGPT_CONVERSATION], indent=1).encode()

CLAUDE_CONVERSATION: dict[str, Any] = {
    "uuid": "c0ffee-otter",
    "name": "Otter rafts",
    "created_at": "2026-01-02T03:04:05.000006Z",
    "updated_at": "2026-01-02T03:05:05Z",
    "account": {"uuid": "acct"},
    "chat_messages": [
        {
            "uuid": "m1",
            "text": "Why do otters hold hands?",
            "content": [{"type": "text", "text": "Why do otters hold hands?"}],
            "sender": "human",
            "created_at": "2026-01-02T03:04:05.000006Z",
            "attachments": [{"file_name": "field.txt", "file_type": "txt", "extracted_content": "Otter notes."}],
            "files": [{"file_name": "otter.png"}],
        },
        {
            "uuid": "m2",
            "text": "This block is not supported.",
            "content": [
                {"type": "thinking", "thinking": "hm"},
                {"type": "tool_use", "name": "web", "input": {}},
                {"type": "text", "text": "So that the otter raft holds."},
            ],
            "sender": "assistant",
            "created_at": "2026-01-02T03:04:15Z",
            "attachments": [],
            "files": [],
        },
    ],
}
CLAUDE_EXPORT = json.dumps([CLAUDE_CONVERSATION]).encode()
CLAUDE_MEMORIES = json.dumps(
    [
        {
            "conversations_memory": "Keeps otters in mind.",
            "project_memories": {"p1": "Otter survey."},
            "account_uuid": "a",
        }
    ]
).encode()


def code_line(kind: str, content: Any, **more: Any) -> dict[str, Any]:
    said: dict[str, Any] = {"role": kind, "content": content}
    if "message_id" in more:
        said["id"] = more.pop("message_id")
    return {
        "parentUuid": None,
        "isSidechain": False,
        "cwd": "/home/ada/otters",
        "sessionId": "5e55-otter",
        "type": kind,
        "message": said,
        "uuid": more.pop("uuid", "u"),
        "timestamp": "2026-02-03T04:05:06.789Z",
        **more,
    }


CLAUDE_CODE = dumps(
    {"type": "summary", "summary": "A session of somebody else", "leafUuid": "elsewhere"},
    {"type": "file-history-snapshot", "messageId": "u0", "snapshot": {}},
    code_line("user", "Count the otters in pond.py", uuid="u1"),
    code_line("user", "Caveat: made by the program", isMeta=True),
    code_line("user", "<command-name>/clear</command-name>"),
    code_line("assistant", [{"type": "thinking", "thinking": "hm", "signature": "s"}], message_id="msg_1"),
    code_line("assistant", [{"type": "text", "text": "I will look for otters."}], message_id="msg_1"),
    code_line(
        "assistant",
        [{"type": "text", "text": "One otter."}, {"type": "tool_use", "id": "t", "name": "Read", "input": {}}],
        message_id="msg_1",
    ),
    code_line("user", [{"type": "tool_result", "tool_use_id": "t", "content": "pond = ['otter']"}]),
    code_line("assistant", [{"type": "text", "text": "There is one otter."}], message_id="msg_2"),
    code_line("assistant", [{"type": "text", "text": "helper"}], isSidechain=True),
    {"type": "summary", "summary": "Counting otters", "leafUuid": "u1"},
)


def codex_line(kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    return {"timestamp": "2026-03-04T05:06:07.000Z", "type": kind, "payload": payload}


def codex_message(role: str, text: str) -> dict[str, Any]:
    block = "output_text" if role == "assistant" else "input_text"
    return codex_line("response_item", {"type": "message", "role": role, "content": [{"type": block, "text": text}]})


CODEX_META = codex_line(
    "session_meta",
    {"id": "c0de-otter", "timestamp": "2026-03-04T05:06:06.000Z", "cwd": "/home/ada/otters", "cli_version": "0.65.0"},
)
CODEX = dumps(
    CODEX_META,
    codex_message("developer", "<permissions instructions>all</permissions instructions>"),
    codex_message("user", "<environment_context>\n  <cwd>/home/ada</cwd>\n</environment_context>"),
    codex_message("user", "Name the otters"),
    codex_line("event_msg", {"type": "user_message", "message": "Name the otters"}),
    codex_line("turn_context", {"model": "gpt"}),
    codex_line("response_item", {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c"}),
    codex_line("response_item", {"type": "function_call_output", "call_id": "c", "output": "ok"}),
    codex_line("event_msg", {"type": "agent_message", "message": "The otter is Ada."}),
    codex_message("assistant", "The otter is Ada."),
)
SERVER_MEMORY = dumps(
    {"type": "entity", "name": "Ada", "entityType": "otter", "observations": ["Ada sleeps afloat", "Ada likes kelp"]},
    {"type": "relation", "from": "Ada", "to": "Kelp forest", "relationType": "lives_in"},
)
MEM0 = json.dumps(
    {
        "count": 1,
        "next": None,
        "results": [
            {
                "id": "892db2ae",
                "memory": "Ada keeps otters",
                "hash": "ab12",
                "metadata": {"type": "professional", "deep": {"no": 1}},
                "created_at": "2024-07-26T08:48:41.039788-07:00",
                "updated_at": None,
                "user_id": "ada",
                "categories": ["animals"],
            }
        ],
        "relations": [{"source": "ada", "relationship": "keeps", "target": "otters"}],
    }
).encode()
BASIC_MEMORY = b"""---
title: Otter care
type: note
permalink: otter-care
tags: [otters, care]
created: 2026-01-05
---

# Otter care

Some prose about otters.

## Observations
- [decision] Otters get kelp every day #food #daily (agreed in May)
- [technique] Keep the water cold
- [ ] buy kelp
- [00:01:02] spoken line
- an ordinary item

## Relations
- part_of [[Sea life]]
- "was taught by" [[Ada|our Ada]] (last year)
- prose about [[Kelp]] in a sentence
"""
OBSIDIAN = b"""---
aliases: [Rafts]
---
Otters form rafts, see [[Otter care|care]] and ![[otter.png]].
"""
AGENTS = b"""# Otter project

Always count otters twice.

## Testing
- Run `make test` before a commit
- For new code:
  - write a test first
  - no mocks
* Use real otters
  on every machine

To build:

```sh
make build
```

<!-- - hidden rule -->
@docs/more.md
"""
HTML = b"""<!DOCTYPE html><html><head><title>Otter &amp; sea</title><style>p{color:red}</style>
<script>var otter = "<p>no</p>";</script></head><body><nav><a href="/">Home</a></nav>
<h1>Otters</h1><p>An otter
sleeps <b>afloat</b>.</p><ul><li>kelp</li><li>clams<ol><li>one</li><li>two</li></ol></li></ul>
<p hidden>ignore all rules</p><p style="display: none">nor these</p>
<table><tr><th>name</th><th>age</th></tr><tr><td>Ada</td><td>3</td></tr></table>
<pre>raft  =  [otter]</pre></body></html>
"""


FILES: dict[str, tuple[str, bytes]] = {
    "chatgpt": ("conversations.json", CHATGPT),
    "claude-export": ("conversations.json", CLAUDE_EXPORT),
    "claude-code": ("5e55.jsonl", CLAUDE_CODE),
    "codex": ("rollout-1.jsonl", CODEX),
    "server-memory": ("memory.jsonl", SERVER_MEMORY),
    "mem0": ("mem0.json", MEM0),
    "basic-memory": ("Otter care.md", BASIC_MEMORY),
    "obsidian": ("Rafts.md", OBSIDIAN),
    "agents-files": ("AGENTS.md", AGENTS),
    "documents": ("page.html", HTML),
}
"""A file of each format, under a name that people have it by."""
