"""Characters that others made, and the limbs that a person sees in them."""
