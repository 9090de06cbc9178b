"""Text to values, by rules alone: pure functions without a model, a clock or a store, used by ingest and recall.

To clean text: `normalise` (with `lookalikes`) for one form to store and one to compare; `secrets` (with
`secret_shapes`) to redact; `own_output` to leave out what Heldtrue itself rendered.
To read values: `identifiers`, `quantities`, `dates`, `names`; `terms` and `features` for the word index;
`text_chunks` to split long texts; `model_tokens` to estimate what a text costs in a prompt.
To compare: `statements` takes a text apart (`grammar/`, then `claims/`); `compare` says whether two statements are
equal, near, contrary or unrelated (`contradiction`, `distinguishing_marks`, `senses`).
To judge: `exact_sorts` for what is no statement by its form, `persons` for whether a statement is about one, `tone`,
`usage` for whether an answer made use of a memory.
To understand a question: `periods/` for the times it names, `rewrite` for a follow-up question.
To find memories in messages and documents: `extraction/`.
"""
