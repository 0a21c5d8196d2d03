//! Bindings as people type them: `PROP@grip=CHARACTER@RightHand[,WHEN]`.

use std::str::FromStr;

use mocap_model::{FrameRange, text_values};

/// A bind point: a joint of someone or something in a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindPoint {
    /// The character, prop, tree of joints, or joint with all below it.
    pub who: String,
    /// The joint: its name or role. `None`: the first one.
    pub joint: Option<String>,
}

/// When something is bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// In all frames.
    Always,
    /// In these frames.
    In(FrameRange),
    /// As long as they are in contact.
    Contact,
}

/// What is bound to what, and when.
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    /// What moves.
    pub child: BindPoint,
    /// What it follows.
    pub parent: BindPoint,
    /// In which frames.
    pub when: Bound,
}

const FORM: &str = "expected PROP@POINT=CHARACTER@JOINT, then ,FROM:TO or ,auto";

impl FromStr for Binding {
    type Err = String;

    fn from_str(text: &str) -> Result<Binding, String> {
        let (child, parent) =
            text.split_once('=').ok_or_else(|| format!("'{text}' names no parent: {FORM}"))?;
        let (parent, when) = match parent.rsplit_once(',') {
            None => (parent, Bound::Always),
            Some((parent, "auto")) => (parent, Bound::Contact),
            Some((parent, range)) => {
                let range = range.parse().map_err(|error| format!("'{range}': {error}; or auto"))?;
                (parent, Bound::In(range))
            }
        };
        Ok(Binding { child: child.parse()?, parent: parent.parse()?, when })
    }
}

impl FromStr for BindPoint {
    type Err = String;

    fn from_str(text: &str) -> Result<BindPoint, String> {
        let (who, joint) = match text.split_once('@') {
            Some((who, joint)) => (who.trim(), Some(joint.trim())),
            None => (text.trim(), None),
        };
        if who.is_empty() || joint.is_some_and(str::is_empty) {
            return Err(format!("'{text}' is not a bind point: {FORM}"));
        }
        Ok(BindPoint { who: who.to_owned(), joint: joint.map(str::to_owned) })
    }
}

/// `SWORD@grip`.
impl std::fmt::Display for BindPoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.joint {
            Some(joint) => write!(f, "{}@{joint}", self.who),
            None => f.write_str(&self.who),
        }
    }
}

/// How a prop is held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HoldAs {
    /// With the offset between both bind points in the first bound frame.
    #[default]
    Grasped,
    /// Bind point on bind point, with their axes aligned.
    Snapped,
}

impl FromStr for HoldAs {
    type Err = String;

    fn from_str(text: &str) -> Result<HoldAs, String> {
        match text {
            "grasped" => Ok(HoldAs::Grasped),
            "snap" => Ok(HoldAs::Snapped),
            _ => Err(format!("'{text}' is not grasped or snap")),
        }
    }
}

text_values! {
    Binding "PROP@POINT=CHARACTER@JOINT, then ,FROM:TO or ,auto";
    HoldAs "grasped or snap";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bindings_are_read_from_text() {
        let read: Binding = "sword@grip=Alice@RightHand,10:20".parse().unwrap();
        assert_eq!(read.child, BindPoint { who: "sword".into(), joint: Some("grip".into()) });
        assert_eq!(read.parent.to_string(), "Alice@RightHand");
        assert_eq!(read.when, Bound::In("10:20".parse().unwrap()));
        let read: Binding = "box=Alice@LeftHand,auto".parse().unwrap();
        assert_eq!((read.child.joint, read.when), (None, Bound::Contact));
        assert_eq!("a=b@c".parse::<Binding>().unwrap().when, Bound::Always);
        for wrong in ["", "a", "a@=b", "=b", "a=", "a=b,", "a=b,20:10", "a=b,now"] {
            assert!(wrong.parse::<Binding>().is_err(), "{wrong}");
        }
    }
}
