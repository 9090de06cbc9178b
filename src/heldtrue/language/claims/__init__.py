"""What clauses say, as claims (subject, attribute, value, polarity), and the parts by which claims are compared.

To read claims: `find` picks the reader. `english_clauses` reads an English clause (`parse`, then `copula` for "X is Y"
or `actions` for any other verb, with `subjects`, `phrases` and `clause_tail`); `foreign_clauses` knows the most common
sentence forms of other languages. `canonical` and `attributes` say how words and attributes are spelled.
To compare them (see `language.contradiction`): `antonyms`, `denials`, `numeric_holes` and `changed_values` for another
number or time, `implied_slots` for what a claim says without naming it, `role_inversion` for "the lead is Maria", and
`compatible_pairs` for words that let both hold.
"""
