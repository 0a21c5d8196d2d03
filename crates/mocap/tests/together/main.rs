//! Two people who are retargeted together: pairs generated from single motions, on all pairs of
//! bodies. Bind points in files.

mod bind_points;
mod bodies;
mod held;
mod made;
mod meter;
mod same;
mod scene;
mod sides;
mod transformed;

mocap_corpus::tests! {
    bind_points::bind_points_of_fixture_props_survive_files,
    held::a_forearm_in_the_trunk_of_a_fixture_swivels_out_and_its_hand_stays,
    held::elbows_of_a_fixture_box_turn_as_in_the_source,
    held::elbows_of_a_box_turn_as_in_the_source_on_all_bodies,
    transformed::a_stick_in_hands_of_a_fixture_is_the_same_turned_and_moved,
    transformed::a_stick_in_two_hands_is_the_same_turned_and_moved_on_all_bodies,
    bodies::raised_hands_of_fixtures_meet_on_unlike_bodies,
    same::bodies_of_fixtures_are_symmetric,
    sides::people_far_from_the_origin_keep_their_distance,
    sides::limits_of_one_side_hold_in_mirrored_scenes,
    same::changed_pairs_of_fixtures_are_the_same,
    same::turned_swapped_mirrored_and_resampled_people_are_the_same,
    ; slow:
    bodies::hands_that_meet_meet_on_all_pairs_of_bodies,
    same::a_handshake_is_the_same_in_all_changes,
    same::a_walk_hand_in_hand_is_the_same_turned_moved_and_swapped,
    meter::contacts_of_people_together_are_kept_in_all_frames,
}
