"""Plain samples to copy, one feature each; run ``python demos/samples/chain.py``."""
