"""The weights and the tokenizer of Heldtrue's reader. There is no code here: Heldtrue reads the files."""
