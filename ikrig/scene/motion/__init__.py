"""Motions of Actors and scenes: from clips, from running games, and on a figure."""
