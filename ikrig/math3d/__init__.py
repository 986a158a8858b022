"""Quaternions at set-up time, jogging and time steps: no engine, no skeletons."""
