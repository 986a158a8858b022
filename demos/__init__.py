"""Runnable demos of ikrig, one file per feature.

``python -m demos`` opens a browser of them, ``python -m demos NAME`` opens one.
A demo's docstring is its catalogue entry (first line) and its on-screen help.
"""
