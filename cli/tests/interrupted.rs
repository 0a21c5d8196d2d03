//! Runs that are interrupted, killed or stuck: no file is half written, and completed work is kept.

#[cfg(unix)]
mod mocap;
#[cfg(unix)]
#[path = "interrupted/unix.rs"]
mod unix;

#[cfg(unix)]
mocap_corpus::tests! {
    unix::runs_that_are_killed_twenty_times_make_what_one_run_makes,
    unix::any_number_of_jobs_and_shards_makes_the_same_tree,
    unix::an_interrupted_run_ends_in_order_and_can_be_resumed,
    unix::a_second_signal_ends_a_run_that_is_stuck,
    unix::a_clip_that_takes_too_long_is_given_up_and_holds_up_no_other,
    unix::a_run_whose_inputs_are_all_stuck_comes_to_an_end,
    unix::an_interrupted_command_leaves_nothing_half_written,
    unix::searches_end_before_the_next_file,
}

#[cfg(not(unix))]
fn main() {}
