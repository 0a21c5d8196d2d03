//! Assembles pages from their parts: markup with placeholders, and scripts of one concept each.

use crate::compact::compact;
use crate::rename::rename;

/// The scripts of the viewer in the order in which they run; all share one scope.
const VIEWER: [&str; 26] = [
    include_str!("page/decode.js"),
    include_str!("page/motion.js"),
    include_str!("page/state.js"),
    include_str!("page/colour.js"),
    include_str!("page/camera.js"),
    include_str!("page/solids.js"),
    include_str!("page/renderer.js"),
    include_str!("page/flat.js"),
    include_str!("page/overlay.js"),
    include_str!("page/time.js"),
    include_str!("page/curves.js"),
    include_str!("page/play.js"),
    include_str!("page/panel.js"),
    include_str!("page/export.js"),
    include_str!("page/controls.js"),
    include_str!("page/spin.js"),
    include_str!("page/bvh.js"),
    include_str!("page/glb.js"),
    include_str!("page/range_coder.js"),
    include_str!("page/xxh3.js"),
    include_str!("page/mocz_tables.js"),
    include_str!("page/mocz_blocks.js"),
    include_str!("page/mocz.js"),
    include_str!("page/skin.js"),
    include_str!("page/drop.js"),
    include_str!("page/pointers.js"),
];

/// The script of the viewer.
pub(crate) fn viewer_script() -> String {
    wrap(&VIEWER)
}

/// The script of a chart.
pub(crate) fn plot_script() -> String {
    wrap(&[include_str!("page/plot.js")])
}

/// The script of a gallery.
pub(crate) fn gallery_script() -> String {
    wrap(&[include_str!("page/gallery.js")])
}

/// The script of the page for one clip of a gallery: the viewer, started when the data of the clip is loaded.
pub(crate) fn loader_script() -> String {
    include_str!("page/loader.js").replace("/*viewer*/", &viewer_script())
}

/// Scripts in a private scope. Templates lose their comment lines too.
fn wrap(parts: &[&str]) -> String {
    let lines = parts.iter().flat_map(|part| part.lines()).map(str::trim);
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty() && !line.starts_with("//")).collect();
    format!("\"use strict\";\n(() => {{\n{}}})();\n", rename(&compact(&(lines.join("\n") + "\n"))))
}

/// Which scripts a page may run (its content security policy).
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scripts {
    None,
    /// Scripts in the page.
    Inline,
    /// Scripts in the page and in files beside it.
    Beside,
}

/// A page: `body` with its placeholders filled, below the head that all pages share. Inserted text is not
/// searched for placeholders, since a name may look like one.
pub(crate) fn page(
    scripts: Scripts,
    title: &str,
    style: &str,
    body: &str,
    parts: &[(&str, &str)],
) -> Vec<u8> {
    let scripts = match scripts {
        Scripts::None => "'none'",
        Scripts::Inline => "'unsafe-inline'",
        Scripts::Beside => "'unsafe-inline' 'self'",
    };
    let head = [("scripts", scripts), ("title", title), ("style", style)];
    let mut filled = String::new();
    fill(&mut filled, include_str!("page/head.html"), &head);
    fill(&mut filled, body, parts);
    filled.into_bytes()
}

fn fill(filled: &mut String, page: &str, parts: &[(&str, &str)]) {
    let mut rest = page;
    for (name, text) in parts {
        let (before, after) =
            rest.split_once(&format!("{{{{{name}}}}}")).expect("the page has the placeholder");
        filled.push_str(before);
        filled.push_str(text);
        rest = after;
    }
    filled.push_str(rest);
}

#[cfg(test)]
mod tests {
    use crate::coding::encode;

    /// The page contains the tables of `docs/mocz.md` in a shorter form.
    #[test]
    fn tables_of_compressed_motions_are_those_of_their_format() {
        let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        let page = |name: &str| std::fs::read_to_string(docs.join(name)).unwrap();
        let format = page("mocz.md") + &page("mocz-tables.md");
        let block = |name: &str| {
            let from = format.split_once(&format!("```{name}\n")).unwrap().1;
            from.split_once("```").unwrap().0
        };
        let numbers: Vec<i32> =
            block("starts").split_whitespace().map(|hex| i32::from_str_radix(hex, 16).unwrap()).collect();
        let (bits, symbols) = numbers.split_at(160);
        let mut sums = [0; 15];
        let mut rows = Vec::new();
        for row in 0..160 {
            let below = &symbols[15 * (row % 4 * 40 + row / 4)..][..15];
            for (j, sum) in sums.iter_mut().enumerate() {
                *sum += below[j] - if j > 0 { below[j - 1] } else { 0 };
            }
            rows.extend(sums);
        }
        let written = [
            format!("const NAMES = \"{}\";", block("names").split_whitespace().collect::<Vec<_>>().join(" ")),
            format!(
                "const LOGISTIC = [{}];",
                block("logistic").split_whitespace().collect::<Vec<_>>().join(", ")
            ),
            format!(
                "const START_BITS = decode({:?}, 1, 160), START_CLASSES = decode({:?}, 15, 160);",
                encode(bits, 1),
                encode(&rows, 15)
            ),
        ];
        let tables = include_str!("page/mocz_tables.js");
        for line in written {
            assert!(tables.lines().any(|found| found == line), "mocz_tables.js needs the line\n{line}");
        }
    }
}
