"""Files: which may be read, and how results are written safely."""
