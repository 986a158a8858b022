"""Benchmarks: each module is a command, and says what it measures."""

DT = 1.0 / 60.0
