//! Files of other programs that are called `.skel` or look like a skeleton.

/// The program or kind of file, where it is known not to be JSON of this program.
pub(crate) fn recognise(bytes: &[u8]) -> Option<&'static str> {
    let text = bytes.trim_ascii_start();
    let start = &text[..text.len().min(4096)];
    let holds =
        |word: &str| start.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word.as_bytes()));
    if start.starts_with(b"<") {
        return Some(match () {
            () if holds("<bones") || holds("<bonehierarchy") => "a skeleton of OGRE in XML",
            () if holds("XSF") || holds("numbones") => "a skeleton of Cal3D in XML (XSF)",
            () if holds("collada") => "a COLLADA file",
            () => "an XML file of another program",
        });
    }
    if start.starts_with(b"CSF\0") {
        return Some("a binary skeleton of Cal3D (CSF)");
    }
    if start.starts_with(b"[Serializer_v") || bytes.starts_with(b"\x00\x10[Serializer_v") {
        return Some("a binary skeleton of OGRE");
    }
    if start.starts_with(b"{") && holds("\"spine\":") && !holds("\"mocap-") {
        return Some("a skeleton of Spine in JSON");
    }
    if start.len() >= 9 && start[..9].eq_ignore_ascii_case(b"HIERARCHY") {
        return Some("a BVH file");
    }
    if start.starts_with(b":") || (start.starts_with(b"#") && holds(":bonedata")) {
        return Some("an Acclaim file (ASF or AMC)");
    }
    // Spine's binary files start with a hash and a version as counted strings, such as 4.1.23.
    let version = |text: &[u8]| {
        text.windows(4).any(|part| {
            part[0].is_ascii_digit() && part[1] == b'.' && part[2].is_ascii_digit() && part[3] == b'.'
        })
    };
    if start.iter().take(64).any(|&byte| byte < 9) {
        return Some(match version(&start[..start.len().min(64)]) {
            true => "a binary skeleton of Spine",
            false => "a binary file",
        });
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_other_programs_are_named() {
        let ogre = b"<?xml version=\"1.0\"?>\n<skeleton>\n <bones>\n  <bone id=\"0\" name=\"root\">";
        assert_eq!(recognise(ogre), Some("a skeleton of OGRE in XML"));
        let cal3d = b"<HEADER MAGIC=\"XSF\" VERSION=\"900\"/><SKELETON NUMBONES=\"3\">";
        assert_eq!(recognise(cal3d), Some("a skeleton of Cal3D in XML (XSF)"));
        assert_eq!(recognise(b"<a/>"), Some("an XML file of another program"));
        assert_eq!(recognise(b"CSF\0\x01"), Some("a binary skeleton of Cal3D (CSF)"));
        assert_eq!(recognise(b"\x00\x10[Serializer_v1.80]\n"), Some("a binary skeleton of OGRE"));
        assert_eq!(recognise(b"\x1cL3VZ0Cz2Uk\x073.8.99\x00\x00"), Some("a binary skeleton of Spine"));
        assert_eq!(
            recognise(b"{\"skeleton\":{\"hash\":\"x\",\"spine\":\"4.1\"}}"),
            Some("a skeleton of Spine in JSON")
        );
        assert_eq!(recognise(b"HIERARCHY\nROOT"), Some("a BVH file"));
        assert_eq!(recognise(b"{ \"format\": \"mocap-skel\" }"), None);
        // A joint may have the name.
        assert_eq!(recognise(b"{ \"joints\": [{ \"name\": \"spine\" }] }"), None);
        assert_eq!(recognise(b""), None);
    }
}
