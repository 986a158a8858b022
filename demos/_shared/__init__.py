"""What all demos share: window, light, meshes, camera, panels, pictures."""
