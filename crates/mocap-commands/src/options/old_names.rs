//! Renamed options. They were renamed because one name had two meanings in different verbs. The old names still
//! work on the command line, in `mocap.toml`, in pipelines and as keywords, with a warning.

use std::ffi::OsString;

use clap::{Arg, Command};
use mocap_settings::earlier_names;

use crate::diagnostic::Diagnostic;

/// An option that was renamed.
struct Renamed {
    /// Verbs and steps that have the option.
    of: &'static [&'static str],
    old: &'static str,
    new: &'static str,
}

const RENAMED: &[Renamed] = &[
    // Verbs that write a motion use the name for the output unit; these verbs write none.
    Renamed {
        of: &[
            "info", "validate", "compare", "skel", "find", "label", "view", "sheet", "plot", "render",
            "gallery", "compress",
        ],
        old: "unit",
        new: "input-unit",
    },
    // In `run`, the name sets a variable of the pipeline.
    Renamed { of: &["compress"], old: "set", new: "joint-error" },
    // In all other verbs, the value is NAME=LIMIT.
    Renamed { of: &["compare"], old: "fail-above", new: "max-error" },
    // In writers, the name means how a skeleton is shown: body, sticks or none.
    Renamed { of: &["view"], old: "mesh", new: "character" },
    Renamed { of: &["terrain"], old: "mesh", new: "terrain-mesh" },
    // In `edit`, the value is one number for the edit before it.
    Renamed { of: &["blend"], old: "weight", new: "weights" },
    // In `retarget`, the name means the surface that arms are kept out of.
    Renamed { of: &["view", "sheet", "render", "gallery"], old: "body", new: "draw" },
    // In `edit`, the name puts feet on a terrain.
    Renamed { of: &["view", "render"], old: "terrain", new: "draw-terrain" },
    // In `compress`, the name means the guaranteed error bound.
    Renamed { of: &["convert", "retarget", "write"], old: "error", new: "key-error" },
    // In pictures, the name means the camera.
    Renamed { of: &["find"], old: "view", new: "html" },
    // In `blend`, the name means weights of the motions that are mixed.
    Renamed { of: &["view", "sheet"], old: "weights", new: "weights-of" },
    Renamed { of: &["rig"], old: "weights", new: "weight-method" },
    // In `convert`, the name means which joints of a clip are kept.
    Renamed { of: &["rig"], old: "joints", new: "joint-places" },
    // In `solve`, the name means a file of example poses.
    Renamed { of: &["sheet"], old: "poses", new: "count" },
    // In `bands`, the name means gains of bands.
    Renamed { of: &["fourier"], old: "gain", new: "style-gain" },
];

/// The code of the warning.
const CODE: &str = "usage::old-name";

/// Adds the old names of options to all verbs, hidden from help.
pub(crate) fn with_old_names(mut all: Command) -> Command {
    for renamed in RENAMED {
        let verbs = renamed.of.iter().filter(|of| all.find_subcommand(of).is_some()).collect::<Vec<_>>();
        for verb in verbs {
            all = all.mut_subcommand(verb, |command| {
                let option = command.get_arguments().find(|option| option.get_long() == Some(renamed.new));
                let id = option.map(|option| option.get_id().clone());
                let id = id.unwrap_or_else(|| panic!("{verb} has --{}", renamed.new));
                command.mut_arg(id, |option| option.alias(renamed.old))
            });
        }
    }
    all
}

/// The present name of an option, if `name` is an old one.
pub(crate) fn new_name(command: &Command, of: &str, name: &str) -> Option<&'static str> {
    let has = |name: &str| command.get_arguments().any(|option| option.get_long() == Some(name));
    let fits = |renamed: &&Renamed| renamed.of.contains(&of) && renamed.old == name && has(renamed.new);
    RENAMED.iter().find(fits).filter(|_| !has(name)).map(|renamed| renamed.new)
}

/// The warning about an old name, with both names as they are written there: `--unit`, `unit`.
pub(crate) fn renamed(old: &str, new: &str) -> Diagnostic {
    Diagnostic::new(CODE, format!("'{old}' is now called '{new}'"))
        .help("the old name still works in all versions 0.x")
}

/// Warnings about old flag names on a command line.
pub fn old_flags(definition: &Command, words: &[OsString]) -> Vec<Diagnostic> {
    let texts = || words.iter().skip(1).take_while(|word| *word != "--").filter_map(|word| word.to_str());
    let Some(command) = texts().find_map(|word| definition.find_subcommand(word)) else { return Vec::new() };
    let mut found: Vec<Diagnostic> = Vec::new();
    for word in texts() {
        let Some(flag) = word.strip_prefix("--") else { continue };
        let name = flag.split('=').next().unwrap_or_default();
        let is_old = |option: &&Arg| earlier_names(option).any(|old| old == name);
        if let Some(new) = command.get_arguments().find(is_old).and_then(Arg::get_long) {
            let warning = renamed(&format!("--{name}"), &format!("--{new}"));
            if !found.contains(&warning) {
                found.push(warning);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::pipeline::KINDS;
    use crate::settings::Program;

    /// The values of a flag: value name, default, possible words, and syntax.
    fn taken(flag: &Arg) -> [String; 4] {
        if !flag.get_action().takes_values() {
            return ["", "", "", "switch"].map(str::to_owned);
        }
        let name = flag.get_value_names().unwrap_or_default().join(" ");
        let defaults: Vec<_> =
            flag.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
        let words: Vec<_> =
            flag.get_possible_values().iter().map(|word| word.get_name().to_owned()).collect();
        let reader = format!("{:?}", flag.get_value_parser().type_id());
        // Values with the same syntax that several types parse.
        let written = match name.as_str() {
            "FILE" | "LENGTH" | "SECONDS" | "NAME=LIMIT" | "FORMAT" => String::new(),
            _ => reader,
        };
        let words = if name == "FORMAT" { String::new() } else { words.join("|") };
        // `-o` names a file or a directory.
        let name = if flag.get_long() == Some("output") { String::new() } else { name };
        [name, defaults.join(" "), words, written]
    }

    fn walk(command: &Command, path: &str, found: &mut BTreeMap<String, Vec<(String, Arg)>>) {
        for flag in command.get_arguments() {
            if let Some(long) = flag.get_long() {
                found.entry(long.to_owned()).or_default().push((path.to_owned(), flag.clone()));
            }
        }
        for verb in command.get_subcommands() {
            walk(verb, &format!("{path} {}", verb.get_name()), found);
        }
    }

    /// Flags that mean the same with other values: `--ik` chooses a solver, of limbs, of whole bodies or of both;
    /// `--marker-set` names a set, and `solve` reads a table too; `--preset` names a rig, and `skel` lists them too.
    const OTHER_VALUES: [&str; 3] = ["ik", "marker-set", "preset"];

    #[test]
    fn flags_of_one_name_take_the_same() {
        let mut found = BTreeMap::new();
        walk(&Program::definition(), "mocap", &mut found);
        let mut wrong = Vec::new();
        for (name, flags) in &found {
            let mut kinds: BTreeMap<_, Vec<&str>> = BTreeMap::new();
            for (path, flag) in flags {
                kinds.entry(taken(flag)).or_default().push(path);
            }
            if kinds.len() > 1 && !OTHER_VALUES.contains(&name.as_str()) {
                wrong.push(format!("--{name}: {kinds:#?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn old_names_work_and_are_reported() {
        let definition = Program::definition();
        let reported = |words: &str| {
            let words: Vec<OsString> = words.split(' ').map(Into::into).collect();
            definition.clone().try_get_matches_from(&words).unwrap();
            old_flags(&definition, &words)
                .into_iter()
                .map(|warning| warning.message.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(reported("mocap info a --unit cm"), ["'--unit' is now called '--input-unit'"]);
        assert_eq!(
            reported("mocap -q compare a b --fail-above=1mm"),
            ["'--fail-above' is now called '--max-error'"]
        );
        assert_eq!(
            reported("mocap compress a --set F*:error=1mm --set G*=2mm"),
            ["'--set' is now called '--joint-error'"]
        );
        assert_eq!(reported("mocap view a --mesh b.glb"), ["'--mesh' is now called '--character'"]);
        assert_eq!(reported("mocap terrain a --mesh b.glb"), ["'--mesh' is now called '--terrain-mesh'"]);
        assert_eq!(
            reported("mocap view a --terrain 0.1,0.2"),
            ["'--terrain' is now called '--draw-terrain'"]
        );
        assert_eq!(reported("mocap sheet a --body capsules"), ["'--body' is now called '--draw'"]);
        assert_eq!(reported("mocap find a b --view c.html"), ["'--view' is now called '--html'"]);
        assert_eq!(reported("mocap convert a -o b.glb --error 0"), ["'--error' is now called '--key-error'"]);
        assert_eq!(reported("mocap blend a b --weight 0.5"), ["'--weight' is now called '--weights'"]);
        assert_eq!(
            reported("mocap fourier a --neutral b --styled c --gain 2"),
            ["'--gain' is now called '--style-gain'"]
        );
        assert_eq!(reported("mocap sheet a --weights Hips"), ["'--weights' is now called '--weights-of'"]);
        assert_eq!(
            reported("mocap rig a -o b.glb --weights voxel --joints c.json"),
            ["'--weights' is now called '--weight-method'", "'--joints' is now called '--joint-places'"]
        );
        // Names that other verbs keep.
        assert!(reported("mocap convert a -o b.glb --unit cm --mesh sticks").is_empty());
        assert!(reported("mocap edit a -o b --add c --weight 2 --fail-above max-deg=4").is_empty());
        assert!(reported("mocap run a.toml --set x=y").is_empty());
        assert!(reported("mocap bands a --gain high=0").is_empty());
        assert!(
            reported("mocap retarget a b --body off").is_empty()
                && reported("mocap compress a --error 1mm").is_empty()
        );
        assert!(reported("mocap render a -o b.gif --view side").is_empty());
        // Arguments after `--` are files.
        assert!(reported("mocap info -- --unit").is_empty());
    }

    #[test]
    fn only_options_that_are_there_have_old_names() {
        let flags = |name: &str| (KINDS.iter().find(|kind| kind.name == name).unwrap().flags)();
        assert_eq!(new_name(&flags("compress"), "compress", "set"), Some("joint-error"));
        assert_eq!(new_name(&flags("compress"), "compress", "unit"), None);
        assert_eq!(new_name(&flags("compare"), "compare", "fail-above"), Some("max-error"));
        // The step of the same name keeps the option.
        assert_eq!(new_name(&flags("blend"), "blend", "weight"), None);
        assert_eq!(new_name(&flags("fourier"), "fourier", "gain"), Some("style-gain"));
        assert_eq!(new_name(&flags("write"), "write", "error"), Some("key-error"));
        assert_eq!(new_name(&flags("terrain"), "terrain", "mesh"), Some("terrain-mesh"));
    }
}
