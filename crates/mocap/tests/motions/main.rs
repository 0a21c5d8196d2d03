//! Tests of motions, on the fixtures and on captured motion files if there are any.

mod artifacts;
mod inject;

mocap_corpus::tests! {
    artifacts::clean_fixtures_have_no_findings,
    artifacts::clean_motions_have_no_findings,
    artifacts::injected_artifacts_of_fixtures_are_found,
    artifacts::injected_artifacts_are_found,
    artifacts::a_clip_that_floats_over_its_database_is_found,
}
