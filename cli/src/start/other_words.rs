//! Names that other programs use for commands and options of this one.

/// Names in other programs; the command that does the same here, and how.
const COMMANDS: [(&[&str], &str); 12] = [
    (
        &["export", "import", "resample", "trim", "cut", "crop", "scale", "rotate", "resize"],
        "`mocap convert IN -o OUT` converts, trims, resamples and scales",
    ),
    (
        &["preview", "show", "open", "display", "viewer", "animate"],
        "`mocap view IN -o OUT.html` plays motions",
    ),
    (
        &["mirror", "loop", "smooth", "filter", "clean", "denoise", "retime", "speed"],
        "`mocap edit --help` lists the edits that do it",
    ),
    (&["transfer", "remap", "map", "robot"], "`mocap retarget SOURCE TARGET` moves another skeleton"),
    (&["concat", "merge", "append"], "`mocap join` joins motions of one skeleton"),
    (&["diff", "error"], "`mocap compare` measures the error between two motions"),
    (&["film", "gif", "video", "movie", "picture", "draw"], "`mocap render IN -o OUT.gif` draws films"),
    (
        &["stat", "stats", "print", "quality"],
        "`mocap info IN` shows what a file holds, --quality what is wrong with it",
    ),
    (&["skeleton", "bones", "joints", "hierarchy"], "`mocap skel IN` shows joints, roles and limits"),
    (&["check", "lint", "verify"], "`mocap validate IN` lists errors and warnings"),
    (&["unpack", "extract", "uncompress"], "`mocap decompress` converts compressed motions back"),
    (&["search", "query"], "`mocap find QUERY DATABASE` finds motions like an example"),
];

/// Names in other programs; the corresponding options here. The first one that a command has is suggested.
const OPTIONS: [(&[&str], &[&str]); 7] = [
    (&["frames", "range", "start", "end", "crop", "cut"], &["trim"]),
    (&["rate", "framerate", "frame-rate", "resample"], &["fps"]),
    (&["smooth", "filter", "clean"], &["denoise"]),
    (&["rotation-order", "order"], &["euler"]),
    (&["unit", "units"], &["input-unit"]),
    (&["root-motion"], &["root-joint", "in-place"]),
    (&["tolerance", "precision"], &["error"]),
];

/// The command here for a command name of another program.
pub(super) fn command(word: &str) -> Option<&'static str> {
    COMMANDS.iter().find(|(words, _)| words.contains(&word)).map(|(_, advice)| *advice)
}

/// The option of a command for an option name of another program; both without dashes.
pub(super) fn option(command: &clap::Command, word: &str) -> Option<&'static str> {
    let (_, meant) = OPTIONS.iter().find(|(words, _)| words.contains(&word))?;
    let has = |name: &&&str| command.get_arguments().any(|argument| argument.get_long() == Some(**name));
    meant.iter().find(has).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config;

    #[test]
    fn words_of_other_programs_are_none_of_ours_and_lead_to_ours() {
        let definition = config::definition();
        let is_command = |word: &str| definition.find_subcommand(word).is_some();
        for (words, advice) in COMMANDS {
            assert!(words.iter().all(|word| !is_command(word)), "{words:?}");
            let named =
                advice.strip_prefix("`mocap ").and_then(|rest| rest.split([' ', '`']).next()).unwrap();
            assert!(is_command(named), "{advice}");
        }
        for (words, meant) in OPTIONS {
            for name in meant {
                let commands = definition.get_subcommands();
                let having: Vec<_> = commands
                    .filter(|command| command.get_arguments().any(|it| it.get_long() == Some(name)))
                    .collect();
                assert!(!having.is_empty(), "--{name}");
            }
            for command in definition.get_subcommands() {
                let found = words.iter().filter_map(|word| option(command, word));
                assert!(found.into_iter().all(|name| meant.contains(&name)), "{words:?}");
            }
        }
    }
}
