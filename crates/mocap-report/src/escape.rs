//! Escapes names from files for markup and script.

/// Text for the content and the attributes of XML and HTML. Characters that XML forbids become U+FFFD.
pub(crate) fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\t' | '\n' | '\r' => escaped.push(' '),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Text as a part of an address.
pub(crate) fn uri(text: &str) -> String {
    let kept = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    text.bytes()
        .map(|byte| if kept(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// JSON that is safe inside a `script` element: no `<` ends the element, and no line separator breaks the script.
pub(crate) fn json_in_script(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '\u{2028}' | '\u{2029}' => escaped.push_str(&format!("\\u{:04x}", c as u32)),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_leaves_its_place() {
        assert_eq!(
            xml("</script><b> & \"x\" 'y' 🦴\u{1}"),
            "&lt;/script&gt;&lt;b&gt; &amp; &quot;x&quot; &#39;y&#39; 🦴\u{fffd}"
        );
        let json = serde_json::to_string("</script><!-- & \u{2028}").unwrap();
        let safe = json_in_script(&json);
        assert!(!safe.contains(['<', '>', '\u{2028}']));
        assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), "</script><!-- & \u{2028}");
    }
}
