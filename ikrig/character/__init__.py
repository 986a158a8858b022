"""Engine-free logic for characters: feet, legs, pelvis and bone names."""
