"""EO-GNN: its parts, and the two models made of them.

`parts` has D1, D2 and the decoder as modules for any network, `dropout_rates` the probabilities of D1, `signals` what
connects the nodes of a pair, `model` the encoder and both models: by the paper's equations, and ours.
"""
