//! Files of other programs that are recognised by their start but not read: what they are, and how to convert them.

use std::fmt;

use crate::entry::Start;

/// Start of a Git LFS pointer: the file itself was not downloaded.
pub const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// A kind of file that is recognised, but not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// What the file is.
    pub what: &'static str,
    /// How to convert its motion to a format that is read.
    pub way: &'static str,
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.what)
    }
}

/// Whether a file starts as one of a kind does.
type Starts = fn(&Start) -> bool;

/// What a mesh is good for.
const OF_MESH: &str =
    "`mocap rig` makes a character of the mesh of a body; for a prop, import it in Blender and export glTF";

/// Detection of each kind by the start of a file, and its description.
const KNOWN: [(Starts, Foreign); 21] = [
    (
        |start| start.bytes.starts_with(b"mocapidx"),
        Foreign {
            what: "an index of motions, which `mocap index` made",
            way: "`mocap find QUERY FILE` searches it, `mocap info FILE` says what it holds",
        },
    ),
    (
        |start| start.bytes.starts_with(b"MOCAPPOS"),
        Foreign {
            what: "example poses, which `mocap poses` made",
            way: "options called --poses take it, `mocap info FILE` says what it holds",
        },
    ),
    (
        |start| start.bytes.starts_with(LFS_POINTER),
        Foreign {
            what: "a Git LFS pointer: a few lines that stand for a file which was not downloaded",
            way: "`git lfs pull` in its repository downloads the file",
        },
    ),
    (
        |start| start.is_xml_with("<COLLADA"),
        Foreign { what: "a COLLADA scene (.dae)", way: "import it in Blender, and export FBX or glTF" },
    ),
    (
        |start| start.is_xml_with("<mvnx"),
        Foreign {
            what: "a recording of Xsens (.mvnx)",
            way: "export BVH, FBX or C3D from MVN: each has the same motion",
        },
    ),
    (
        |start| start.bytes.starts_with(b"Ogawa") || start.bytes.starts_with(b"\x89HDF\r\n\x1a\n"),
        Foreign {
            what: "Alembic (.abc) or another HDF5 file: places of vertices without joints",
            way: "export FBX, glTF or BVH from the program that made it",
        },
    ),
    (
        |start| start.bytes.starts_with(b"PXR-USDC"),
        Foreign {
            what: "a binary USD file (.usdc, .usd)",
            way: "import it in Blender and export glTF or FBX; USD is written, not read",
        },
    ),
    (
        // The first file of the archive is the scene.
        |start| {
            let front = &start.bytes[..start.bytes.len().min(256)];
            front.starts_with(b"PK\x03\x04") && front.windows(4).any(|letters| letters == b".usd")
        },
        Foreign {
            what: "a packed USD scene (.usdz)",
            way: "import it in Blender and export glTF or FBX; USD is written, not read",
        },
    ),
    (
        |start| {
            start.has_letters(b"endheader") && (start.has_word("nColumns=") || start.has_word("datacolumns"))
        },
        Foreign {
            what: "a table of OpenSim (.mot, .sto): values over time of a model that is in another file",
            way: "give the markers (.trc or .c3d) that it was computed from, or convert it in OpenSim",
        },
    ),
    (
        |start| {
            start.word.starts_with(b"{")
                // A key, not the name of a node of glTF.
                && start.has_letters(b"\"actors\":")
                && start.has_letters(b"\"scene\"")
        },
        Foreign { what: "JSON of Rokoko: actors by frame", way: "export BVH or FBX from Rokoko Studio" },
    ),
    (
        |start| start.first.starts_with(b"Format Version,"),
        Foreign {
            what: "a table of OptiTrack Motive (.csv)",
            way: "export C3D or TRC for markers, BVH or FBX for a skeleton",
        },
    ),
    (
        |start| start.bytes.starts_with(b"Trajectories") || start.bytes.starts_with(b"Model Outputs"),
        Foreign {
            what: "a table of Vicon Nexus (.csv)",
            way: "export C3D for markers, FBX or ASF/AMC for a skeleton",
        },
    ),
    (
        |start| start.is_marker_table(),
        Foreign {
            what: "a table of points over time without a skeleton (.csv)",
            way: "markers are read as C3D, TRC or NPZ",
        },
    ),
    (
        |start| start.bytes.starts_with(b"Vocaloid Motion Data"),
        Foreign {
            what: "a motion of MikuMikuDance (.vmd)",
            way: "import it in Blender, and export FBX or glTF",
        },
    ),
    (
        |start| start.bytes.starts_with(b"BLENDER"),
        Foreign { what: "a Blender scene (.blend)", way: "export FBX, glTF or BVH from Blender" },
    ),
    (
        |start| start.bytes.starts_with(b"[Header]") && start.has_word("HTR"),
        Foreign { what: "a file of Motion Analysis (.htr)", way: "export BVH, C3D or TRC" },
    ),
    (
        |start| {
            start.bytes.starts_with(b"vrml ")
                || start.bytes.starts_with(b"#VRML")
                || start.is_xml_with("<X3D")
        },
        Foreign { what: "a VRML or X3D scene", way: "import it in Blender, and export FBX or glTF" },
    ),
    (|start| start.is_obj(), Foreign { what: "a mesh without joints (.obj)", way: OF_MESH }),
    (
        |start| start.word == b"ply" || start.word == b"solid" && start.has_letters(b"facet"),
        Foreign { what: "a mesh without joints (.ply, .stl)", way: OF_MESH },
    ),
    (
        |start| start.bytes.starts_with(b"\x1f\x8b"),
        Foreign { what: "a gzip archive", way: "unpack it first" },
    ),
    (
        |start| start.bytes.starts_with(b"7z\xbc\xaf\x27\x1c") || start.bytes.starts_with(b"Rar!"),
        Foreign { what: "an archive", way: "unpack it first" },
    ),
];

/// The kind of a file that is recognised but not read; `None` for all others.
///
/// ```
/// let found = mocap_formats::foreign(b"PXR-USDC").unwrap();
/// assert!(found.what.contains("USD") && found.way.contains("Blender"));
/// assert_eq!(mocap_formats::foreign(b"HIERARCHY"), None);
/// ```
pub fn foreign(bytes: &[u8]) -> Option<Foreign> {
    let (bytes, text) = Start::of_file(bytes)?;
    let start = Start::of(bytes, &text)?;
    KNOWN.iter().find(|(is, _)| is(&start)).map(|(_, known)| *known)
}

impl Start<'_> {
    /// Whether the bytes have these letters.
    fn has_letters(&self, letters: &[u8]) -> bool {
        memchr::memmem::find(self.text, letters).is_some()
    }

    /// Whether the text is XML with a tag.
    fn is_xml_with(&self, tag: &str) -> bool {
        self.word.starts_with(b"<") && self.has_letters(tag.as_bytes())
    }

    /// Whether the text is a Wavefront OBJ: its first line has one of the usual keywords, and there are vertices.
    fn is_obj(&self) -> bool {
        const KEYWORDS: [&[u8]; 8] = [b"v", b"vn", b"vt", b"o", b"g", b"s", b"mtllib", b"usemtl"];
        let is_vertex = |line: &[u8]| {
            let Some(numbers) = line.trim_ascii().strip_prefix(b"v ") else { return false };
            let numbers = String::from_utf8_lossy(numbers);
            numbers.split_ascii_whitespace().filter(|word| word.parse::<f64>().is_ok()).count() >= 3
        };
        KEYWORDS.contains(&self.word) && self.text.split(|byte| *byte == b'\n').any(is_vertex)
    }

    /// Whether the text is a table with three columns for each of several points: `LASI_x,LASI_y,LASI_z`, or `LASI:X`.
    fn is_marker_table(&self) -> bool {
        // A robot's table may have joints named after axes.
        if crate::robot_motion::has_header(self.first) {
            return false;
        }
        let Ok(head) = std::str::from_utf8(self.first) else { return false };
        let columns: Vec<String> =
            head.split([',', ';', '\t']).map(|name| name.trim().to_lowercase()).collect();
        let axis = |name: &str| {
            let (point, axis) = name.split_at_checked(name.len().checked_sub(2)?)?;
            let sign = axis.starts_with(['_', ':', '.', ' ', '-']);
            (sign && !point.is_empty()).then(|| (point.to_owned(), axis.as_bytes()[1]))
        };
        let named: Vec<(String, u8)> = columns.iter().filter_map(|name| axis(name)).collect();
        let points = named.windows(3).filter(|three| {
            three[0].0 == three[1].0
                && three[1].0 == three[2].0
                && three.iter().map(|(_, axis)| *axis).eq([b'x', b'y', b'z'])
        });
        points.count() >= 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, FormatProblem, ReadOptions, read};

    #[test]
    fn files_of_other_programs_are_named_with_the_way_out() {
        let files: [(&[u8], &str); 18] = [
            (b"# Blender\nmtllib box.mtl\no Box\nv 1 0 -1\nv 0 0 1\n", "mesh without joints (.obj)"),
            (b"ply\nformat ascii 1.0\n", "mesh without joints"),
            (b"solid box\nfacet normal 0 0 1\n", "mesh without joints"),
            (b"mocapidx\x01\0\0\0", "index of motions"),
            (b"MOCAPPOS\x01\0", "example poses"),
            (b"<?xml version=\"1.0\"?>\n<COLLADA xmlns=\"\">", "COLLADA"),
            (b"<?xml version=\"1.0\"?>\n<mvnx version=\"4\">", "Xsens"),
            (b"Ogawa\xff\x00", "Alembic"),
            (b"PXR-USDC\0\0", "USD"),
            (b"PK\x03\x04\x0a\0\0\0\0\0\0\0\0\0walk.usdc", "packed USD"),
            (
                b"Coordinates\nversion=1\nnRows=2\nnColumns=3\ninDegrees=yes\nendheader\ntime\ta\tb\n",
                "OpenSim",
            ),
            (b"name x\ndatacolumns 2\ndatarows 2\nendheader\ntime v\n", "OpenSim"),
            (b"{\"version\":\"3.0\",\"fps\":60,\"scene\":{\"frames\":[{\"actors\":[]}]}}", "Rokoko"),
            (b"Format Version,1.23,Take Name,walk\n", "Motive"),
            (b"Trajectories\n100\n", "Vicon"),
            (b"time,LASI_x,LASI_y,LASI_z,RASI_x,RASI_y,RASI_z\n0,1,2,3,4,5,6\n", "table of points"),
            (b"Vocaloid Motion Data 0002", "MikuMikuDance"),
            (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n", "Git LFS"),
        ];
        for (bytes, what) in files {
            // Also where the extension is that of another format.
            for format in [None, Some(Format::Json), Some(Format::Csv), Some(Format::Npz)] {
                let options = ReadOptions { format, ..ReadOptions::default() };
                let error = *read(bytes, &options).unwrap_err().error;
                let found = error.problem_as::<FormatProblem>();
                assert!(matches!(found, Some(FormatProblem::Foreign { .. })), "{what}: {error}");
                assert!(error.to_string().contains(what), "{error}");
            }
        }
    }

    #[test]
    fn files_that_are_read_are_not_foreign() {
        let files: [&[u8]; 5] = [
            b"HIERARCHY\nROOT Hips",
            b"frame,time,joint,x,y,z\n0,0,Hips,1,2,3",
            b"{\"asset\":{\"version\":\"2.0\"},\"scene\":0}",
            b"PK\x03\x04\x0a\0\0\0\0\0rotations.npy",
            b"<robot name=\"a\">",
        ];
        for bytes in files {
            assert_eq!(foreign(bytes), None);
        }
    }
}
