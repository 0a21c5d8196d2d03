//! Renders messages as text.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer as Snippets, Snippet};

use crate::{Message, visible};

/// How much of a diagnostic is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// With the line of the file and what can be done.
    Full,
    /// One line.
    Line,
}

/// Renders diagnostics as text, with colours if enabled.
#[derive(Clone, Debug)]
pub struct Renderer {
    snippets: Snippets,
    lister: Option<&'static str>,
}

impl Renderer {
    /// A renderer for a stream that takes colours or does not.
    pub fn new(colored: bool) -> Renderer {
        let snippets = if colored { Snippets::styled() } else { Snippets::plain() };
        Renderer { snippets: snippets.decor_style(DecorStyle::Ascii).term_width(120), lister: None }
    }

    /// The same renderer; where a file has further errors, messages name this command, which lists
    /// them.
    #[must_use]
    pub fn listed_by(self, command: &'static str) -> Renderer {
        Renderer { lister: Some(command), ..self }
    }

    /// An error, about a file or about the arguments.
    pub fn error(&self, path: Option<&str>, error: &Message) -> String {
        self.render(Level::ERROR, path, error, Detail::Full)
    }

    /// A warning about a file.
    pub fn warning(&self, path: &str, warning: &Message, detail: Detail) -> String {
        self.render(Level::WARNING, Some(path), warning, detail)
    }

    fn render(&self, level: Level<'_>, path: Option<&str>, found: &Message, detail: Detail) -> String {
        let path = found.path.as_deref().or(path).map(|path| visible(path.to_owned()));
        let path = path.as_deref();
        let title = match (detail, path) {
            (Detail::Line, Some(path)) => format!("{}: {}", located(path, found.place), found.message),
            _ => found.message.clone(),
        };
        let mut group = Group::with_title(level.primary_title(title).id(found.code));
        if detail == Detail::Full {
            group = match (&found.excerpt, found.place) {
                (Some(excerpt), Some((line, _))) => {
                    let mark = AnnotationKind::Primary.span(excerpt.span.clone());
                    let snippet = Snippet::source(excerpt.text.as_str()).line_start(line).annotation(mark);
                    group.element(snippet.path(path))
                }
                _ => group.elements(path.map(|path| origin(path, found.place))),
            };
            group = group.elements(self.notes(found).into_iter().map(|note| Level::NOTE.message(note)));
            if let Some(help) = &found.help {
                group = group.element(Level::HELP.message(help.as_str()));
            }
        }
        self.snippets.render(&[group])
    }

    fn notes(&self, found: &Message) -> Vec<String> {
        let context = &found.context;
        let parts = [
            context.joint.as_ref().map(|joint| format!("joint '{joint}'")),
            context.channel.as_ref().map(|channel| format!("channel {channel}")),
            context.frame.map(|frame| format!("frame {frame}")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        let mut notes = Vec::new();
        if !parts.is_empty() {
            notes.push(format!("in {}", parts.join(", ")));
        }
        notes.extend(found.note.as_deref().map(str::to_owned));
        if found.count > 1 {
            notes.push(format!("found {} times; the first is shown", found.count));
        }
        let lists = |what| self.lister.map_or(String::new(), |command| format!(": `{command}` {what}"));
        match found.further {
            0 => {}
            1 => notes.push(format!("the file has another error{}", lists("shows both"))),
            many => notes.push(format!("the file has {many} more errors{}", lists("lists them"))),
        }
        notes
    }
}

/// The place of a diagnostic that shows no line.
fn origin(path: &str, place: Option<(usize, usize)>) -> Origin<'_> {
    match place {
        Some((line, column)) => Origin::path(path).line(line).char_column(column),
        None => Origin::path(path),
    }
}

fn located(path: &str, place: Option<(usize, usize)>) -> String {
    match place {
        Some((line, column)) => format!("{path}:{line}:{column}"),
        None => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_formats::{Finding, text};

    fn finding() -> (Vec<u8>, Finding) {
        let row = "1.5 ".repeat(500) + "nan " + &"0.25 ".repeat(500);
        let text = format!("MOTION\n{row}\n").into_bytes();
        let mut finding = Finding::new(text::Problem::Binary { what: "a test" })
            .at(&text, 2007..2010)
            .in_joint("Hips")
            .in_frame(3);
        finding.count = 4;
        (text, finding)
    }

    #[test]
    fn a_long_row_is_shown_around_the_fault() {
        let (text, finding) = finding();
        let shown = Message::from_finding(&finding, &text).help("look at it");
        insta::assert_snapshot!(Renderer::new(false).error(Some("walk.bvh"), &shown));
    }

    #[test]
    fn a_line_holds_all_that_is_needed_to_go_there() {
        let (text, finding) = finding();
        let shown = Message::from_finding(&finding, &text);
        insta::assert_snapshot!(Renderer::new(false).warning("walk.bvh", &shown, Detail::Line));
    }

    #[test]
    fn an_error_about_no_file_is_a_title_and_help() {
        let shown = Message::new("usage::none", "no input was given").help("name a file");
        insta::assert_snapshot!(Renderer::new(false).error(None, &shown));
    }
}
