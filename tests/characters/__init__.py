"""Third-party characters, and the limbs that a person sees in them."""
