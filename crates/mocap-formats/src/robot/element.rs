//! The XML of a robot as a tree: included files are inserted, every element has its place.

use std::collections::HashSet;
use std::ops::Range;

use super::Problem;
use crate::{Finding, LimitExceeded, Limits, Place};

/// Reads a file that the main file includes, by its path relative to the main file.
pub type Include<'i> = &'i dyn Fn(&str) -> Result<Vec<u8>, String>;

/// Deeper nesting is refused.
const MAX_DEPTH: usize = 256;
/// More included files are refused.
const MAX_FILES: usize = 256;

/// An element with its attributes.
#[derive(Clone, Debug)]
pub(super) struct Element {
    pub(super) name: String,
    attributes: Vec<(String, String)>,
    pub(super) children: Vec<Element>,
    origin: Origin,
}

/// Where an element stands.
#[derive(Clone, Debug)]
struct Origin {
    /// The included file; `None` of the main file.
    file: Option<String>,
    span: Range<usize>,
    line: u32,
    column: u32,
}

impl Element {
    /// The value of an attribute.
    pub(super) fn get(&self, attribute: &str) -> Option<&str> {
        self.attributes.iter().find(|(name, _)| name == attribute).map(|(_, value)| value.as_str())
    }

    /// The included file that it is in; `None` of the main file.
    pub(super) fn file(&self) -> Option<&str> {
        self.origin.file.as_deref()
    }

    /// Whether it has one of these attributes.
    pub(super) fn has_any(&self, attributes: &[&str]) -> bool {
        attributes.iter().any(|attribute| self.get(attribute).is_some())
    }

    pub(super) fn attributes(&self) -> &[(String, String)] {
        &self.attributes
    }

    /// The value of an attribute that must be there.
    pub(super) fn require(&self, attribute: &'static str) -> Result<&str, Finding> {
        let missing = || self.error(Problem::Missing { element: self.name.clone(), attribute });
        self.get(attribute).ok_or_else(missing)
    }

    /// Its children of a name.
    pub(super) fn all<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Element> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// Its first child of a name.
    pub(super) fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    /// A finding at the place of the element.
    pub(super) fn error(&self, problem: Problem) -> Finding {
        let Origin { file, span, line, column } = &self.origin;
        match file {
            Some(file) => Finding::new(Problem::Included {
                file: file.clone(),
                line: *line,
                column: *column,
                problem: Box::new(problem),
            }),
            None => {
                let place = Place { span: span.clone(), line: *line as usize, column: *column as usize };
                Finding { place: Some(place), ..Finding::new(problem) }
            }
        }
    }

    /// A finding about the value of one of its attributes.
    pub(super) fn wrong_value(&self, attribute: &str, value: &str, expected: impl Into<String>) -> Finding {
        self.error(Problem::Value {
            element: self.name.clone(),
            attribute: attribute.to_owned(),
            value: shorten(value),
            expected: expected.into(),
        })
    }

    /// The finite numbers of a value.
    pub(super) fn numbers_in(&self, attribute: &str, value: &str) -> Result<Vec<f64>, Finding> {
        let number = |word: &str| word.parse().ok().filter(|number: &f64| number.is_finite());
        let numbers: Option<Vec<f64>> = value.split_ascii_whitespace().map(number).collect();
        numbers.ok_or_else(|| self.wrong_value(attribute, value, "finite numbers"))
    }

    /// Exactly `N` numbers of an attribute, if it is there.
    pub(super) fn numbers<const N: usize>(&self, attribute: &str) -> Result<Option<[f64; N]>, Finding> {
        let Some(value) = self.get(attribute) else { return Ok(None) };
        let numbers = self.numbers_in(attribute, value)?;
        let exact =
            numbers.try_into().map_err(|_| self.wrong_value(attribute, value, format!("{N} numbers")));
        exact.map(Some)
    }

    /// An attribute that is true or false; `None` without it, or where it says `auto`.
    pub(super) fn boolean(&self, attribute: &str) -> Result<Option<bool>, Finding> {
        match self.get(attribute) {
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            None | Some("auto") => Ok(None),
            Some(other) => Err(self.wrong_value(attribute, other, "true or false")),
        }
    }

    /// The number of an attribute, if it is there.
    pub(super) fn number(&self, attribute: &str) -> Result<Option<f64>, Finding> {
        Ok(self.numbers::<1>(attribute)?.map(|[number]| number))
    }

    /// A mass \[kg\], if it is there.
    pub(super) fn mass(&self, attribute: &str) -> Result<Option<f64>, Finding> {
        self.not_negative(attribute, "a mass")
    }

    /// A density [kg/m³], if it is there.
    pub(super) fn density(&self, attribute: &str) -> Result<Option<f64>, Finding> {
        self.not_negative(attribute, "a density")
    }

    fn not_negative(&self, attribute: &str, what: &str) -> Result<Option<f64>, Finding> {
        match self.number(attribute)? {
            Some(number) if number < 0.0 => {
                let value = self.get(attribute).unwrap_or_default();
                Err(self.wrong_value(attribute, value, format!("{what} of 0 or more")))
            }
            number => Ok(number),
        }
    }

    /// The same element with attributes that it lacks taken from `defaults`.
    pub(super) fn with_defaults(&self, defaults: impl Iterator<Item = (String, String)>) -> Element {
        let mut attributes = self.attributes.clone();
        for (name, value) in defaults {
            if self.get(&name).is_none() {
                attributes.push((name, value));
            }
        }
        let Element { name, origin, .. } = self;
        Element { name: name.clone(), attributes, children: Vec::new(), origin: origin.clone() }
    }
}

/// At most 60 characters of a value.
fn shorten(value: &str) -> String {
    match value.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value.to_owned(),
    }
}

/// Reads the main file and everything that it includes.
pub(super) fn read(text: &str, include: Include, limits: &Limits) -> Result<Element, Finding> {
    let mut reader = Reader { include, limits, elements: 0, included: HashSet::new() };
    reader.file(text, None)
}

struct Reader<'i> {
    include: Include<'i>,
    limits: &'i Limits,
    elements: usize,
    included: HashSet<String>,
}

impl Reader<'_> {
    fn file(&mut self, text: &str, file: Option<&str>) -> Result<Element, Finding> {
        let most = self.limits.joints.saturating_mul(64);
        let options = roxmltree::ParsingOptions {
            allow_dtd: false,
            nodes_limit: u32::try_from(most).unwrap_or(u32::MAX),
            ..roxmltree::ParsingOptions::default()
        };
        let document = roxmltree::Document::parse_with_options(text, options).map_err(|error| {
            let at = error.pos();
            let message = error.to_string();
            // The parser's message ends with the place, which the finding states itself.
            let message =
                message.rsplit_once(" at ").map_or(message.clone(), |(message, _)| message.to_owned());
            let start = offset_of(text, at);
            let origin =
                Origin { file: file.map(str::to_owned), span: start..start, line: at.row, column: at.col };
            let nowhere = Element { name: String::new(), attributes: vec![], children: vec![], origin };
            nowhere.error(Problem::Xml { message })
        })?;
        let mut lines = LineCounter { text, counted: 0, line: 1, column: 1 };
        self.element(document.root_element(), file, &mut lines, 0)
    }

    fn element(
        &mut self,
        node: roxmltree::Node,
        file: Option<&str>,
        lines: &mut LineCounter,
        depth: usize,
    ) -> Result<Element, Finding> {
        self.elements += 1;
        let most = self.limits.joints.saturating_mul(64);
        for (what, found, limit) in [("elements", self.elements, most), ("levels", depth, MAX_DEPTH)] {
            if found > limit {
                return Err(Finding::new(LimitExceeded { what, found, limit }));
            }
        }
        let start = node.range().start;
        let (line, column) = lines.place(start);
        let origin = Origin { file: file.map(str::to_owned), span: start..start + 1, line, column };
        let attributes = node.attributes().map(|a| (a.name().to_owned(), a.value().to_owned())).collect();
        let name = node.tag_name().name().to_owned();
        let mut element = Element { name, attributes, children: Vec::new(), origin };
        if node.tag_name().namespace().is_some_and(|space| space.ends_with("xacro")) {
            let element_name = element.name.clone();
            return Err(element.error(Problem::Xacro { element: element_name }));
        }
        for child in node.children().filter(roxmltree::Node::is_element) {
            let child = self.element(child, file, lines, depth + 1)?;
            if child.name == "include" {
                element.children.extend(self.include(&child, file)?);
            } else {
                element.children.push(child);
            }
        }
        Ok(element)
    }

    /// The elements that replace an `<include>`. Its path is relative to the file that has it, else to the main file:
    /// versions of MuJoCo do either.
    fn include(&mut self, element: &Element, from: Option<&str>) -> Result<Vec<Element>, Finding> {
        let path = element.require("file")?.replace('\\', "/");
        let refuse =
            |why: &str| element.error(Problem::Include { file: shorten(&path), why: why.to_owned() });
        let leaves = path.starts_with('/') || path.contains(':') || path.split('/').any(|part| part == "..");
        if leaves {
            return Err(refuse("is outside the folder of the model"));
        }
        let plain: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
        let plain = plain.join("/");
        let beside =
            from.and_then(|from| from.rsplit_once('/')).map(|(folder, _)| format!("{folder}/{plain}"));
        let read = |path: String| (self.include)(&path).map(|bytes| (path, bytes));
        let found = beside.and_then(|beside| read(beside).ok()).map_or_else(|| read(plain), Ok);
        let (plain, bytes) = found.map_err(|why| refuse(&format!("cannot be read: {why}")))?;
        if !self.included.insert(plain.clone()) {
            return Err(refuse("is included twice or includes itself"));
        }
        if self.included.len() > MAX_FILES {
            let (found, limit) = (self.included.len(), MAX_FILES);
            return Err(Finding::new(LimitExceeded { what: "included files", found, limit }));
        }
        if bytes.len() > self.limits.bytes {
            let (found, limit) = (bytes.len(), self.limits.bytes);
            return Err(Finding::new(LimitExceeded { what: "bytes", found, limit }));
        }
        let text = String::from_utf8(bytes).map_err(|_| refuse("is not UTF-8"))?;
        Ok(self.file(&text, Some(&plain))?.children)
    }
}

/// Counts lines and columns of places that come in ascending order.
struct LineCounter<'t> {
    text: &'t str,
    counted: usize,
    line: u32,
    column: u32,
}

impl LineCounter<'_> {
    fn place(&mut self, offset: usize) -> (u32, u32) {
        for letter in self.text[self.counted..offset].chars() {
            if letter == '\n' {
                self.line += 1;
                self.column = 1;
            } else {
                self.column += 1;
            }
        }
        self.counted = offset;
        (self.line, self.column)
    }
}

/// The byte of a line and column.
fn offset_of(text: &str, at: roxmltree::TextPos) -> usize {
    let before: usize =
        text.split_inclusive('\n').take(at.row.saturating_sub(1) as usize).map(str::len).sum();
    let rest = &text[before.min(text.len())..];
    let column = at.col.saturating_sub(1) as usize;
    before + rest.char_indices().nth(column).map_or(rest.len(), |(offset, _)| offset)
}
