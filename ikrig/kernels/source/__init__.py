"""The kernels as Python: what Cython compiles, and what runs where it can't.

They stand apart from the compiled ones because a module's ``.py`` beside its ``.so``
is what some tools that freeze programs take.
"""
