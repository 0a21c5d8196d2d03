//! Checks the documents: their commands run, the output that they show is printed, and their links are valid.
//!
//! Each `console` block runs in a sandbox with the layout of the checkout, the blocks of a page in order. Lines
//! after a command are its expected output; a command without such lines may print anything. A command that
//! needs files other than the fixtures is written in an `sh` block. `UPDATE_DOCUMENTS=1` writes the output into
//! the pages.

#![cfg(unix)]

#[path = "documents/edits.rs"]
mod edits;
#[path = "documents/keywords.rs"]
mod keywords;
mod mocap;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use ::mocap::{FileFormat, Format};
use mocap::{Sandbox, fixture};

/// The pages of the project, by their path in the checkout.
fn pages() -> BTreeMap<String, String> {
    let root = fixture("..").canonicalize().unwrap();
    let mut found = BTreeMap::new();
    for folder in [".", "docs", "crates", "fixtures", "tests"] {
        let depth = if folder == "." { 1 } else { 4 };
        for entry in walkdir::WalkDir::new(root.join(folder)).max_depth(depth) {
            let path = entry.unwrap().into_path();
            let inside =
                path.strip_prefix(&root).unwrap().to_str().unwrap().trim_start_matches("./").to_owned();
            if inside.ends_with(".md") && !inside.contains("node_modules") {
                found.insert(inside, std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

/// A folder as the checkout looks to a reader: its fixtures, its examples, and `mocap` on the path.
fn checkout() -> Sandbox {
    let sandbox = Sandbox::new();
    for folder in ["fixtures/clips", "examples/pipelines", "examples/locomotion"] {
        for entry in fixture("..").join(folder).read_dir().unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            sandbox.put(&format!("{folder}/{name}"), std::fs::read(&path).unwrap());
        }
    }
    sandbox
}

/// Files that pages name in their commands, and the fixtures that stand in for them.
const STAND_INS: &[(&str, &str)] = &[
    ("walk.bvh", "alex_walk.bvh"),
    ("wave.bvh", "alex_wave.bvh"),
    ("jump.bvh", "robin_jump.bvh"),
    ("jump2.bvh", "alex_jump.bvh"),
    ("hero.bvh", "robin_walk.bvh"),
    ("character.skel", "robin.skel"),
    ("01_02.amc", "alex_walk.amc"),
    ("01.asf", "alex.asf"),
    ("takes/walk.bvh", "alex_walk.bvh"),
    ("takes/turn.bvh", "alex_turn.bvh"),
    ("subjects/01/01.asf", "alex.asf"),
    ("subjects/01/01_02.amc", "alex_walk.amc"),
    ("subjects/02/02.asf", "robin.asf"),
    ("subjects/02/02_01.amc", "robin_jump.amc"),
    ("database/a/walk.bvh", "alex_walk.bvh"),
    ("database/a/turn.bvh", "alex_turn.bvh"),
    ("database/b/jump.bvh", "robin_jump.bvh"),
    ("database/b/wave.bvh", "robin_wave.bvh"),
];

/// What a shell prints for a command, stdout and stderr together.
fn shell(sandbox: &Sandbox, command: &str) -> Result<String, String> {
    let built = Path::new(env!("CARGO_BIN_EXE_mocap")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let ran = Command::new("sh")
        .args(["-c", &format!("{{ {command}\n}} 2>&1")])
        .current_dir(sandbox.path(""))
        .env_clear()
        .env("PATH", format!("{}:{path}", built.display()))
        .env("HOME", sandbox.path(""))
        .env("FIXTURES", sandbox.path("fixtures/clips"))
        .output()
        .unwrap();
    let printed = String::from_utf8(ran.stdout).unwrap();
    if ran.status.success() { Ok(printed) } else { Err(format!("{}\n{printed}", ran.status)) }
}

/// Runs the commands of a page; returns the page with what they print, and how many there were.
fn run(name: &str, page: &str) -> (String, usize) {
    let sandbox = checkout();
    // These two name the fixtures themselves.
    if !["README.md", "docs/tutorial.md"].contains(&name) {
        for (stand_in, clip) in STAND_INS {
            sandbox.put(stand_in, std::fs::read(fixture("clips").join(clip)).unwrap());
        }
        for (stand_in, model) in [("g1.xml", "pip.xml"), ("g1.urdf", "pip.urdf")] {
            sandbox.put(stand_in, std::fs::read(fixture("robots").join(model)).unwrap());
        }
        for stand_in in ["moves.fbx", "character.fbx"] {
            sandbox.put(stand_in, std::fs::read(fixture("fbx/warn-two-clips.fbx")).unwrap());
        }
    }
    let mut lines = page.lines().peekable();
    let (mut made, mut commands) = (String::new(), 0);
    while let Some(line) = lines.next() {
        writeln!(made, "{line}").unwrap();
        if line != "```console" {
            continue;
        }
        while let Some(line) = lines.next_if(|line| *line != "```") {
            let command = line.strip_prefix("$ ").unwrap_or_else(|| panic!("{name}: no command: {line}"));
            let printed =
                shell(&sandbox, command).unwrap_or_else(|error| panic!("{name}: {command}\n{error}"));
            commands += 1;
            writeln!(made, "{line}").unwrap();
            let mut shown = false;
            while lines.next_if(|line| !line.starts_with("$ ") && *line != "```").is_some() {
                shown = true;
            }
            if shown {
                writeln!(made, "{}", printed.trim_end()).unwrap();
            }
        }
    }
    (made, commands)
}

#[test]
fn commands_run_and_print_what_is_shown() {
    let update = std::env::var_os("UPDATE_DOCUMENTS").is_some();
    let (mut commands, mut wrong) = (0, Vec::new());
    for (name, page) in pages() {
        let (made, count) = run(&name, &page);
        commands += count;
        if made != page && update {
            std::fs::write(fixture("..").join(&name), made).unwrap();
        } else if let Some((shown, printed)) = page.lines().zip(made.lines()).find(|(a, b)| a != b) {
            wrong.push(format!("{name} shows:\n  {shown}\nprinted is:\n  {printed}"));
        } else if made != page {
            wrong.push(format!("{name} shows fewer or more lines than are printed"));
        }
    }
    assert!(commands > 20, "{commands} commands found");
    assert!(
        wrong.is_empty(),
        "{}\nRead it, then UPDATE_DOCUMENTS=1 cargo test --test documents",
        wrong.join("\n")
    );
}

/// Where the table of formats stands in the page of the command line.
const FORMATS: [&str; 2] =
    ["<!-- formats: written from the table of formats -->\n", "<!-- end of formats -->"];

/// The table of formats as a page shows it: how each is read and written, and what it holds.
fn table_of_formats() -> String {
    let yes = |is: bool| if is { "yes" } else { "no" };
    let mut table =
        "| format | read | written | unit and axes | in directories | holds |\n|---|---|---|---|---|---|\n"
            .to_owned();
    for format in FileFormat::all() {
        let (name, exchange) = (format.extension(), format.exchange());
        let of_robot = exchange.is_some_and(Format::holds_robot) && format.readable().is_ok();
        let read = if of_robot { "with `--skeleton MODEL`" } else { yes(format.readable().is_ok()) };
        let written =
            exchange.map_or("by `compress`", |format| yes(format.is_writable() || format.writes_markers()));
        let beside = match exchange.and_then(Format::skeleton_beside) {
            Some(extension) => format!(", its skeleton in `.{extension}` beside it"),
            None => String::new(),
        };
        let page = match exchange {
            Some(format) => format.page(),
            None => Some("compression.md"),
        };
        let link = page.map(|page| {
            let text = std::fs::read_to_string(fixture("../docs").join(page)).unwrap();
            let title = text.lines().next().unwrap().trim_start_matches('#').trim().to_owned();
            format!(" ([{title}]({page}))")
        });
        let (stated, found) = (yes(format.states_space()), yes(format.is_searched()));
        let (about, link) = (format.about(), link.unwrap_or_default());
        writeln!(table, "| `{name}` | {read} | {written} | {stated} | {found} | {about}{beside}{link} |")
            .unwrap();
    }
    table
}

#[test]
fn the_table_of_formats_is_that_of_the_library() {
    written("docs/cli.md", FORMATS, &table_of_formats());
}

/// The text between two marks of a file is what it should be; the marks are empty where it is the whole file.
/// `UPDATE_DOCUMENTS=1` writes it.
fn written(file: &str, [from, to]: [&str; 2], wanted: &str) {
    let path = fixture("..").join(file);
    let page = std::fs::read_to_string(&path).unwrap_or_default();
    let (before, rest) = page.split_once(from).unwrap_or(("", &page));
    let (shown, after) = if to.is_empty() { (rest, "") } else { rest.split_once(to).unwrap() };
    if std::env::var_os("UPDATE_DOCUMENTS").is_some() {
        std::fs::write(&path, [before, from, wanted, to, after].concat()).unwrap();
    } else {
        assert_eq!(shown, wanted, "{file}: UPDATE_DOCUMENTS=1 cargo test --test documents");
    }
}

/// Text without blocks of code.
fn prose(page: &str) -> impl Iterator<Item = &str> {
    let mut code = false;
    page.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        !code && !fence
    })
}

/// What links lead to.
fn links(page: &str) -> Vec<String> {
    let target = |rest: &str| rest.split(')').next().unwrap().to_owned();
    prose(page).flat_map(|line| line.split("](").skip(1).map(target)).collect()
}

/// The names of headings, as GitHub makes them.
fn anchors(page: &str) -> BTreeSet<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut found = BTreeSet::new();
    for line in prose(page).filter(|line| line.starts_with('#')) {
        let heading = line.trim_start_matches('#').trim().to_lowercase();
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' '));
        let anchor: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
        let again = seen.entry(anchor.clone()).or_default();
        found.insert(if *again == 0 { anchor } else { format!("{anchor}-{again}") });
        *again += 1;
    }
    found
}

#[test]
fn links_lead_to_files_and_headings() {
    let pages = pages();
    let root = fixture("..").canonicalize().unwrap();
    let (mut count, mut broken) = (0, Vec::new());
    for (name, page) in &pages {
        let folder = root.join(name).parent().map(PathBuf::from).unwrap();
        for link in links(page).into_iter().filter(|link| !link.contains("://")) {
            count += 1;
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let file = if path.is_empty() { root.join(name) } else { folder.join(path) };
            let Ok(file) = file.canonicalize() else {
                broken.push(format!("{name}: no file {link}"));
                continue;
            };
            let leads = |page: &String| anchors(page).contains(anchor);
            let inside = file.strip_prefix(&root).unwrap_or(&file).to_str().unwrap();
            if !anchor.is_empty() && !pages.get(inside).is_some_and(leads) {
                broken.push(format!("{name}: no heading {link}"));
            }
        }
    }
    assert!(count > 100, "{count} links found");
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_page_can_be_found_from_the_index() {
    let pages = pages();
    let (mut found, mut open) = (BTreeSet::new(), vec!["README.md".to_owned()]);
    let root = fixture("..").canonicalize().unwrap();
    while let Some(name) = open.pop() {
        let Some(page) = pages.get(&name) else { continue };
        if !found.insert(name.clone()) {
            continue;
        }
        let folder = root.join(&name).parent().map(PathBuf::from).unwrap();
        for link in links(page) {
            if let Ok(path) = folder.join(link.split('#').next().unwrap()).canonicalize() {
                open.extend(path.strip_prefix(&root).ok().and_then(Path::to_str).map(str::to_owned));
            }
        }
    }
    let lost: Vec<_> =
        pages.keys().filter(|name| name.starts_with("docs/") && !found.contains(*name)).collect();
    assert!(lost.is_empty(), "no link leads to {lost:?}");
}

/// Tables and code may be longer. The page of the fixtures is written by their generator.
#[test]
fn lines_wrap_at_100() {
    for (name, page) in pages().into_iter().filter(|(name, _)| !name.starts_with("fixtures/")) {
        let long = prose(&page).find(|line| {
            let width = line.chars().count();
            width > 100 && !line.starts_with('|') && !line.starts_with("![") && line.contains(' ')
        });
        assert!(long.is_none(), "{name}: {}", long.unwrap_or_default());
    }
}
