"""Ready-made behaviours of characters: feet, gaze, aim and reach."""
