"""Engine-free analysis of characters: limbs, eyes, facing, and where feet stand."""
