//! Unusual file systems: full, unreadable, case-folding, odd names. Each problem is reported clearly, and no
//! work is lost.

#[cfg(unix)]
#[path = "hostile/unix.rs"]
mod unix;

#[cfg(unix)]
mocap_corpus::tests! {
    unix::a_full_disk_ends_the_run_and_a_later_one_goes_on,
    unix::a_manifest_that_finds_no_room_ends_the_run,
    unix::a_device_that_is_full_is_said_to_be,
    unix::a_folder_that_cannot_be_read_is_one_failure,
    unix::outputs_may_be_on_another_file_system,
    unix::names_of_all_kinds_are_resumed_and_verified,
    unix::links_in_a_circle_are_one_failure,
    unix::names_that_differ_in_letters_alone_are_kept_apart_with_a_warning,
    unix::a_manifest_that_cannot_be_written_is_said_before_any_work,
}

#[cfg(not(unix))]
fn main() {}
