// Exists only to carry the precompiled header that the torch rooms reuse.
