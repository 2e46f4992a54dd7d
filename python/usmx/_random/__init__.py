"""The parts of `usmx.random`."""
