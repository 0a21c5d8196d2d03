//! The words of an ASF file. Commas and parentheses count as blanks; `#` starts a comment.

use crate::number;
use nom::branch::alt;
use nom::bytes::complete::{take_till, take_while, take_while1};
use nom::character::complete::char;
use nom::combinator::recognize;
use nom::multi::many0_count;
use nom::sequence::preceded;
use nom::{IResult, Parser};
use std::ops::Range;

/// A place in the text that moves forward word by word.
#[derive(Clone)]
pub(crate) struct Lexer<'t> {
    text: &'t [u8],
    at: usize,
}

impl<'t> Lexer<'t> {
    pub(crate) fn new(text: &'t [u8]) -> Lexer<'t> {
        Lexer { text, at: 0 }
    }

    /// The next byte to be read.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn bytes(&self, span: &Range<usize>) -> &'t [u8] {
        &self.text[span.clone()]
    }

    /// The next word, on whatever line it is.
    pub(crate) fn word(&mut self) -> Option<Range<usize>> {
        self.eat(blanks_and_lines);
        self.one_word()
    }

    /// The next word of this line.
    pub(crate) fn word_on_line(&mut self) -> Option<Range<usize>> {
        self.eat(blanks);
        self.one_word()
    }

    /// The next word, without consuming it.
    pub(crate) fn peek(&self) -> Option<Range<usize>> {
        self.clone().word()
    }

    /// The rest of this line, comments included, without blanks around it; moves to the next line.
    pub(crate) fn rest_of_line(&mut self) -> Range<usize> {
        let from = self.at;
        self.eat(line);
        let text = &self.text[from..self.at];
        self.eat(line_end);
        let start = from + text.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let end = from + text.iter().rposition(|byte| !byte.is_ascii_whitespace()).map_or(0, |last| last + 1);
        start.min(end)..end
    }

    /// Whether the next line is there and does not start with a keyword.
    pub(crate) fn at_text_line(&self) -> bool {
        let mut ahead = self.clone();
        ahead.at < self.text.len() && {
            let line = ahead.rest_of_line();
            self.text[line].first() != Some(&b':')
        }
    }

    fn one_word(&mut self) -> Option<Range<usize>> {
        let from = self.at;
        self.eat(word);
        // The `#` in `-1.#IND00` does not start a comment.
        if self.text.get(self.at) == Some(&b'#')
            && let Some(end) = number::scan_not_finite(self.text, from)
        {
            self.at = end;
            self.eat(word);
        }
        (self.at > from).then_some(from..self.at)
    }

    fn eat(&mut self, parser: impl Fn(&'t [u8]) -> IResult<&'t [u8], &'t [u8]>) {
        if let Ok((rest, _)) = parser(&self.text[self.at..]) {
            self.at = self.text.len() - rest.len();
        }
    }
}

/// The value of a word for a number that is not finite: NaN or infinity.
pub(crate) fn not_finite(word: &[u8]) -> f64 {
    let infinite = word.windows(3).any(|part| part.eq_ignore_ascii_case(b"inf"));
    match (infinite, word.first()) {
        (false, _) => f64::NAN,
        (true, Some(b'-')) => f64::NEG_INFINITY,
        (true, _) => f64::INFINITY,
    }
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0B | 0x0C | b',' | b'(' | b')' | 0)
}

fn line(text: &[u8]) -> IResult<&[u8], &[u8]> {
    take_till(is_line_end).parse(text)
}

fn line_end(text: &[u8]) -> IResult<&[u8], &[u8]> {
    alt((nom::bytes::complete::tag("\r\n"), nom::bytes::complete::take(1usize))).parse(text)
}

fn comment(text: &[u8]) -> IResult<&[u8], &[u8]> {
    recognize(preceded(char('#'), line)).parse(text)
}

fn blanks(text: &[u8]) -> IResult<&[u8], &[u8]> {
    recognize((take_while(is_blank), nom::combinator::opt(comment))).parse(text)
}

fn blanks_and_lines(text: &[u8]) -> IResult<&[u8], &[u8]> {
    let skipped = alt((take_while1(|byte| is_blank(byte) || is_line_end(byte)), comment));
    recognize(many0_count(skipped)).parse(text)
}

fn word(text: &[u8]) -> IResult<&[u8], &[u8]> {
    take_till(|byte| is_blank(byte) || is_line_end(byte) || byte == b'#').parse(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_between_blanks_commas_and_parentheses() {
        let mut lexer = Lexer::new(b"  dof rx,ry # all\r\n\t(limits(-1 2# low\n-1.#IND)\r:end");
        let mut words = Vec::new();
        while let Some(word) = lexer.word() {
            words.push(std::str::from_utf8(lexer.bytes(&word)).unwrap());
        }
        assert_eq!(words, ["dof", "rx", "ry", "limits", "-1", "2", "-1.#IND", ":end"]);
    }

    #[test]
    fn lines_end_at_any_line_end() {
        let mut lexer = Lexer::new(b"a b # c\r\nd\re\n\nf");
        assert_eq!(lexer.word_on_line(), Some(0..1));
        assert_eq!(lexer.rest_of_line(), 2..7);
        assert_eq!(lexer.word_on_line(), Some(9..10));
        assert_eq!(lexer.word_on_line(), None);
        assert_eq!(lexer.word(), Some(11..12));
        assert_eq!(lexer.peek(), Some(14..15));
    }
}
