"""Small mistakes made in the sources, each of which some test must detect."""
