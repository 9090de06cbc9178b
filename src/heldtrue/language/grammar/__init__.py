"""English grammar by rules.

`lexicon` holds the word classes and every known verb form, `tokens` splits a text into tokens, `sentences` finds where
sentences end, `verbs` finds the finite verb of a clause, and `clauses` splits a compound sentence into clauses that
stand alone.
"""
