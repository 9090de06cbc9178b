"""The way out: from a question to a few memories, each with its reason.

Read `pipeline` first: it names the stages in their order. Each stage is a module that knows no other stage.

    pipeline, best_of_scope     where the stages meet: for a question, and for the best of a scope without one
    rewrite ... log             the stages
    visibility, nearness, ...   what several stages use
    tools, documents            the caches and models, and what the stages hand on
    index/                      words and vectors, and what is kept of them in memory
    query, search, answer       the values: what is asked, the search that is carried, what comes back

Nothing here writes but the log, a moment after the answer.
"""
