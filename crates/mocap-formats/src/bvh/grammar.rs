//! The words of BVH as nom parsers: none of them crosses the end of a line, unless it says so.

use super::document::Channel;
use crate::number;
use mocap_model::Axis;
use nom::branch::alt;
use nom::bytes::complete::{tag, tag_no_case, take_till, take_while, take_while1};
use nom::character::complete::{char, one_of};
use nom::combinator::{map, map_opt, not, opt, peek, recognize, rest, value, verify};
use nom::sequence::{delimited, pair, preceded, terminated};
use nom::{IResult, Parser};

pub(super) type Found<'a, T> = IResult<&'a [u8], T, ()>;

/// Blanks and ends of lines.
pub(super) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x0B | 0x0C)
}

const fn is_end_of_line(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

fn is_blank(byte: u8) -> bool {
    is_space(byte) && !is_end_of_line(byte)
}

/// Any white space, across lines.
pub(super) fn space(text: &[u8]) -> Found<'_, &[u8]> {
    take_while1(is_space)(text)
}

/// White space within a line.
pub(super) fn blank(text: &[u8]) -> Found<'_, &[u8]> {
    take_while(is_blank)(text)
}

/// `#` and the rest of its line.
pub(super) fn comment(text: &[u8]) -> Found<'_, &[u8]> {
    recognize(pair(char('#'), take_till(is_end_of_line))).parse(text)
}

/// Characters up to white space or a bracket: what an error quotes, and what a keyword is compared with.
pub(super) fn word(text: &[u8]) -> Found<'_, &[u8]> {
    take_while1(|byte| !is_space(byte) && !matches!(byte, b'{' | b'}'))(text)
}

/// A keyword in any case, as a whole word.
pub(super) fn keyword<'a>(name: &'static str) -> impl Parser<&'a [u8], Output = &'a [u8], Error = ()> {
    verify(word, move |found: &[u8]| found.eq_ignore_ascii_case(name.as_bytes()))
}

/// The rest of the line up to an opening bracket or a comment, without blanks at either end.
pub(super) fn name(text: &[u8]) -> Found<'_, &[u8]> {
    let (text, _) = blank(text)?;
    let (_, line) = alt((take_till(|byte| is_end_of_line(byte) || byte == b'{'), rest)).parse(text)?;
    let comment = line.windows(2).position(|two| is_blank(two[0]) && two[1] == b'#');
    let line = &line[..comment.unwrap_or(line.len())];
    let name = if line.starts_with(b"#") { &line[..0] } else { line.trim_ascii_end() };
    Ok((&text[name.len()..], name))
}

/// What follows `End`: nothing or `Site`, and then perhaps a name.
pub(super) fn end_site_name(text: &[u8]) -> Found<'_, &[u8]> {
    let (text, name) = name(text)?;
    let site =
        terminated(tag_no_case::<_, _, ()>("site"), peek(not(take_while1(|b| !is_blank(b) && b != b':'))));
    match preceded(site, preceded(pair(blank, opt(char(':'))), preceded(blank, rest))).parse(name) {
        Ok((_, behind)) => Ok((text, behind)),
        Err(_) => Ok((text, name)),
    }
}

/// A number that ends where a word ends. What is not finite is no number.
pub(super) fn real(text: &[u8]) -> Found<'_, f64> {
    let (number, end) = number::scan(text, 0).ok_or(nom::Err::Error(()))?;
    let (_, word) = word(text)?;
    // A comment may follow without a blank.
    let whole = word.len() == end || word[end..].starts_with(b"#");
    if whole && number.is_finite() { Ok((&text[end..], number)) } else { Err(nom::Err::Error(())) }
}

/// What C and others print for a number that is not finite, and numbers too large for one.
pub(super) fn not_finite(text: &[u8]) -> Found<'_, &[u8]> {
    let (_, word) = word(text)?;
    let end = match number::scan_not_finite(text, 0) {
        Some(end) => end,
        None => number::scan(text, 0).filter(|(number, _)| number.is_infinite()).map_or(0, |(_, end)| end),
    };
    if end == word.len() { Ok((&text[end..], word)) } else { Err(nom::Err::Error(())) }
}

/// A channel in any case.
pub(super) fn channel(text: &[u8]) -> Found<'_, Channel> {
    let axis = map_opt(one_of("XYZxyz"), Axis::from_letter);
    type Kind = fn(Axis) -> Channel;
    let kind = alt((
        value(Channel::Rotation as Kind, tag_no_case("rotation")),
        value(Channel::Position as Kind, tag_no_case("position")),
        value(Channel::Scale as Kind, tag_no_case("scale")),
    ));
    let end = peek(not(take_while1(|byte| !is_space(byte) && !matches!(byte, b'{' | b'}' | b',' | b'#'))));
    terminated(map((axis, kind), |(axis, kind)| kind(axis)), end).parse(text)
}

/// `Frames` and its colon.
pub(super) fn frames(text: &[u8]) -> Found<'_, &[u8]> {
    recognize((tag_no_case("frames"), blank, tag(":"))).parse(text)
}

/// `Frame Time` and its colon.
pub(super) fn frame_time(text: &[u8]) -> Found<'_, &[u8]> {
    recognize((tag_no_case("frame"), delimited(blank, tag_no_case("time"), blank), tag(":"))).parse(text)
}
