"""What colour refinement is made of.

`partition` and `workspace` hold the state, `hashing` and `sorting` serve both kinds of rounds, `dense` and `frontier`,
and `verify` proves what they found.
"""
