"""What clauses say, as claims: English by parsing, the commonest frames of other languages by table."""
