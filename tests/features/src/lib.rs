//! Nothing but a list of dependencies. The tools of tests ask for features of crates that the programs use too, such as
//! `serde`. Where they are dependencies of tests only, `cargo build --workspace` leaves these features out, and each such
//! crate, and all that stands on it, is built a second time.
