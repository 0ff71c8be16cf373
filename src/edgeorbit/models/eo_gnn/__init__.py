"""EO-GNN: its parts, and its two members.

`orbit_dropout` is D1 with its `dropout_rates`, `roles` and `orbit_bias` are D2, `decoder` scores pairs; `encoder` puts
all but the decoder together. `paper` is the model by the paper's equations, `model` is ours, with the `signals` of node
pairs; `family` is what they share.
"""
