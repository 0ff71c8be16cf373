"""What colour refinement is made of.

`partition` holds the state, `hashing` serves both kinds of rounds, `dense` and `frontier`, and `verify` proves what
they found.
"""
