//! Reads and writes motion capture files.
