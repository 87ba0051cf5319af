"""Word vectors at many resolutions, mixed of several sources (MRNN)."""
