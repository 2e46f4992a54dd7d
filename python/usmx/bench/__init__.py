"""Measuring usmx beside dpctl, dpnp and NumPy: what ``python -m usmx bench`` does."""
