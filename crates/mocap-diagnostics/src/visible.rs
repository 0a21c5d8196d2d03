//! Makes texts of files safe for a terminal.

/// The text with pictures of its control characters (`␛`), other than line ends and tabs: a name in a file must not move
/// the cursor or change colours.
///
/// ```
/// assert_eq!(mocap_diagnostics::visible("Hips\u{1b}[2J\n".into()), "Hips␛[2J\n");
/// ```
pub fn visible(text: String) -> String {
    let is_hidden = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if !text.contains(is_hidden) {
        return text;
    }
    let picture = |c: char| match c {
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
        '\u{7f}' => '\u{2421}',
        _ => '\u{fffd}',
    };
    text.chars().map(|c| if is_hidden(c) { picture(c) } else { c }).collect()
}
