"""Background work: the queue, the schedules and the jobs."""
