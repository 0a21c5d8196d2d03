//! Help texts as users see them: a change of any shows up in review.

#[test]
fn help_is_what_the_snapshots_show() {
    trycmd::TestCases::new().env("COLUMNS", "100").case("tests/cmd/*.trycmd");
}
