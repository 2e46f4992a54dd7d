"""``python -m usmx``: one module for each command, and main.py for the command line."""
