//! Minifies scripts: removes blanks and comments.

/// The minified script. Names, strings, templates and regular expressions are unchanged.
pub(crate) fn compact(script: &str) -> String {
    let mut kept = String::new();
    let mut rest = script;
    while let Some(next) = rest.chars().next() {
        let length = match next {
            '"' | '\'' => literal(rest, next),
            '`' => template(rest),
            '/' if rest.starts_with("//") => {
                rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
                continue;
            }
            '/' if starts_expression(&kept) => literal(rest, '/'),
            _ => next.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        let needed = match next {
            ' ' => separates(kept.chars().next_back(), after.chars().next()),
            // A line end that may end a statement is kept.
            '\n' => !kept.is_empty() && !kept.ends_with([';', '{', ',', '(', '\n']),
            _ => true,
        };
        if needed {
            kept.push_str(token);
        }
        rest = after;
    }
    kept
}

/// Whether two characters would merge into one word or operator.
fn separates(before: Option<char>, after: Option<char>) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let (Some(before), Some(after)) = (before, after) else { return false };
    (word(before) && word(after)) || ("+-/".contains(before) && before == after)
}

/// Whether a slash here starts a regular expression and is not a division.
pub(crate) fn starts_expression(before: &str) -> bool {
    before.trim_end().ends_with(['(', ',', '=', ':', '[', '!', '&', '|', '?', '{', '}', ';', '>'])
}

/// The length of a string or regular expression up to its closing `end`.
pub(crate) fn literal(text: &str, end: char) -> usize {
    let (mut escaped, mut class) = (false, false);
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' if end == '/' => class = true,
            ']' => class = false,
            c if c == end && !class => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// The length of a template with the expressions in it.
fn template(text: &str) -> usize {
    let mut at = 1;
    while let Some(c) = text[at..].chars().next() {
        at += match c {
            '`' => return at + 1,
            '\\' => 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8),
            '$' if text[at..].starts_with("${") => 2 + expression(&text[at + 2..]),
            c => c.len_utf8(),
        };
    }
    text.len()
}

/// The length of an expression in a template, with its closing brace.
fn expression(text: &str) -> usize {
    let (mut at, mut open) = (0, 1);
    while let Some(c) = text[at..].chars().next() {
        at += match c {
            '"' | '\'' => literal(&text[at..], c),
            '`' => template(&text[at..]),
            c => c.len_utf8(),
        };
        open += i32::from(c == '{') - i32::from(c == '}');
        if open == 0 {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_go_and_what_they_separate_or_belong_to_stays() {
        for (script, expected) in [
            ("const a = b + c;\n  a = 2;\n", "const a=b+c;a=2;"),
            ("a = b + +c - -d;", "a=b+ +c- -d;"),
            ("let x = y // why\nz()", "let x=y\nz()"),
            (
                "f(\"a  b\", ' // ', `c  ${ g(`} ${'}'}`) } \\` d`);",
                "f(\"a  b\",' // ',`c  ${ g(`} ${'}'}`) } \\` d`);",
            ),
            ("if (/[/ ] \\/ x/.test(s) ) a / b / c;", "if(/[/ ] \\/ x/.test(s))a/b/c;"),
            ("return  typeof x in y", "return typeof x in y"),
            ("function f() {\n  a()\n}\n\nb", "function f(){a()\n}\nb"),
            ("x = é ? 'ü' : `", "x=é?'ü':`"),
        ] {
            assert_eq!(compact(script), expected);
        }
    }
}
