"""Quaternions at set-up time, and springs: no engine, no skeletons."""
