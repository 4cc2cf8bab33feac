"""Measurements against this machine's limit. `python -m bench` runs them all."""
