"""Slow work: the queue, what runs regularly, and the jobs."""
