"""English grammar by rules: words, tokens, verbs, sentences and clauses."""
