"""The index of recall: where words and vectors are looked up, and what is kept of them in memory.

Words, in the order of a search:

    postings        the postings of one word on one shelf, and a cache of those of common words
    cache           `IndexCache`: shelves, postings, and the words of documents that are not posted yet
    term_postings   the postings of a question's words, of memories and of evidence
    mistyped        a word that nobody has used, read as one that somebody has
    best_scores     the best of very many documents without adding up all of their postings
    scoring         from postings to a score for each memory, passage and thread
    words           `find_words`: the whole lookup, and `WordHits`, what it found

Vectors:

    matrix          the vectors of one shelf as arrays
    nearest         the documents nearest to a question's vector
    embedding       what was written as texts to embed, and storing their vectors
    vectors         `VectorCache`: the vectors of a space in memory, followed by ledger sequence
    likeness        two texts compared token by token

It knows shelves, documents by their numbers, and words. What a document is worth to a caller is for the stages of
recall to say, which stand above it.
"""
