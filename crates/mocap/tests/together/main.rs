//! Two people who are retargeted together: pairs made of single motions, on all pairs of bodies. Bind points in files.

mod bind_points;
mod bodies;
mod made;
mod scene;

mocap_corpus::tests! {
    bind_points::bind_points_of_fixture_props_survive_files,
    bodies::hands_that_meet_meet_on_all_pairs_of_bodies,
    bodies::turned_swapped_mirrored_and_resampled_people_are_the_same,
}
