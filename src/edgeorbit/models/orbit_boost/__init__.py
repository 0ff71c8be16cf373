"""Gradient boosting over pair signals: `model` is the link predictor, `examples` what it learns from, `trees` the
library that grows the trees and the check of its text.
"""
