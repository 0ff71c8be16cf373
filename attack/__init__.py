"""A structure-aware fuzzer of everything that edgeorbit reads: `python -m attack`.

A case is a valid input, damaged in a way that suits its kind, and a command that reads it within limits on time and
memory. The command must succeed, or end with exit code 2 and one sentence, and leave nothing unfinished behind.
"""
