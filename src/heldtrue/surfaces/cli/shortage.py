"""Whether a command failed because there was too little memory."""


def is_shortage(problem: Exception) -> bool:
    """Whether there was too little memory.

    A library that cannot be loaded says so in its message; any other failed import is a broken installation. Where the
    interpreter itself cannot allocate, it may lose the MemoryError and raise a SystemError that names no exception.
    """
    if isinstance(problem, ImportError):
        return "segment" in str(problem) or "allocate" in str(problem)
    if isinstance(problem, SystemError):
        return "without exception" in str(problem)
    return isinstance(problem, MemoryError)
