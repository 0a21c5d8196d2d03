//! Motion made visible.
