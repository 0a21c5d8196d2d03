//! What holds for motions: tested on the fixtures, and on real motion files where they are.

mod body_contacts;
mod clip;
mod contact_poses;
mod every_map;
mod experiments;
mod hands;
mod pairs;
mod people;
mod pops;
mod reference_poses;
mod round_trip;
mod self_contact;
mod shape;
mod solvers;
mod surface;

mocap_corpus::tests! {
    every_map::hands_and_feet_are_on_the_sides_of_the_source,
    every_map::hands_and_feet_of_fixtures_are_on_the_sides_of_the_source,
    experiments::scaled_bodies_walk_the_same_walk,
    experiments::scaled_bodies_walk_the_walk_of_a_fixture,
    experiments::locked_feet_stay_in_place,
    experiments::locked_feet_of_fixtures_stay_in_place,
    experiments::without_scaling_the_knees_are_lost,
    experiments::without_scaling_the_knees_of_fixtures_are_lost,
    experiments::a_motion_on_its_own_skeleton_is_itself,
    experiments::a_fixture_on_its_own_skeleton_is_itself,
    pairs::every_skeleton_moves_every_other,
    pairs::every_fixture_moves_every_other,
    pairs::shape_shows_the_limbs_of_rest_poses_that_are_stances,
    pops::few_pairs_of_captures_pop,
    pops::no_pair_of_fixtures_pops,
    hands::contacts_are_met_and_pull_no_arm_far,
    hands::hands_of_fixtures_that_touch_nothing_are_left_alone,
    people::people_are_people_of_their_size,
    people::people_of_fixtures_are_people_and_a_dog_is_not,
    reference_poses::a_character_has_one_reference_pose,
    reference_poses::a_fixture_has_one_reference_pose,
    reference_poses::heads_with_frames_of_their_own_face_ahead,
    reference_poses::frames_of_spine_and_neck_that_are_rolled_make_no_difference,
    reference_poses::a_head_that_is_turned_all_the_time_faces_ahead,
    self_contact::claps_of_a_capture_clap,
    round_trip::a_motion_comes_back,
    round_trip::most_pairs_give_a_motion_back,
    round_trip::a_fixture_comes_back,
    shape::bodies_without_names_have_the_roles_of_those_with,
    shape::fixtures_without_names_have_the_roles_of_those_with,
    solvers::every_solver_follows_captured_motions_without_a_jump,
    solvers::every_solver_follows_fixtures_without_a_jump,
    solvers::kicks_to_the_side_stay_within_the_limits_of_hips,
    body_contacts::contacts_rest_on_another_body,
    surface::arms_stay_outside_of_five_bodies,
    surface::a_forearm_through_the_body_leaves_by_one_side,
    surface::an_arm_that_stays_inside_leaves_by_another_side,
    ; slow:
    body_contacts::crossed_arms_stay_crossed,
    body_contacts::hands_rest_on_hips_and_heads_of_all_bodies,
    body_contacts::arms_of_sources_without_a_mesh_stay_outside,
}
