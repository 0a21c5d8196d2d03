//! The properties of one format, as the table of formats lists them.

use std::borrow::Cow;
use std::sync::Arc;

use mocap_model::{Clip, Markers, SignedAxis, Skeleton};

use crate::arrays::Arrays;
use crate::body::BoundBody;
use crate::left_out::Holds;
use crate::{
    Beside, Content, Document, Encoded, FileBeside, FilesBeside, Finding, Format, Limits, Parsed, ReadError,
    ReadOptions, WriteOptions,
};

/// One line of the table of formats. Each format has it in its own folder.
pub(crate) struct Entry {
    /// Lower-case name, which is also the usual extension.
    pub(crate) name: &'static str,
    /// Other extensions, lower case.
    pub(crate) extensions: &'static [&'static str],
    /// A few words for help texts, behind the name.
    pub(crate) note: Option<&'static str>,
    /// Whether a file holds a motion; else it holds only a skeleton.
    pub(crate) has_motion: bool,
    /// Whether a file states its unit and axes.
    pub(crate) states_space: bool,
    /// What a file holds besides rotations and translations.
    pub(crate) holds: Holds,
    /// Whether a search of folders for motion files takes such files.
    pub(crate) searched: bool,
    /// A second file that goes with each file.
    pub(crate) beside: Option<Beside>,
    /// Whether the start of a file looks like this format.
    pub(crate) detect: fn(&Start) -> bool,
    /// Reads a file; else why no file can be read.
    pub(crate) read: Result<ReadFile, &'static str>,
    /// Reads shared bytes, which the document may keep to parse them on demand; `None`: as `read`.
    pub(crate) read_shared: Option<ReadShared>,
    /// Checks the start of a file, given the size of the file where it is known \[bytes\]: a header beyond the limits
    /// is an error before the rest is read.
    pub(crate) check_start: Option<JudgeStart>,
    /// Writes a clip, or of a clip the skeleton.
    pub(crate) write: Option<WriteClip>,
    /// Writes several clips of one skeleton into one file, with the body that they show, or else a
    /// drawn one; `None` for formats with one clip per file.
    pub(crate) write_clips: Option<WriteClips>,
    /// Whether a file that is read may hold several clips.
    pub(crate) reads_clips: bool,
    /// Lists the files that a file refers to, and those that the referred files given so far refer to.
    pub(crate) files_beside: Option<ListFiles>,
    /// Whether lengths are written in metres, for any unit of the clip: it has to be known, or guessed.
    pub(crate) in_metres: bool,
    /// The unit \[m\] and the up axis of every file that is written, for any clip.
    pub(crate) written_in: Option<(f64, SignedAxis)>,
    /// Writes a skeleton without motion.
    pub(crate) write_skeleton: Option<WriteSkeleton>,
    /// Whether a file holds the motion of a robot, and only that.
    pub(crate) holds_robot: bool,
    /// Whether a file holds markers instead of a skeleton that moves.
    pub(crate) holds_markers: bool,
    /// Writes a recording of markers.
    pub(crate) write_markers: Option<WriteMarkers>,
    /// Writes named arrays, for formats that hold any.
    pub(crate) write_arrays: Option<WriteArrays>,
    /// Whether a file may hold a motion of a body that another file describes.
    pub(crate) moves_body: bool,
    /// The format that this format's name stands for if the motion is a robot's; `None`: this
    /// format itself.
    pub(crate) of_robots: Option<Format>,
    /// Whether a file holds positions without the rotations that made them.
    pub(crate) only_positions: bool,
    /// Whether the numbers over time of a file are only those that the format names, such as the build of a body.
    pub(crate) only_own_numbers: bool,
    /// Whether the scalar tracks of a file are weights of expressions, whose shapes are defined by a character file.
    pub(crate) holds_expressions: bool,
    /// Whether samples may take fewer bytes in a file than in memory: the fuzzer allows such readers more memory.
    pub(crate) packed: bool,
    /// The space that every file is in, in one sentence.
    pub(crate) fixed_space: Option<&'static str>,
    /// Whether the reader warns of a first frame that shows the rest pose.
    pub(crate) reports_rest: bool,
    /// The page of the folder `docs` that describes the format.
    pub(crate) page: Option<&'static str>,
}

impl Entry {
    /// The default of all fields: a format of motions that can be neither read nor written. Each format overrides some.
    pub(crate) const MOTION: Entry = Entry {
        name: "",
        extensions: &[],
        note: None,
        has_motion: true,
        states_space: false,
        holds: Holds::ALL,
        searched: false,
        beside: None,
        detect: |_| false,
        read: Err("it cannot be read"),
        read_shared: None,
        check_start: None,
        write: None,
        write_clips: None,
        reads_clips: false,
        files_beside: None,
        in_metres: false,
        written_in: None,
        write_skeleton: None,
        holds_robot: false,
        holds_markers: false,
        write_markers: None,
        write_arrays: None,
        moves_body: false,
        of_robots: None,
        only_positions: false,
        only_own_numbers: false,
        holds_expressions: false,
        packed: false,
        fixed_space: None,
        reports_rest: false,
        page: None,
    };
}

pub(crate) type ReadFile = fn(&[u8], &ReadOptions) -> Result<Parsed<Box<dyn Document>>, ReadError>;
pub(crate) type ReadShared = fn(&Arc<Vec<u8>>, &ReadOptions) -> Result<Parsed<Box<dyn Document>>, ReadError>;
pub(crate) type JudgeStart = fn(&[u8], Option<u64>, &Limits) -> Result<(), Finding>;
pub(crate) type WriteClip = for<'c> fn(Cow<'c, Clip>, &WriteOptions) -> Result<Encoded<'c>, Finding>;
pub(crate) type WriteClips =
    fn(&[Clip], Option<&BoundBody>, &WriteOptions) -> Result<Encoded<'static>, Finding>;
pub(crate) type ListFiles = fn(&[u8], &FilesBeside, &Limits) -> Result<Vec<FileBeside>, ReadError>;
pub(crate) type WriteSkeleton = fn(&Skeleton, &WriteOptions) -> Result<Encoded<'static>, Finding>;
pub(crate) type WriteArrays = fn(Arrays) -> Content<'static>;
pub(crate) type WriteMarkers = for<'m> fn(&'m Markers, &WriteOptions) -> Result<Encoded<'m>, Finding>;

/// The start of a file, for detection.
pub(crate) struct Start<'t> {
    /// The raw bytes, for binary formats.
    pub(crate) bytes: &'t [u8],
    /// The text.
    pub(crate) text: &'t [u8],
    /// The first line that is neither blank nor a comment, without blanks around it.
    pub(crate) first: &'t [u8],
    /// The first word of that line.
    pub(crate) word: &'t [u8],
    /// The line behind it.
    pub(crate) second: Option<&'t [u8]>,
}

/// The length of the start that detection uses \[bytes\].
const LOOKED_AT: usize = 64 * 1024;

impl Start<'_> {
    /// The start of a file, as bytes and as text; `None` of an empty one.
    pub(crate) fn of_file(bytes: &[u8]) -> Option<(&[u8], Cow<'_, [u8]>)> {
        let bytes = &bytes[..bytes.len().min(LOOKED_AT)];
        (!bytes.is_empty()).then(|| (bytes, crate::text::decode(bytes)))
    }

    /// The lines of a text that was decoded from bytes; `None` where all are blank.
    pub(crate) fn of<'t>(bytes: &'t [u8], text: &'t [u8]) -> Option<Start<'t>> {
        let mut lines = text
            .split(|&byte| byte == b'\n' || byte == b'\r')
            .map(<[u8]>::trim_ascii)
            .filter(|line| !line.is_empty() && !line.starts_with(b"#"));
        let first = lines.next()?;
        let word = first.split(|byte| byte.is_ascii_whitespace()).next().unwrap_or(first);
        Some(Start { bytes, text, first, word, second: lines.next() })
    }

    /// Whether the text has these letters, in any case.
    pub(crate) fn has_word(&self, word: &str) -> bool {
        self.text.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word.as_bytes()))
    }

    /// Whether the text is a JSON object and has the words.
    pub(crate) fn is_json_with(&self, words: &str) -> bool {
        self.word[0] == b'{' && self.text.windows(words.len()).any(|window| window == words.as_bytes())
    }

    /// Whether the first word is one of these in any case, with a sign or nothing behind it.
    pub(crate) fn starts_with_word(&self, words: &[&str]) -> bool {
        words.iter().any(|word| {
            let start = self.word.get(..word.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
                && self.word.get(word.len()).is_none_or(|byte| !byte.is_ascii_alphanumeric())
        })
    }
}
