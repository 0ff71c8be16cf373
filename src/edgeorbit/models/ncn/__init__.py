"""Neural common neighbours: NCN, and NCNC, which completes them.

`network` has the settings, the encoder and the decoders; `model` has the models and their presets.
"""
