//! The methods of [`Format`]: its properties from the table, and detection of a file's format by extension or content.

use std::fmt;
use std::str::FromStr;

use mocap_model::SignedAxis;

use crate::entry::{Entry, Start};
use crate::{
    Beside, Content, FileBeside, FilesBeside, Finding, Foreign, Format, Limits, ReadError, TABLE, arrays,
};

impl Format {
    /// Its entry in the table.
    pub(crate) fn entry(self) -> &'static Entry {
        TABLE[self as usize].0
    }

    /// What a file of the format holds, in one line.
    pub fn about(self) -> &'static str {
        TABLE[self as usize].1
    }

    /// The lower-case name, which is also the usual extension.
    pub fn extension(self) -> &'static str {
        self.entry().name
    }

    /// The extension of its files: the name, or what follows the last `-` in it.
    pub fn file_extension(self) -> &'static str {
        self.extension().rsplit('-').next().unwrap_or_default()
    }

    /// A few words that help texts put in brackets behind the name.
    pub fn note(self) -> Option<&'static str> {
        self.entry().note
    }

    /// The format of an extension without its dot, in any case.
    pub fn from_extension(extension: &str) -> Option<Format> {
        let is = |known: &str| known.eq_ignore_ascii_case(extension);
        Format::ALL.into_iter().find(|format| {
            let Entry { name, extensions, .. } = format.entry();
            is(name) || extensions.iter().any(|known| is(known))
        })
    }

    /// The format to write, where an output's extension means `self`: the format of the input where it has the same
    /// extension. So an edited robot table stays one, though `.csv` usually means positions.
    pub fn as_read(self, read: Option<Format>) -> Format {
        let same = |read: &Format| {
            read.is_writable() && read.has_motion() && read.file_extension() == self.file_extension()
        };
        read.filter(same).unwrap_or(self)
    }

    /// Whether files of the format hold a motion; the others hold only a skeleton.
    pub fn has_motion(self) -> bool {
        self.entry().has_motion
    }

    /// Whether files of the format can be read; else the error is why not.
    ///
    /// # Errors
    /// One sentence, where they cannot.
    pub fn readable(self) -> Result<(), &'static str> {
        self.entry().read.map(|_| ())
    }

    /// Checks the start of a file before the rest is read; `size` is that of the file where it is known \[bytes\]. Only
    /// errors that the rest cannot mend are returned.
    ///
    /// # Errors
    /// Where the header states more than the limits allow, and the file is large enough for it.
    pub fn check_start(self, start: &[u8], size: Option<u64>, limits: &Limits) -> Result<(), Finding> {
        self.entry().check_start.map_or(Ok(()), |judge| judge(start, size, limits))
    }

    /// Whether clips can be written in the format; of formats without motion, their skeletons.
    pub fn is_writable(self) -> bool {
        self.entry().write.is_some()
    }

    /// Whether files of the format hold the motion of a robot, and only that.
    pub fn holds_robot(self) -> bool {
        self.entry().holds_robot
    }

    /// Whether files of the format hold a motion of a body that another file describes, as of a robot.
    pub fn moves_body(self) -> bool {
        self.holds_robot() || self.entry().moves_body
    }

    /// The format that this name stands for if the motion is a robot's: the one that training code reads.
    #[must_use]
    pub fn of_robots(self) -> Format {
        self.entry().of_robots.unwrap_or(self)
    }

    /// Whether files of the format hold positions without the rotations that made them.
    pub fn holds_only_positions(self) -> bool {
        self.entry().only_positions
    }

    /// Whether files of the format hold named arrays, which are written as [`WriteOptions::arrays`] says.
    ///
    /// [`WriteOptions::arrays`]: crate::WriteOptions::arrays
    pub fn holds_arrays(self) -> bool {
        self.entry().write_arrays.is_some()
    }

    /// Arrays as a file of the format; `None` where it holds none.
    pub fn of_arrays(self, arrays: arrays::Arrays) -> Option<Content<'static>> {
        self.entry().write_arrays.map(|write| write(arrays))
    }

    /// Whether samples may take fewer bytes in a file of the format than in memory: compressed, or shared by indices.
    pub fn is_packed(self) -> bool {
        self.entry().packed
    }

    /// Whether skeletons without motion can be written in the format.
    pub fn writes_skeletons(self) -> bool {
        self.entry().write_skeleton.is_some()
    }

    /// The space that all files of the format are in, in one sentence; `None` where a file may be in any.
    pub fn fixed_space(self) -> Option<&'static str> {
        self.entry().fixed_space
    }

    /// The unit \[m\] and the up axis of every file of the format that is written; `None` where they are those of the clip.
    /// A document whose animation is replaced keeps its own.
    pub fn written_in(self) -> Option<(f64, SignedAxis)> {
        self.entry().written_in
    }

    /// Whether the reader itself warns of a first frame that shows the rest pose, with the line of it.
    pub fn reports_rest(self) -> bool {
        self.entry().reports_rest
    }

    /// The page of the documentation that describes the format, in the folder `docs`.
    pub fn page(self) -> Option<&'static str> {
        self.entry().page
    }

    /// Whether files of the format hold recordings of markers instead of a skeleton that moves.
    pub fn holds_markers(self) -> bool {
        self.entry().holds_markers
    }

    /// Whether recordings of markers can be written in the format.
    pub fn writes_markers(self) -> bool {
        self.entry().write_markers.is_some()
    }

    /// Whether files of the format state their unit and axes.
    pub fn states_space(self) -> bool {
        self.entry().states_space
    }

    /// Whether a search of folders for motion files takes files of the format.
    pub fn is_searched(self) -> bool {
        self.entry().searched
    }

    /// The second file that goes with each file, such as the ASF of an AMC.
    pub fn beside(self) -> Option<Beside> {
        self.entry().beside
    }

    /// The file that may be beside a file and says what its columns are: a reader takes it from
    /// [`ReadOptions::beside`](crate::ReadOptions::beside) by this name, behind the name of the file on the disk.
    pub fn sidecar(self) -> Option<&'static str> {
        match self.beside()? {
            Beside::Behind(extension) => Some(extension),
            Beside::Extension(_) => None,
        }
    }

    /// The extension of the file that has the skeleton of a motion in this format, where it is a file of its own.
    pub fn skeleton_beside(self) -> Option<&'static str> {
        match self.beside()? {
            Beside::Extension(extension) => Some(extension),
            Beside::Behind(_) => None,
        }
    }

    /// Whether a file of the format can hold several clips of one skeleton.
    pub fn holds_several_clips(self) -> bool {
        self.entry().write_clips.is_some()
    }

    /// Whether a file of the format that is read may hold several clips.
    pub fn reads_several_clips(self) -> bool {
        self.entry().reads_clips
    }

    /// Whether a file of the format holds meshes with their skins.
    pub fn holds_meshes(self) -> bool {
        self.entry().write_clips.is_some() && self.entry().holds.meshes
    }

    /// Whether a file of the format holds any numbers over time, such as weights of shapes, besides joints that move.
    pub fn holds_numbers(self) -> bool {
        let Entry { has_motion, holds, only_positions, only_own_numbers, holds_markers, holds_robot, .. } =
            self.entry();
        *has_motion
            && holds.scalars
            && !(*only_positions || *only_own_numbers || *holds_markers || *holds_robot)
    }

    /// Whether the scalar tracks of a file are weights of expressions, whose shapes are defined by a character file.
    pub fn holds_expressions(self) -> bool {
        self.entry().holds_expressions
    }

    /// Whether a file of the format holds several characters, each a tree of joints.
    pub fn holds_several_characters(self) -> bool {
        self.has_motion() && self.entry().holds.several
    }

    /// Whether lengths are written in metres, for any unit of the clip: an unknown unit has to be guessed.
    pub fn in_metres(self) -> bool {
        self.entry().in_metres
    }

    /// The files that a file of the format refers to, for [`ReadOptions::beside`](crate::ReadOptions::beside). Files
    /// that it includes may include others: they are listed once those that include them are `known`.
    ///
    /// # Errors
    /// Where the file cannot be understood, or needs a file of another place.
    pub fn files_beside(
        self,
        bytes: &[u8],
        known: &FilesBeside,
        limits: &Limits,
    ) -> Result<Vec<FileBeside>, ReadError> {
        self.entry().files_beside.map_or(Ok(Vec::new()), |list| list(bytes, known, limits))
    }

    /// The format of a file by its first lines; `None` where they fit no format.
    pub fn detect(bytes: &[u8]) -> Option<Format> {
        let (bytes, text) = Start::of_file(bytes)?;
        let start = Start::of(bytes, &text)?;
        Format::ALL.into_iter().find(|format| (format.entry().detect)(&start))
    }
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

/// What can be wrong with the choice of a format; all are errors.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum FormatProblem {
    #[error("unknown format: neither name nor content identifies it")]
    Unknown,
    #[error("the file is {known}, which is not read")]
    Foreign { known: Foreign },
    #[error("{reason}")]
    WriteOnly { reason: &'static str },
    #[error("{format} files can be read but not written")]
    ReadOnly { format: Format },
    #[error("the file contains a skeleton but no motion")]
    NoMotion,
    #[error("the file contains markers, which are points without a skeleton")]
    OnlyMarkers,
    #[error("{format} files do not hold markers")]
    NoMarkers { format: Format },
    #[error("{format} files hold one clip, there are {count}; --clip chooses one")]
    OneClip { format: Format, count: usize },
    #[error("{format} files contain a motion, but this is only a skeleton")]
    NeedsMotion { format: Format },
    #[error("{error}")]
    Scene { error: mocap_model::ModelError },
    #[error(
        "the clip is of another skeleton: joint {joint} of this file is '{expected}', of the clip '{found}'; names and \
         parents of joints must agree"
    )]
    OtherSkeleton { joint: usize, expected: String, found: String },
}

impl crate::Problem for FormatProblem {
    fn code(&self) -> &'static str {
        match self {
            FormatProblem::Unknown => "format::unknown",
            FormatProblem::Foreign { .. } => "format::other-program",
            FormatProblem::WriteOnly { .. } => "format::write-only",
            FormatProblem::ReadOnly { .. } => "format::read-only",
            FormatProblem::OnlyMarkers | FormatProblem::NoMarkers { .. } => "format::markers",
            FormatProblem::OneClip { .. } => "format::one-clip",
            FormatProblem::Scene { .. } => "scene::apart",
            FormatProblem::OtherSkeleton { .. } => "format::other-skeleton",
            FormatProblem::NoMotion | FormatProblem::NeedsMotion { .. } => "format::no-motion",
        }
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
    fn a_changed_motion_keeps_its_format_where_the_extension_is_shared() {
        assert_eq!(Format::Csv.as_read(Some(Format::UnitreeCsv)), Format::UnitreeCsv);
        assert_eq!(Format::Npz.as_read(Some(Format::MjlabNpz)), Format::MjlabNpz);
        assert_eq!(Format::Csv.as_read(Some(Format::Bvh)), Format::Csv);
        assert_eq!(Format::Csv.as_read(None), Format::Csv);
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
