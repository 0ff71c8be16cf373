"""How fast edgeorbit is, beside others and beside what no method can beat: `python -m benchmarks`.

Each measurement runs in a process of its own (`child`), which the parent (`measure`) watches. `graphs` makes the
graphs, `methods` holds what is measured on them, `suite` says what is measured on which, `goals` what should come
out, and `report` prints it.
"""
