//! Puts the motion of one skeleton on another.
