//! Properties of motion files: tested on the fixtures, and on real motion files if they are available.

mod acclaim;
mod acclaim_write;
mod arrays;
mod bvh_files;
mod csv_table;
#[cfg(feature = "fbx")]
mod fbx_files;
#[cfg(feature = "fbx")]
#[path = "../fbx_records/mod.rs"]
mod fbx_records;
#[cfg(feature = "fbx")]
mod fbx_wrapped;
mod json_clips;
#[path = "../pair/mod.rs"]
mod pair;
#[cfg(feature = "fbx")]
#[path = "../ufbx_places/mod.rs"]
mod ufbx_places;
mod wrapped;

mocap_corpus::tests! {
    acclaim::the_ends_of_bones_are_where_the_reference_has_them,
    acclaim::writing_an_untouched_document_changes_no_value,
    acclaim::writing_an_untouched_fixture_changes_no_value,
    acclaim::every_fixture_is_read_as_it_is,
    acclaim::every_file_of_the_database_is_read_as_it_is,
    acclaim_write::files_of_the_database_come_back_with_their_bones_and_channels,
    acclaim_write::fixtures_come_back_with_their_bones_and_channels,
    acclaim_write::rigs_of_bvh_files_come_back,
    acclaim_write::rigs_of_bvh_fixtures_come_back,
    acclaim_write::every_bone_of_the_database_goes_into_bvh,
    acclaim_write::every_bone_of_the_fixtures_goes_into_bvh,
    arrays::fixtures_come_back_from_arrays,
    arrays::motions_come_back_from_arrays,
    arrays::fixture_annotations_come_back,
    arrays::fixtures_come_back_from_packs,
    arrays::fixture_features_follow_from_the_motion,
    arrays::fixture_arrays_of_others_are_read,
    bvh_files::writing_an_untouched_document_changes_no_value,
    bvh_files::writing_an_untouched_fixture_changes_no_value,
    bvh_files::world_positions_are_those_of_the_reference,
    bvh_files::clips_written_and_read_again_keep_world_positions,
    bvh_files::fixtures_written_and_read_again_keep_world_positions,
    bvh_files::a_rest_pose_before_the_motion_is_noticed,
    bvh_files::a_rest_pose_before_a_fixture_is_noticed,
    csv_table::tables_of_real_clips_hold_the_reference_positions,
    csv_table::tables_of_fixtures_hold_the_positions_they_were_made_with,
    fbx_files::joints_of_real_files_are_where_the_library_places_them,
    fbx_files::real_clips_written_and_read_again_keep_their_places,
    fbx_files::fixtures_written_and_read_again_keep_their_places,
    fbx_files::fixtures_stay_on_the_motion_between_frames,
    fbx_files::real_motions_stay_on_the_motion_between_frames,
    fbx_files::real_files_keep_their_meshes_with_other_clips,
    fbx_files::fixtures_keep_their_meshes_with_other_clips,
    fbx_wrapped::real_files_below_other_parents_keep_their_motion,
    fbx_wrapped::fixture_files_below_other_parents_keep_their_motion,
    json_clips::real_clips_come_back_to_the_last_bit,
    json_clips::fixtures_come_back_to_the_last_bit,
    wrapped::real_scenes_below_other_parents_keep_their_motion,
    wrapped::fixture_scenes_below_other_parents_keep_their_motion,
    wrapped::fixture_scenes_below_other_parents_are_written_back,
}
