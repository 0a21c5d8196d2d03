//! Minifies names in scripts: declared names become two letters. Properties, keys, strings and names of the
//! browser stay.

use crate::compact::{literal, starts_expression};
use std::collections::{BTreeMap, BTreeSet};

/// A piece of a script without blanks around it.
#[derive(Clone, Copy, Debug)]
struct Token<'a> {
    text: &'a str,
    kind: Kind,
    /// Where it starts.
    at: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Word,
    /// A number, an operator, a string or a part of a template.
    Other,
    /// A bracket, or the start of an expression in a template.
    Open,
    Close,
}

/// The syntactic position of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// A variable, function or keyword.
    Name,
    /// After a dot, or the key or method of an object.
    Property,
    /// A key that is also a variable, as in `{ name }`.
    Both,
    /// No word.
    None,
}

/// Words that are not renamed, and that no name may become.
const KEPT: [&str; 20] = [
    "NaN",
    "as",
    "async",
    "await",
    "do",
    "false",
    "get",
    "if",
    "in",
    "let",
    "new",
    "null",
    "of",
    "set",
    "static",
    "this",
    "true",
    "typeof",
    "undefined",
    "yield",
];

/// The script with short names. `script` must have no comments and end its statements with semicolons.
pub(crate) fn rename(script: &str) -> String {
    let tokens = tokens(script);
    let places = places(&tokens);
    let declared = declared(&tokens, &places);
    let mut saved: BTreeMap<&str, usize> = BTreeMap::new();
    let mut kept: BTreeSet<&str> = KEPT.into();
    for (token, place) in tokens.iter().zip(&places) {
        match place {
            Place::Name if declared.contains(token.text) => {
                *saved.entry(token.text).or_default() += token.text.len().saturating_sub(2);
            }
            Place::Both => drop(kept.insert(token.text)),
            _ => {}
        }
    }
    saved.retain(|name, saved| *saved > 0 && !kept.contains(name));
    kept.extend(tokens.iter().map(|token| token.text));
    let letters = || ('a'..='z').chain('A'..='Z');
    let pairs = letters().flat_map(|first| letters().map(move |second| format!("{first}{second}")));
    let mut free = pairs.filter(|name| !kept.contains(&name[..]));
    let short: BTreeMap<&str, String> = saved.keys().map_while(|name| Some((*name, free.next()?))).collect();
    let mut renamed = String::with_capacity(script.len());
    let mut done = 0;
    for (token, place) in tokens.iter().zip(&places) {
        if let Some(new) = short.get(token.text).filter(|_| *place == Place::Name) {
            renamed.push_str(&script[done..token.at]);
            renamed.push_str(new);
            done = token.at + token.text.len();
        }
    }
    renamed + &script[done..]
}

fn tokens(script: &str) -> Vec<Token<'_>> {
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut tokens = Vec::new();
    let mut open: Vec<char> = Vec::new();
    let mut at = 0;
    // Whether the position is in the text of a template.
    let mut text = false;
    while let Some(next) = script[at..].chars().next() {
        let rest = &script[at..];
        let (kind, length) = match next {
            _ if text => {
                let (length, expression) = template_text(rest);
                text = false;
                if expression {
                    open.push('`');
                    (Kind::Open, length)
                } else {
                    (Kind::Other, length)
                }
            }
            '"' | '\'' => (Kind::Other, literal(rest, next)),
            '`' => {
                text = true;
                (Kind::Other, 1)
            }
            '/' if starts_expression(&script[..at]) => (Kind::Other, literal(rest, '/')),
            '(' | '[' | '{' => {
                open.push(next);
                (Kind::Open, 1)
            }
            ')' | ']' | '}' => {
                text = open.pop() == Some('`');
                (Kind::Close, 1)
            }
            c if c.is_whitespace() => {
                at += c.len_utf8();
                continue;
            }
            c if word(c) => (Kind::Word, rest.find(|c| !word(c)).unwrap_or(rest.len())),
            _ if rest.starts_with("...") => (Kind::Other, 3),
            _ if rest.starts_with("=>") => (Kind::Other, 2),
            c => (Kind::Other, c.len_utf8()),
        };
        tokens.push(Token { text: &rest[..length], kind, at });
        at += length;
    }
    tokens
}

/// The length of the text of a template up to its end or to an expression, and whether it is an expression.
fn template_text(text: &str) -> (usize, bool) {
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        at += match c {
            '`' => return (at + 1, false),
            '\\' => 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8),
            '$' if text[at..].starts_with("${") => return (at + 2, true),
            c => c.len_utf8(),
        };
    }
    (text.len(), false)
}

fn text<'a>(tokens: &[Token<'a>], at: Option<usize>) -> &'a str {
    at.and_then(|at| tokens.get(at)).map_or("", |token| token.text)
}

fn places(tokens: &[Token<'_>]) -> Vec<Place> {
    let mut objects: Vec<bool> = Vec::new();
    let place = |(at, token): (usize, &Token<'_>)| {
        let (before, after) = (text(tokens, at.checked_sub(1)), text(tokens, Some(at + 1)));
        match token.kind {
            Kind::Open => {
                let case = before == ":" && text(tokens, at.checked_sub(3)) == "case";
                objects.push(token.text == "{" && opens_object(before) && !case);
            }
            Kind::Close => drop(objects.pop()),
            Kind::Other => {}
            Kind::Word if before == "." => return Place::Property,
            Kind::Word => {
                let object = objects.last() == Some(&true);
                return match (before, after) {
                    ("{" | ",", ":" | "(") if object => Place::Property,
                    ("{" | ",", "," | "}" | "=") if object => Place::Both,
                    ("get" | "set" | "async", _) if object => Place::Property,
                    _ => Place::Name,
                };
            }
        }
        Place::None
    };
    tokens.iter().enumerate().map(place).collect()
}

/// Whether a brace after a token opens an object or pattern and not a block.
fn opens_object(before: &str) -> bool {
    let operator = ["=", "(", ",", ":", "[", "?", "&", "|", "...", "return", "const", "let", "of"];
    operator.contains(&before) || before.ends_with("${")
}

/// Names declared by `const`, `let`, `function` and `catch`, and parameters of functions.
fn declared<'a>(tokens: &[Token<'a>], places: &[Place]) -> BTreeSet<&'a str> {
    let mut names = BTreeSet::new();
    let mut opened: Vec<usize> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let after = text(tokens, Some(at + 1));
        match token.kind {
            Kind::Open => opened.push(at),
            Kind::Close => {
                let open = opened.pop().unwrap_or(0);
                let (before, head) = (text(tokens, open.checked_sub(1)), text(tokens, open.checked_sub(2)));
                let function = before != "if" && before != "for" && before != "while" && before != "switch";
                if token.text == ")" && (after == "=>" || after == "{" && function) {
                    bind(tokens, places, open + 1, &mut names);
                }
                if head == "function" {
                    names.insert(before);
                }
            }
            Kind::Word if after == "=>" => drop(names.insert(token.text)),
            Kind::Word if ["const", "let"].contains(&token.text) && places[at] == Place::Name => {
                bind(tokens, places, at + 1, &mut names);
            }
            _ => {}
        }
    }
    names
}

/// Names bound by a list of declarations or parameters, up to its end.
fn bind<'a>(tokens: &[Token<'a>], places: &[Place], from: usize, names: &mut BTreeSet<&'a str>) {
    // Brackets of a pattern are part of it; those of a value are skipped.
    let (mut value, mut skipped, mut patterns) = (false, 0, 0);
    for (at, token) in tokens.iter().enumerate().skip(from) {
        match (token.kind, token.text) {
            (Kind::Open, _) if value => skipped += 1,
            (Kind::Open, _) => patterns += 1,
            (Kind::Close, _) if skipped > 0 => skipped -= 1,
            (Kind::Close, _) if patterns > 0 => (patterns, value) = (patterns - 1, false),
            (Kind::Close, _) => return,
            _ if skipped > 0 => {}
            (_, ";" | "of" | "in") => return,
            (_, ",") => value = false,
            (_, "=" | "=>") => value = true,
            (Kind::Word, word) if !value && places[at] == Place::Name => drop(names.insert(word)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_script_declares_is_short_and_the_rest_stays() {
        for (script, expected) in [
            ("const first=1,other=first+1;use(other);", "const aa=1,ab=aa+1;use(ab);"),
            // Properties, keys, methods and strings keep their names.
            (
                "let size=2;const all={size:size,draw(size){return this.size*size;}};all.size='size';",
                "let ab=2;const aa={size:ab,draw(ab){return this.size*ab;}};aa.size='size';",
            ),
            // A key that is a variable too keeps its name, and so do those of browsers.
            ("const name=1,width=2;send({name,width:width});", "const name=1,aa=2;send({name,width:aa});"),
            (
                "function step(from,[left,right]){for(const one of left)Math.max(one,from,right);}",
                "function ae(aa,[ab,ad]){for(const ac of ab)Math.max(ac,aa,ad);}",
            ),
            ("const words=(list,more=[list.length,7])=>list+more;", "const ac=(aa,ab=[aa.length,7])=>aa+ab;"),
            (
                "const a=1,abc=`abc ${abc ? `${abc}` : {abc:a}} abc`;",
                "const a=1,aa=`abc ${aa ? `${aa}` : {abc:a}} abc`;",
            ),
            (
                "const found=x?found:/found\\/ [/]found/.test(found);",
                "const aa=x?aa:/found\\/ [/]found/.test(aa);",
            ),
            (
                "const count=3,copy={...count,get count(){return count;}};",
                "const ab=3,aa={...ab,get count(){return ab;}};",
            ),
            ("try{act();}catch(wrong){tell(wrong);}", "try{act();}catch(aa){tell(aa);}"),
            // A short name is new.
            (
                "const aa=1,long=aa;if(long){let deep=long;aa=deep;}",
                "const aa=1,ac=aa;if(ac){let ab=ac;aa=ab;}",
            ),
        ] {
            assert_eq!(rename(script), expected);
        }
    }
}
