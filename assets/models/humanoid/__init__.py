"""The humanoid: how `assets/models/humanoid.bam` is made."""
