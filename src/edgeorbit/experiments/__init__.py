"""Experiments: many models on many graphs with many seeds, planned by a file, run side by side, kept in one table.

`plan` reads the file: `schema` and `checking` say what may stand in it, `toml_lines` which line is to blame, `tuned`
adds settings that a search found. `cell` is one run of it; `running` makes all of them in `workers`, shared with other
benches by `claims`. `store` keeps what they found, with its `provenance`; `state` tells what there is, `estimates` how
long the rest takes, and `tables` show it.
"""
