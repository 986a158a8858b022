"""Sources of the kernels: compiled by Cython, or run as Python.

They are kept apart from the compiled modules because some tools that freeze programs
would use a module's ``.py`` instead of the ``.so`` beside it.
"""
