"""Sources of the kernels: compiled by Cython, or run as Python.

They stand apart from the compiled ones because a module's ``.py`` beside its ``.so``
is what some tools that freeze programs take.
"""
