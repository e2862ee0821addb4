"""The values worked out in the specification, computed from their definitions."""
