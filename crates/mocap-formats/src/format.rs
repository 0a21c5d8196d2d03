//! The table of formats: which there are, and which one a file is in, by its extension or by its content.
//!
//! A new format is one folder, with its [`Entry`], and one line here.

use std::fmt;
use std::str::FromStr;

use crate::entry::{Entry, Start};
use crate::gltf::{glb, text as gltf};
use crate::robot::{mjcf, urdf};
use crate::robot_motion::{gmr_npz, gmr_pkl, isaac_npz, mjlab_npz, robot_csv, unitree_csv};
use crate::{
    Beside, FileBeside, FilesBeside, Limits, Rejected, amc, asf, bvh, c3d, csv, fbx, json, npz, safetensors,
    skel, smpl, text, trc, usd,
};

/// Makes the enum and the table from one line per format.
macro_rules! formats {
    ($($format:ident from $folder:ident: $about:literal,)+) => {
        /// A file format.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Format {
            $(#[doc = $about] $format,)+
        }

        /// How many formats there are.
        const COUNT: usize = [$($about),+].len();

        /// By format: its entry in the table, and what a file holds.
        static TABLE: [(&Entry, &str); COUNT] = [$((&$folder::FORMAT, $about)),+];

        impl Format {
            /// All formats, in the order of their declaration.
            pub const ALL: [Format; COUNT] = [$(Format::$format),+];
        }
    };
}

formats! {
    Bvh from bvh: "Biovision hierarchy: a skeleton and its motion",
    Asf from asf: "Acclaim skeleton file",
    Amc from amc: "Acclaim motion capture data: the motion of an ASF skeleton",
    Skel from skel: "This project's skeleton file: joints, roles, limits, chains",
    Csv from csv: "Object-space positions: one row per frame and joint",
    Json from json: "A clip with everything it holds, as JSON",
    Npz from npz: "A clip as numpy arrays: rotations, positions, velocities, contacts",
    Safetensors from safetensors: "The same arrays as safetensors",
    Smpl from smpl: "The motion of an SMPL body, as AMASS has it",
    C3d from c3d: "Markers of an optical system, with gaps",
    Trc from trc: "Markers as a table of text",
    Glb from glb: "glTF 2.0 in one file: skeleton, clips, skinned body",
    Gltf from gltf: "glTF 2.0 as JSON, read with the files beside it",
    Fbx from fbx: "Autodesk FBX: nodes, skins and animation stacks",
    Usda from usd: "USD as text: skeleton, clips, skinned body",
    Urdf from urdf: "Unified Robot Description Format: the bodies and joints of a robot",
    Mjcf from mjcf: "A robot in the XML of MuJoCo, read with the files that it includes",
    UnitreeCsv from unitree_csv: "The motion of a robot as Unitree has it: base and joints, one row per frame",
    RobotCsv from robot_csv: "The motion of a robot: time, base and joints, with a header",
    MjlabNpz from mjlab_npz: "The motion of a robot for mjlab and BeyondMimic: joints and bodies with speeds",
    IsaacNpz from isaac_npz: "The motion of a robot for AMP in Isaac Lab: joints and bodies with speeds",
    GmrNpz from gmr_npz: "The motion of a robot as GMR has it: base and joints as arrays",
    GmrPkl from gmr_pkl: "The same dictionary as a pickle, written only",
}

/// How much of a file [`Format::detect`] looks at \[bytes\].
const LOOKED_AT: usize = 64 * 1024;

impl Format {
    /// What the table knows about it.
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

    /// The format of a changed motion whose name means this one: that of the file which was read, where that is written
    /// under the same extension. A robot's table that is edited stays one, though `.csv` usually means positions.
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
        self.holds_robot() || matches!(self, Format::Npz | Format::Smpl)
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

    /// Whether a file of the format can hold several clips of one skeleton.
    pub fn holds_several_clips(self) -> bool {
        self.entry().write_clips.is_some()
    }

    /// Whether a file of the format that is read may hold several clips.
    pub fn reads_several_clips(self) -> bool {
        self.entry().reads_clips
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
    ) -> Result<Vec<FileBeside>, Rejected> {
        self.entry().files_beside.map_or(Ok(Vec::new()), |list| list(bytes, known, limits))
    }

    /// The format of a file by its first lines; `None` where they fit no format.
    pub fn detect(bytes: &[u8]) -> Option<Format> {
        let bytes = &bytes[..bytes.len().min(LOOKED_AT)];
        let text = text::decode(bytes);
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
}

impl crate::Problem for FormatProblem {
    fn code(&self) -> &'static str {
        match self {
            FormatProblem::Unknown => "format::unknown",
            FormatProblem::WriteOnly { .. } => "format::write-only",
            FormatProblem::ReadOnly { .. } => "format::read-only",
            FormatProblem::OnlyMarkers | FormatProblem::NoMarkers { .. } => "format::markers",
            FormatProblem::OneClip { .. } => "format::one-clip",
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
