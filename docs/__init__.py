"""What builds the site and the page of the package."""
