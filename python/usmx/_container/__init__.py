"""The functions of the container, one module for each subject; `usmx` offers the public ones."""
