//! Clips and robots as data.

mod clip;
mod robot;
