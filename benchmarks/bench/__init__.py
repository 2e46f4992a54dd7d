"""Measuring in pairs and in turns beside dpctl, dpnp and NumPy: what benchmarks/*.py share."""
