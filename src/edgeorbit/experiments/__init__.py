"""Experiments: many models on many graphs with many seeds, planned by a file, run side by side, kept in one table.

`reading` turns a file into the `plan`: `schema` and `_checking` say what may stand in it, and `toml_files` names the
line that is wrong. `cell` is one run of the plan, which becomes rows of an `edgeorbit.prediction.result`; `running`
hands all runs to `executors`, local processes or a dask cluster, and `store` keeps the rows. `state` compares them with
the plan and estimates the time that is left, and `tables` show them. `tuning` searches settings with the same
executors.
"""
