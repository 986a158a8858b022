"""Goals that are led along paths, as a player leads them: a little each frame."""
