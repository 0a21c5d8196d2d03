//! The words of BVH as nom parsers: none of them crosses the end of a line, unless it says so.

use super::document::Channel;
use super::row::is_space;
use crate::number;
use crate::text::decode_name;
use mocap_model::Axis;
use nom::branch::alt;
use nom::bytes::complete::{tag, tag_no_case, take_till, take_while, take_while1};
use nom::character::complete::{char, one_of};
use nom::combinator::{map, map_opt, not, peek, recognize, value, verify};
use nom::sequence::{delimited, pair, terminated};
use nom::{IResult, Parser};

pub(super) type Found<'a, T> = IResult<&'a [u8], T, ()>;

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
    let end = (0..text.len()).find(|&at| is_end_of_line(text[at]) || is_bracket(text, at));
    let line = &text[..end.unwrap_or(text.len())];
    let comment = (0..line.len()).find(|&at| line[at] == b'#' && (at == 0 || is_blank(line[at - 1])));
    let mut name = line[..comment.unwrap_or(line.len())].trim_ascii_end();
    // A bracket that is still one once the name is decoded was not half of a character: `R\xFC{` is latin-1.
    while decode_name(name).0.contains('{')
        && let Some(bracket) = name.iter().position(|&byte| byte == b'{')
    {
        name = name[..bracket].trim_ascii_end();
    }
    Ok((&text[name.len()..], name))
}

/// Whether an opening bracket stands at `at`, and not the second byte of a Shift-JIS character such as ボ.
fn is_bracket(text: &[u8], at: usize) -> bool {
    if text[at] != b'{' {
        return false;
    }
    let leads = at > 0 && matches!(text[at - 1], 0x81..=0x9F | 0xE0..=0xFC);
    let ends_utf8 = || (2..=at.min(4)).any(|length| std::str::from_utf8(&text[at - length..at]).is_ok());
    if !leads || ends_utf8() {
        return true;
    }
    let behind = &text[at + 1..];
    let another = behind.iter().find(|&&byte| !is_space(byte)) == Some(&b'{');
    !another && behind.first().is_none_or(|&byte| is_space(byte))
}

/// What follows `End`: nothing or `Site`, and then perhaps a name.
pub(super) fn end_site_name(text: &[u8]) -> Found<'_, &[u8]> {
    let (text, name) = name(text)?;
    let mut site =
        terminated(tag_no_case::<_, _, ()>("site"), peek(not(take_while1(|b| !is_blank(b) && b != b':'))));
    let name = site.parse(name).map_or(name, |(behind, _)| behind);
    let start = name.iter().position(|&byte| !is_blank(byte) && byte != b':');
    let name = &name[start.unwrap_or(name.len())..];
    // Behind the colon of `End Site:# tip` a comment begins.
    Ok((text, if name.starts_with(b"#") { &[] } else { name }))
}

/// A number that ends where a word ends, and is finite.
pub(super) fn real(text: &[u8]) -> Found<'_, f64> {
    let (number, end) = number::scan(text, 0).ok_or(nom::Err::Error(()))?;
    let (_, word) = word(text)?;
    // A comment may follow without a blank, but the `#` in `1.#IND` does not start one.
    let comment = word[end..].starts_with(b"#") && number::scan_not_finite(text, 0).is_none();
    let whole = word.len() == end || comment;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_at_brackets_comments_and_lines() {
        let read = |text: &'static [u8]| name(text).unwrap().1;
        assert_eq!(read(b"  Bip01 L Thigh \t\r\n{"), b"Bip01 L Thigh");
        assert_eq!(read(b" Hips{"), b"Hips");
        assert_eq!(read(b" arm#2 # second\n"), b"arm#2");
        assert_eq!(read(b" # nameless\n"), b"");
        assert_eq!(read(b""), b"");
        // The second byte of two of these characters is an opening bracket.
        assert_eq!(read(b" \x83\x7B\x81\x5B\x83\x93\n{"), b"\x83\x7B\x81\x5B\x83\x93");
        assert_eq!(read(b" \x83\x7B\n{"), b"\x83\x7B");
        assert_eq!(read(b" \x83\x7B {"), b"\x83\x7B");
        assert_eq!(read(b" F\xFC{ OFFSET"), b"F\xFC");
        assert_eq!(read(b" R\xFC{cken"), b"R\xFC");
        assert_eq!(read("Ã{OFFSET".as_bytes()), "Ã".as_bytes());
    }

    #[test]
    fn end_sites_may_have_names() {
        let read = |text: &'static [u8]| end_site_name(text).unwrap().1;
        for text in [b" Site\n".as_slice(), b" site{", b"\n", b" SITE # tip\n", b" Site: \n", b" Site:# tip"]
        {
            assert_eq!(read(text), b"");
        }
        for text in [b" Site Toe\n".as_slice(), b" Site: Toe {", b" Toe\n", b" :Toe"] {
            assert_eq!(read(text), b"Toe");
        }
        assert_eq!(read(b" Sitebone\n"), b"Sitebone");
    }

    #[test]
    fn words_of_the_header() {
        for text in ["Frames:3", "FRAMES : 3", "frames\t:3"] {
            assert!(frames(text.as_bytes()).is_ok(), "{text}");
        }
        for text in ["Frame Time:", "FrameTime:", "frame  time :"] {
            assert!(frame_time(text.as_bytes()).is_ok() && frames(text.as_bytes()).is_err(), "{text}");
        }
        assert_eq!(channel(b"xROTATION,").unwrap().1, Channel::Rotation(Axis::X));
        assert!(channel(b"Xrotations").is_err() && channel(b"Wrotation").is_err());
        assert!(real(b"1.#IND").is_err() && real(b"1x").is_err());
        assert_eq!(real(b"1#x").unwrap(), (&b"#x"[..], 1.0));
    }
}
