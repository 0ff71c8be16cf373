"""Networks that score node pairs: inputs, layers, encoders, decoders, encodings of nodes, and the models they make."""
