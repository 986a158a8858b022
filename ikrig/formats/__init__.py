"""File formats: rigs, clips and robots as YAML, robots as MJCF and URDF."""
