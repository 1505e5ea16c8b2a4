// Holds the precompiled header that every folder reuses.
