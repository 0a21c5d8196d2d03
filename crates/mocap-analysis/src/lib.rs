//! What can be measured on motions.
