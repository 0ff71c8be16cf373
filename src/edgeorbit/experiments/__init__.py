"""Experiments: many models on many graphs with many seeds, planned by a file, run side by side, kept in one table.

`plan` reads the file, `cell` is one run of it, `running` makes all of them, `store` keeps what they found, and
`tables` shows it.
"""
