"""BUDDY: its parts, and the model.

`propagation` embeds nodes by features that are propagated along the edges, `network` joins the embeddings of a pair
with its structure features, and `model` is the model, with its presets.
"""
