"""The Panda3D side: the only part of the library that imports the engine."""
