"""Rigs in a lit room: in a window, or filmed without one."""
