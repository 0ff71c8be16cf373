"""Experiments: many models on many graphs with many seeds, planned by a file, run side by side, kept in one table.

`plan` reads the file: `schema` and `checking` say what may stand in it, `toml_lines` which line is to blame, `tuned`
adds settings that a search found. `cell` is one run of it, which becomes rows of an `edgeorbit.prediction.result`;
`running` hands all of them to `executors`, processes or a dask cluster, through the loop of `runner`, and `store` keeps
the rows. `state` compares them with the plan, `estimates` how long the rest takes, and `tables` show them. `tuning`
searches settings through the same executors.
"""
