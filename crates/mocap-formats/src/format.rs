//! Which format a file is in, by its extension or by its content.

use std::fmt;
use std::str::FromStr;

use crate::text;

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Biovision hierarchy: a skeleton and its motion.
    Bvh,
    /// Acclaim skeleton file.
    Asf,
    /// Acclaim motion capture data, the motion of an [`Format::Asf`] skeleton.
    Amc,
    /// This project's skeleton file: joints, roles, limits, chains.
    Skel,
    /// Object-space positions, one row a frame and joint.
    Csv,
    /// A clip with all it holds, as JSON.
    Json,
}

/// As much of a file as [`Format::detect`] looks at \[bytes\].
const LOOKED_AT: usize = 64 * 1024;

impl Format {
    /// All formats, in the order of their declaration.
    pub const ALL: [Format; 6] =
        [Format::Bvh, Format::Asf, Format::Amc, Format::Skel, Format::Csv, Format::Json];

    /// The lower-case name, which is also the usual extension.
    pub const fn extension(self) -> &'static str {
        match self {
            Format::Bvh => "bvh",
            Format::Asf => "asf",
            Format::Amc => "amc",
            Format::Skel => "skel",
            Format::Csv => "csv",
            Format::Json => "json",
        }
    }

    /// The format of an extension without its dot, in any case.
    pub fn from_extension(extension: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.extension().eq_ignore_ascii_case(extension))
    }

    /// Whether files of the format hold a motion; the others hold a skeleton alone.
    pub const fn has_motion(self) -> bool {
        !matches!(self, Format::Asf | Format::Skel)
    }

    /// The format of a file by what stands at its start; `None` where nothing speaks for one.
    pub fn detect(bytes: &[u8]) -> Option<Format> {
        let text = text::decode(&bytes[..bytes.len().min(LOOKED_AT)]);
        let mut lines = text
            .split(|&byte| byte == b'\n' || byte == b'\r')
            .map(<[u8]>::trim_ascii)
            .filter(|line| !line.is_empty() && !line.starts_with(b"#"));
        let first = lines.next()?;
        let word = first.split(|byte| byte.is_ascii_whitespace()).next().unwrap_or(first);
        match word[0] {
            b'{' => detect_json(&text),
            b':' => Some(detect_acclaim(word)),
            _ if starts_bvh(word) => Some(Format::Bvh),
            _ if first.starts_with(b"frame,time,joint,") => Some(Format::Csv),
            // An AMC file without keywords: a frame number on its own, then a bone and its numbers.
            _ if is_integer(first) => {
                let bone = lines.next()?;
                let mut words = bone.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
                let name = words.next()?[0].is_ascii_alphabetic();
                let numbers = words.all(|word| matches!(word[0], b'0'..=b'9' | b'-' | b'+' | b'.'));
                (name && numbers).then_some(Format::Amc)
            }
            _ => None,
        }
    }
}

/// JSON files of this project name their format; a clip holds a skeleton.
fn detect_json(text: &[u8]) -> Option<Format> {
    let says = |name: &[u8]| text.windows(name.len()).any(|window| window == name);
    if says(b"\"mocap-clip\"") {
        return Some(Format::Json);
    }
    says(b"\"mocap-skel\"").then_some(Format::Skel)
}

fn detect_acclaim(keyword: &[u8]) -> Format {
    const SKELETON: [&str; 8] =
        [":version", ":name", ":units", ":documentation", ":root", ":bonedata", ":hierarchy", ":skin"];
    let keyword = String::from_utf8_lossy(keyword).to_ascii_lowercase();
    if SKELETON.iter().any(|known| keyword.starts_with(known)) { Format::Asf } else { Format::Amc }
}

fn starts_bvh(word: &[u8]) -> bool {
    // `HIERARCHY{` and `ROOT` alone occur.
    ["hierarchy", "root"].iter().any(|keyword| {
        word.get(..keyword.len()).is_some_and(|start| start.eq_ignore_ascii_case(keyword.as_bytes()))
            && word.get(keyword.len()).is_none_or(|byte| !byte.is_ascii_alphanumeric())
    })
}

fn is_integer(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_digit)
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.extension())
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Format, String> {
        Format::from_extension(text).ok_or_else(|| {
            let known = Format::ALL.map(Format::extension).join(", ");
            format!("'{text}' is not a format; formats are {known}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_name_formats_in_any_case() {
        for format in Format::ALL {
            assert_eq!(Format::from_extension(&format.extension().to_ascii_uppercase()), Some(format));
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        assert_eq!(Format::from_extension("txt"), None);
    }

    #[test]
    fn content_names_the_format() {
        let detect = |text: &str| Format::detect(text.as_bytes());
        assert_eq!(detect("HIERARCHY\nROOT Hips"), Some(Format::Bvh));
        assert_eq!(detect("\n\n# exported\r\nhierarchy{ROOT"), Some(Format::Bvh));
        assert_eq!(detect("\u{FEFF}HIERARCHY\n"), Some(Format::Bvh));
        assert_eq!(detect("# AST/ASF file\n:version 1.10\n:name VICON"), Some(Format::Asf));
        assert_eq!(detect("#!OML:ASF\n:FULLY-SPECIFIED\n:DEGREES\n1\nroot 1 2"), Some(Format::Amc));
        assert_eq!(detect("1\nroot 9.37 17.8 -17.3\nlowerback 1"), Some(Format::Amc));
        assert_eq!(detect("frame,time,joint,x,y,z\n0,0,Hips,1,2,3"), Some(Format::Csv));
        assert_eq!(detect("{\n  \"format\": \"mocap-skel\",\n"), Some(Format::Skel));
        assert_eq!(
            detect("{\"format\":\"mocap-clip\",\"skeleton\":{\"format\":\"mocap-skel\""),
            Some(Format::Json)
        );
        assert_eq!(Format::detect(b"\xFF\xFEH\0I\0E\0R\0A\0R\0C\0H\0Y\0\n\0"), Some(Format::Bvh));
    }

    #[test]
    fn nothing_is_guessed_of_other_files() {
        for text in ["", "\n\n", "#", "hello", "12 14", "1\n2\n3", "1", "rooted\n", "Kaydara FBX", "{}"] {
            assert_eq!(Format::detect(text.as_bytes()), None, "{text}");
        }
    }
}
