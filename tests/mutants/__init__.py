"""Small wrong changes to the sources, each of which some test must notice."""
