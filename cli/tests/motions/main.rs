//! What the program does with motions: tested on the fixtures, and on real motion files where they are.

mod compression;
#[path = "../mocap/mod.rs"]
mod mocap;
mod reference_pose;

mocap_corpus::tests! {
    compression::clips_of_the_corpus_come_back,
    compression::every_fixture_comes_back_from_runtime,
    compression::every_fixture_comes_back_from_archive,
    compression::every_fixture_comes_back_from_keys,
    reference_pose::feet_are_flat_on_a_skel_of_a_rig_that_lies_about,
    reference_pose::feet_are_flat_on_a_skel_of_a_fixture_that_lies_about,
}
