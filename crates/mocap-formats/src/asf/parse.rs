//! Reads ASF text.

use super::lex::{Lexer, not_finite};
use super::tree::tree;
use super::{AngleUnit, AxisAngles, Bone, Document, Dof, Link, Problem, Report, Root, Section, Units};
use crate::{Finding, LimitExceeded, Limits, Parsed, ReadError, number, text};
use mocap_model::Axis;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// A direction this much longer or shorter than 1 is not merely rounded.
const DIRECTION_TOLERANCE: f64 = 1e-3;

/// The longest list of channels that is accepted. Only seven exist, and each entry takes memory in every frame.
const MOST_CHANNELS: usize = 64;

/// Reads an ASF file held in memory.
///
/// ```
/// # let asf = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/clips/robin.asf"));
/// let document = mocap_formats::asf::parse(asf, &Default::default())?.value;
/// assert!(document.bones.len() > 10);
/// # Ok::<(), mocap_formats::ReadError>(())
/// ```
///
/// # Errors
/// A finding that names the place and the bone.
pub fn parse(bytes: &[u8], limits: &Limits) -> Result<Parsed<Document>, ReadError> {
    let text = text::open(bytes, limits)?;
    let mut reader =
        Reader { lexer: Lexer::new(&text), report: Report::new(&text), names: Vec::new(), limits: *limits };
    let read = reader.document();
    let warnings = reader.report.into_warnings();
    match read {
        Ok(value) => Ok(Parsed { value, warnings }),
        Err(error) => Err(ReadError::from(error).behind(warnings)),
    }
}

fn exceeded(what: &'static str, found: usize, limit: usize) -> Finding {
    Finding::new(LimitExceeded { what, found, limit })
}

/// The fields that end the list of a bone's channels.
const BONE_FIELDS: &[&[u8]] =
    &[b"limits", b"end", b"begin", b"id", b"name", b"direction", b"length", b"axis", b"bodymass", b"cofmass"];

struct Reader<'t> {
    lexer: Lexer<'t>,
    report: Report<'t>,
    /// Where the name of each bone stands.
    names: Vec<Range<usize>>,
    limits: Limits,
}

impl Reader<'_> {
    fn document(&mut self) -> Result<Document, Finding> {
        let mut document = Document { comments: self.comments(), ..Document::default() };
        let (mut has_root, mut has_bones, mut has_hierarchy) = (false, false, false);
        while let Some(word) = self.lexer.word() {
            let keyword = self.lexer.bytes(&word).to_ascii_lowercase();
            match keyword.as_slice() {
                b":version" => document.version = Some(self.line()),
                b":name" => document.name = Some(self.line()),
                b":units" => document.units = self.units()?,
                b":documentation" => document.documentation = self.text_lines(),
                b":root" => {
                    document.root = self.root()?;
                    has_root = true;
                }
                b":bonedata" => {
                    self.bones(&mut document.bones)?;
                    has_bones = true;
                }
                b":hierarchy" => {
                    self.hierarchy(&mut document)?;
                    has_hierarchy = true;
                }
                [b':', ..] => {
                    let keyword = self.report.name(word.clone());
                    if !keyword.eq_ignore_ascii_case(":skin") {
                        self.report.warn(
                            Problem::UnknownSection { keyword: self.report.quote(word.clone()) },
                            word,
                            None,
                        );
                    }
                    document.other.push(Section { keyword, lines: self.text_lines() });
                }
                _ => {
                    let found = self.report.quote(word.clone());
                    return Err(self.report.error(Problem::NotAsf { found }, word));
                }
            }
        }
        let sections = [(has_root, ":root"), (has_bones, ":bonedata"), (has_hierarchy, ":hierarchy")];
        if let Some((_, section)) = sections.iter().find(|(found, _)| !found) {
            return Err(Finding::new(Problem::MissingSection { section }));
        }
        match tree(&document) {
            Err((problem, bone)) => {
                let finding = self.report.error(problem, self.names[bone].clone());
                return Err(finding.in_joint(document.bones[bone].name.clone()));
            }
            // The root is a separate level, and so are end sites.
            Ok(tree) if tree.depth + 2 > self.limits.depth => {
                return Err(exceeded("levels", tree.depth + 2, self.limits.depth));
            }
            Ok(_) => {}
        }
        Ok(document)
    }

    /// The comments before the first word.
    fn comments(&mut self) -> Vec<String> {
        let mut comments = Vec::new();
        loop {
            let mut ahead = self.lexer.clone();
            let line = ahead.rest_of_line();
            let blank = line.is_empty() && ahead.at() > self.lexer.at();
            if !blank && self.lexer.bytes(&line).first() != Some(&b'#') {
                return comments;
            }
            self.lexer = ahead;
            if !blank {
                comments.push(text::decode_name(self.lexer.bytes(&line)).0.into_owned());
            }
        }
    }

    /// The rest of a keyword's line, without a comment.
    fn line(&mut self) -> String {
        let span = self.lexer.rest_of_line();
        let text = self.lexer.bytes(&span);
        let length = text.iter().position(|&byte| byte == b'#').unwrap_or(text.len());
        self.report.name(span.start..span.start + text[..length].trim_ascii_end().len())
    }

    /// The rest of the line and those below, up to the next keyword.
    fn text_lines(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let span = self.lexer.rest_of_line();
            let line = text::decode_name(self.lexer.bytes(&span)).0.into_owned();
            if !(line.is_empty() && lines.is_empty()) {
                lines.push(line);
            }
            if !self.lexer.at_text_line() {
                while lines.last().is_some_and(String::is_empty) {
                    lines.pop();
                }
                return lines;
            }
        }
    }

    /// The next word unless it starts a section.
    fn field(&mut self) -> Option<Range<usize>> {
        let word = self.lexer.peek()?;
        if self.lexer.bytes(&word).first() == Some(&b':') {
            return None;
        }
        self.lexer.word()
    }

    fn units(&mut self) -> Result<Units, Finding> {
        let mut units = Units::default();
        while let Some(word) = self.field() {
            match self.lexer.bytes(&word).to_ascii_lowercase().as_slice() {
                b"mass" => units.mass = Some(self.number("a number for 'mass'")?),
                b"length" => units.length = Some(self.number("a number for 'length'")?),
                b"angle" => {
                    let unit = self.value("'deg' or 'rad'")?;
                    let word = self.lexer.bytes(&unit).to_ascii_lowercase();
                    if word.starts_with(b"rad") {
                        units.angle = Some(AngleUnit::Radians);
                    } else {
                        if !word.starts_with(b"deg") {
                            let found = self.report.quote(unit.clone());
                            self.report.warn(Problem::AngleUnit { found }, unit, None);
                        }
                        units.angle = Some(AngleUnit::Degrees);
                    }
                }
                _ => self.skip_field(word, "':units'", None),
            }
        }
        Ok(units)
    }

    fn root(&mut self) -> Result<Root, Finding> {
        let mut root = Root::default();
        while let Some(word) = self.field() {
            match self.lexer.bytes(&word).to_ascii_lowercase().as_slice() {
                b"order" => root.order = self.dofs(&[b"axis", b"position", b"orientation"])?,
                b"axis" => root.orientation.order = self.axis_order("root")?,
                b"position" => root.position = self.triple("three numbers for 'position'")?,
                b"orientation" => {
                    root.orientation.angles = self.triple("three numbers for 'orientation'")?;
                }
                _ => self.skip_field(word, "':root'", None),
            }
        }
        self.check_dofs(&root.order, self.lexer.at()..self.lexer.at(), "root");
        Ok(root)
    }

    fn bones(&mut self, bones: &mut Vec<Bone>) -> Result<(), Finding> {
        // Another section of bones may stand before this one.
        let mut names: HashSet<String> = bones.iter().map(|bone| bone.name.clone()).collect();
        while let Some(word) = self.field() {
            if !self.lexer.bytes(&word).eq_ignore_ascii_case(b"begin") {
                let found = format!("'{}'", self.report.quote(word.clone()));
                return Err(self.report.error(Problem::Expected { what: "'begin'", found }, word));
            }
            // One more for the root, one for an end site.
            if bones.len() + 3 > self.limits.joints {
                return Err(exceeded("joints", bones.len() + 3, self.limits.joints));
            }
            let (bone, name) = self.bone(word)?;
            if bone.name.eq_ignore_ascii_case("root") || !names.insert(bone.name.clone()) {
                let problem = Problem::DuplicateBone { name: bone.name };
                return Err(self.report.error(problem, name));
            }
            bones.push(bone);
            self.names.push(name);
        }
        Ok(())
    }

    /// The bone that starts at `begin`, and where its name stands.
    fn bone(&mut self, begin: Range<usize>) -> Result<(Bone, Range<usize>), Finding> {
        let mut bone = Bone::default();
        let mut name = begin.clone();
        let (mut direction, mut length, mut axis) = (None, None, None);
        let (mut dofs_at, mut limits_at) = (begin.clone(), begin.clone());
        loop {
            let Some(word) = self.lexer.peek() else {
                self.missing_end(&bone, begin.clone());
                break;
            };
            let keyword = self.lexer.bytes(&word).to_ascii_lowercase();
            if keyword == b"begin" || keyword.first() == Some(&b':') {
                self.missing_end(&bone, begin.clone());
                break;
            }
            self.lexer.word();
            let here = known(&bone.name).map(str::to_owned);
            let result = match keyword.as_slice() {
                b"end" => break,
                b"id" => self.value("an id").map(|id| bone.id = Some(self.report.name(id))),
                b"name" => self.value("a name").map(|span| {
                    bone.name = self.report.name(span.clone());
                    name = span;
                }),
                b"direction" => {
                    let at = word.clone();
                    self.triple("three numbers for 'direction'").map(|v| direction = Some((v, at)))
                }
                b"length" => self.number("a number for 'length'").map(|v| length = Some(v)),
                b"axis" => self.axis(&bone).map(|v| axis = Some(v)),
                b"dof" => self.dofs(BONE_FIELDS).map(|dofs| {
                    dofs_at = word.clone();
                    bone.dofs = dofs;
                }),
                b"limits" => {
                    limits_at = word.clone();
                    self.limits().map(|limits| bone.limits = limits)
                }
                b"bodymass" => self.number("a number for 'bodymass'").map(|v| bone.body_mass = Some(v)),
                b"cofmass" => self.number("a number for 'cofmass'").map(|v| bone.centre_of_mass = Some(v)),
                _ => {
                    self.skip_field(word, "a bone", known(&bone.name));
                    Ok(())
                }
            };
            result.map_err(|finding| match here {
                Some(name) => finding.in_joint(name),
                None => finding,
            })?;
        }
        let field = match (known(&bone.name), &direction, &length) {
            (None, ..) => "name",
            (_, None, _) => "direction",
            _ => "length",
        };
        let (Some(_), Some((direction, at)), Some(length)) = (known(&bone.name), direction, length) else {
            let finding = self.report.error(Problem::MissingField { field }, begin);
            return Err(if field == "name" { finding } else { finding.in_joint(bone.name) });
        };
        let norm = nalgebra::Vector3::from(direction).norm();
        if (norm - 1.0).abs() > DIRECTION_TOLERANCE && length != 0.0 {
            self.report.warn(Problem::Direction { length: norm }, at, Some(&bone.name));
        }
        if axis.is_none() {
            self.report.warn(Problem::NoAxis, name.clone(), Some(&bone.name));
        }
        bone = Bone { direction, length, axis: axis.unwrap_or_default(), ..bone };
        self.check_dofs(&bone.dofs, dofs_at, &bone.name);
        self.check_limits(&bone, limits_at);
        Ok((bone, name))
    }

    fn missing_end(&mut self, bone: &Bone, begin: Range<usize>) {
        self.report.warn(Problem::MissingEnd, begin, known(&bone.name));
    }

    fn axis(&mut self, bone: &Bone) -> Result<AxisAngles, Finding> {
        let angles = self.triple("three numbers for 'axis'")?;
        Ok(AxisAngles { angles, order: self.axis_order(&bone.name)? })
    }

    /// A sequence such as `XYZ`; XYZ with a warning where the line has none.
    fn axis_order(&mut self, bone: &str) -> Result<[Axis; 3], Finding> {
        let before = self.lexer.at();
        let Some(word) = self.lexer.word_on_line() else {
            self.report.warn(Problem::NoAxisOrder, before..before, known(bone));
            return Ok(Axis::ALL);
        };
        let axes: Option<Vec<Axis>> =
            self.lexer.bytes(&word).iter().map(|&byte| Axis::from_letter(byte as char)).collect();
        let all = axes.and_then(|axes| <[Axis; 3]>::try_from(axes).ok());
        match all {
            Some(order) if Axis::ALL.iter().all(|axis| order.contains(axis)) => Ok(order),
            _ => {
                let found = self.report.quote(word.clone());
                Err(self.report.error(Problem::AxisOrder { found }, word))
            }
        }
    }

    /// Channels up to the next field.
    fn dofs(&mut self, fields: &[&[u8]]) -> Result<Vec<Dof>, Finding> {
        let mut dofs = Vec::new();
        while let Some(word) = self.lexer.peek() {
            let bytes = self.lexer.bytes(&word);
            match Dof::from_word(bytes) {
                Some(_) if dofs.len() == MOST_CHANNELS => {
                    let (found, limit) = (dofs.len() + 1, MOST_CHANNELS);
                    return Err(self.report.error(LimitExceeded { what: "channels", found, limit }, word));
                }
                Some(dof) => dofs.push(dof),
                None if bytes.first() == Some(&b':')
                    || fields.iter().any(|field| field.eq_ignore_ascii_case(bytes)) =>
                {
                    break;
                }
                None => {
                    let found = self.report.quote(word.clone());
                    return Err(self.report.error(Problem::UnknownDof { found }, word));
                }
            }
            self.lexer.word();
        }
        Ok(dofs)
    }

    fn check_dofs(&mut self, dofs: &[Dof], at: Range<usize>, bone: &str) {
        // Only seven channels exist, so the first repetition is among the first eight.
        let repeated = (1..dofs.len().min(8)).find(|&i| dofs[..i].contains(&dofs[i]));
        if let Some(repeated) = repeated {
            let dof = dofs[repeated].to_string();
            self.report.warn(Problem::RepeatedDof { dof }, at, Some(bone));
        }
    }

    fn limits(&mut self) -> Result<Vec<[f64; 2]>, Finding> {
        let mut values = Vec::new();
        while let Some(word) = self.lexer.peek() {
            let Some(value) = limit(self.lexer.bytes(&word)) else { break };
            self.lexer.word();
            values.push(value);
        }
        if values.len() % 2 == 1 {
            let word = self.lexer.peek().unwrap_or(self.lexer.at()..self.lexer.at());
            let found = format!("'{}'", self.report.quote(word.clone()));
            let what = "a second number of a pair of limits";
            return Err(self.report.error(Problem::Expected { what, found }, word));
        }
        Ok(values.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect())
    }

    fn check_limits(&mut self, bone: &Bone, at: Range<usize>) {
        if bone.limits.is_empty() {
            return;
        }
        let name = Some(bone.name.as_str());
        if bone.limits.len() != bone.dofs.len() {
            let problem = Problem::LimitCount { found: bone.limits.len(), expected: bone.dofs.len() };
            self.report.warn(problem, at.clone(), name);
        }
        for (dof, &[min, max]) in bone.dofs.iter().zip(&bone.limits) {
            let dof = dof.to_string();
            if min == 0.0 && max == 0.0 {
                self.report.warn(Problem::ZeroLimit { dof }, at.clone(), name);
            } else if min > max {
                self.report.warn(Problem::LimitOrder { dof, min, max }, at.clone(), name);
            }
        }
    }

    fn hierarchy(&mut self, document: &mut Document) -> Result<(), Finding> {
        let mut exact: HashMap<&str, usize> = HashMap::new();
        let mut lower: HashMap<String, usize> = HashMap::new();
        for (i, bone) in document.bones.iter().enumerate() {
            exact.insert(&bone.name, i);
            lower.entry(bone.name.to_lowercase()).or_insert(i);
        }
        while let Some(first) = self.field() {
            let word = self.lexer.bytes(&first);
            let next = self.lexer.word_on_line();
            if next.is_none() && (word.eq_ignore_ascii_case(b"begin") || word.eq_ignore_ascii_case(b"end")) {
                continue;
            }
            let mut places = Vec::new();
            let mut open = Some(first);
            let mut ahead = next;
            while let Some(span) = open {
                let (name, _) = text::decode_name(self.lexer.bytes(&span));
                let place = exact.get(name.as_ref()).or_else(|| lower.get(&name.to_lowercase())).copied();
                if place.is_none() && !(places.is_empty() && name.eq_ignore_ascii_case("root")) {
                    let name = self.report.quote(span.clone());
                    return Err(self.report.error(Problem::UnknownBone { name }, span));
                }
                places.push(place);
                open = ahead.take().or_else(|| self.lexer.word_on_line());
            }
            let children = places[1..].iter().flatten().copied().collect();
            document.hierarchy.push(Link { parent: places[0], children });
        }
        Ok(())
    }

    fn skip_field(&mut self, word: Range<usize>, section: &'static str, bone: Option<&str>) {
        let found = self.report.quote(word.clone());
        self.report.warn(Problem::UnknownField { found, section }, word, bone);
        self.lexer.rest_of_line();
    }

    /// A word on the line of its field.
    fn value(&mut self, what: &'static str) -> Result<Range<usize>, Finding> {
        let end = self.lexer.at();
        self.lexer.word_on_line().ok_or_else(|| {
            self.report.error(Problem::Expected { what, found: "the end of the line".into() }, end..end)
        })
    }

    fn number(&mut self, what: &'static str) -> Result<f64, Finding> {
        let word = self.value(what)?;
        let bytes = self.lexer.bytes(&word);
        let found = self.report.quote(word.clone());
        match number::scan(bytes, 0) {
            Some((value, end)) if end == bytes.len() && value.is_finite() => Ok(value),
            Some((value, end)) if end == bytes.len() && !value.is_finite() => {
                Err(self.report.error(Problem::NotFinite { found }, word))
            }
            _ if number::scan_not_finite(bytes, 0) == Some(bytes.len()) => {
                Err(self.report.error(Problem::NotFinite { found }, word))
            }
            _ => Err(self.report.error(Problem::Expected { what, found: format!("'{found}'") }, word)),
        }
    }

    fn triple(&mut self, what: &'static str) -> Result<[f64; 3], Finding> {
        Ok([self.number(what)?, self.number(what)?, self.number(what)?])
    }
}

/// The name of a bone, unless it has not been read yet.
fn known(name: &str) -> Option<&str> {
    (!name.is_empty()).then_some(name)
}

/// A limit may be infinite.
fn limit(word: &[u8]) -> Option<f64> {
    if let Some((value, end)) = number::scan(word, 0)
        && end == word.len()
    {
        return Some(value);
    }
    let value = not_finite(word);
    (number::scan_not_finite(word, 0) == Some(word.len()) && value.is_infinite()).then_some(value)
}
