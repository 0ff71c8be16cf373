"""Neural common neighbours: NCN, and NCNC, which completes them.

`encoder` passes messages, `decoder` scores pairs by their common neighbours, `completion` adds those that may be
missing, `settings` is what can be chosen; `ncn` and `ncnc` are the models.
"""
