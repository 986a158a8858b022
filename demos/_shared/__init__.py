"""Code shared by all demos: window, light, meshes, camera, panels, pictures."""
