//! The recipes of `docs/scale-out`: their own commands, run as the schedulers would run them; and what needs other
//! programs.

#[cfg(unix)]
#[path = "recipes/unix.rs"]
mod unix;

#[cfg(unix)]
mocap_corpus::tests! {
    unix::a_slurm_array_makes_what_one_run_makes,
    unix::an_indexed_job_makes_what_one_run_makes,
    unix::a_ray_cluster_makes_what_one_run_makes_and_retries_shards,
    unix::the_workflow_for_ci_takes_motions_whose_names_differ_only_in_their_extension,
    unix::the_workflow_for_ci_passes_a_good_repository_and_stops_a_bad_one,
    unix::the_real_ffmpeg_makes_a_film_with_the_same_bytes_twice,
}

#[cfg(not(unix))]
fn main() {}
