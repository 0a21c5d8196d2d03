//! Prints the JSON Schema of `.skel` files.
#![allow(clippy::print_stdout, reason = "this is what it is for")]

fn main() {
    print!("{}", mocap_formats::skel::json_schema());
}
