//! Only a list of dependencies. Test tools ask for features of crates that the programs use too,
//! such as `serde`. Where test tools are dependencies of tests only, `cargo build --workspace`
//! leaves these features out, and each such crate, and all crates that depend on it, are built a
//! second time.
