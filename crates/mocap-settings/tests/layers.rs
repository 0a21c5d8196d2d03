//! Files and variables of a small program.

use clap::builder::RangedU64ValueParser;
use clap::{Arg, ArgAction, Command};
use mocap_settings::{Layers, Settings, options_in_force};
use mocap_toml::{Text, TomlError};

const LAYERS: Layers = Layers {
    program: "mocap",
    file: "mocap.toml",
    prefix: "MOCAP_",
    fixed_headings: &[],
    fixed: &["overwrite", "output"],
    others: &["MOCAP_CONFIG", "MOCAP_CORPUS"],
};

fn definition() -> Command {
    let option = |name: &'static str| Arg::new(name).long(name);
    let jobs = || option("jobs").value_parser(RangedU64ValueParser::<u64>::new().range(1..));
    let switch = || option("overwrite").action(ArgAction::SetTrue);
    let length = |text: &str| match text.strip_suffix("mm") {
        Some(_) => Ok(text.to_owned()),
        None => Err(format!("'{text}' is not a length")),
    };
    let commands = [
        Command::new("convert").args([jobs(), switch(), option("output"), option("scale")]),
        Command::new("compress").args([
            jobs(),
            switch(),
            option("scale"),
            option("error").value_parser(length),
        ]),
        Command::new("info").args([jobs()]),
        Command::new("manifest").subcommand(Command::new("merge")),
    ];
    LAYERS.with_variables(Command::new("mocap").subcommands(commands))
}

fn settings(toml: &str) -> Result<Settings, TomlError> {
    Settings::new(&Text::new("mocap.toml", toml.into())?, &LAYERS, &definition())
}

/// The value that is in force for an option of a command.
fn value(settings: &Settings, command: &str, option: &str) -> Option<String> {
    let definition = settings.apply(definition());
    let matches = definition.clone().try_get_matches_from(["mocap", command]).unwrap();
    let rows = options_in_force(&LAYERS, &definition, &matches, settings);
    let rows: Vec<String> = rows.iter().map(|row| row.text()).collect();
    let row = rows.iter().find(|row| row.starts_with(&format!("{option} = ")))?;
    row.split('"').nth(1).map(str::to_owned)
}

#[test]
fn a_table_of_a_command_comes_before_the_top() {
    let settings = settings("jobs = 2\nscale = 2\n[compress]\njobs = 3\nerror = '1mm'\n").unwrap();
    let values = |command, option| value(&settings, command, option);
    assert_eq!(values("compress", "jobs"), Some("3".into()));
    assert_eq!(values("convert", "jobs"), Some("2".into()));
    assert_eq!(values("convert", "error"), None);
    assert_eq!(settings.line(Some("compress"), "error"), Some(5));
}

#[test]
fn what_the_command_line_does_not_know_is_refused() {
    let wrong = |toml: &str| {
        let error = settings(toml).unwrap_err();
        (error.place().unwrap(), error.message, error.help.unwrap_or_default())
    };
    assert_eq!(wrong("jbos = 2\n").2, "did you mean 'jobs'?");
    assert_eq!(wrong("a = 1\n").0, (1, 1));
    assert_eq!(
        wrong("[compres]\n"),
        ((1, 2), "mocap has no 'compres'".into(), "did you mean 'compress'?".into())
    );
    assert_eq!(wrong("[compress]\nerror = '1 yard'\n").0, (2, 9));
    assert_eq!(wrong("[info]\nerror = '1mm'\n").0, (2, 1));
    assert_eq!(wrong("[manifest]\n").1, "no option of 'mocap manifest' can be configured");
    assert!(wrong("overwrite = true\n").1.contains("applies to one run"));
    assert!(wrong("jobs = 0\n").1.contains("0 is not in 1.."), "{}", wrong("jobs = 0\n").1);
}

#[test]
fn variables_are_called_like_options() {
    assert_eq!(LAYERS.variable("input-unit"), "MOCAP_INPUT_UNIT");
}
