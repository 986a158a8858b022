"""What characters need beside IK: feet, legs, hips and the names of bones."""
