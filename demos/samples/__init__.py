"""Plain samples to copy: each shows one feature, ``python demos/samples/chain.py``."""
