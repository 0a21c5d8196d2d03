//! Tests of compressed motions, on the fixtures and on captured motion files if there are any.

mod guarantee;
#[path = "../measured/mod.rs"]
mod measured;
#[path = "../motion/mod.rs"]
mod motion;
mod tolerances;

mocap_corpus::tests! {
    guarantee::real_clips_keep_every_bound,
    guarantee::fixtures_keep_every_bound,
    guarantee::the_smallest_tolerance_as_printed_works,
    guarantee::the_smallest_tolerance_as_printed_works_on_fixtures,
    guarantee::fine_bounds_hold_between_frames_too,
    guarantee::fine_bounds_hold_between_frames_of_fixtures_too,
    tolerances::runtime_keeps_every_bound,
    tolerances::archive_keeps_every_bound,
    tolerances::keys_keep_every_bound,
    tolerances::runtime_keeps_every_bound_on_fixtures,
    tolerances::archive_keeps_every_bound_on_fixtures,
    tolerances::keys_keep_every_bound_on_fixtures,
}
