//! Root motion as a curve, and its files.

use std::fmt::Write as _;
use std::str::FromStr;

use mocap_model::{Isometry3, UnitQuaternion, Vector3};
use nalgebra::{Translation3, Unit};
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::EditError;

/// The parts of the root motion that stay in the body.
///
/// ```
/// let keep: mocap_edit::Keep = "height,turn".parse()?;
/// assert!(keep.height && keep.turn);
/// assert_eq!(keep.to_string(), "height,turn");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Keep {
    /// The height of the hips stays in the body. Default: true.
    pub height: bool,
    /// The turn about the up axis stays in the body. Default: false.
    pub turn: bool,
}

impl Default for Keep {
    fn default() -> Keep {
        Keep { height: true, turn: false }
    }
}

impl FromStr for Keep {
    type Err = String;

    fn from_str(text: &str) -> Result<Keep, String> {
        let mut keep = Keep { height: false, turn: false };
        if text == "none" {
            return Ok(keep);
        }
        for part in text.split(',') {
            match part.trim() {
                "height" => keep.height = true,
                "turn" => keep.turn = true,
                other => return Err(format!("'{other}' is not height, turn or none")),
            }
        }
        Ok(keep)
    }
}

/// From text, or from the object in files of curves.
impl<'de> Deserialize<'de> for Keep {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Keep, D::Error> {
        struct Typed;
        impl<'de> Visitor<'de> for Typed {
            type Value = Keep;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("height, turn, both with a comma, or none")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Keep, E> {
                text.parse().map_err(E::custom)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Keep, A::Error> {
                #[derive(Deserialize)]
                struct Fields {
                    height: bool,
                    turn: bool,
                }
                let Fields { height, turn } = Fields::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Keep { height, turn })
            }
        }
        deserializer.deserialize_any(Typed)
    }
}

impl std::fmt::Display for Keep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kept = [(self.height, "height"), (self.turn, "turn")];
        let kept: Vec<&str> = kept.into_iter().filter(|(kept, _)| *kept).map(|(_, name)| name).collect();
        f.write_str(if kept.is_empty() { "none" } else { "" })?;
        f.write_str(&kept.join(","))
    }
}

/// The motion of a root over the ground: its position and heading in each frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RootCurve {
    /// Frames per second.
    pub fps: f64,
    /// The up axis, as a unit vector.
    pub up: [f64; 3],
    /// The length of a unit \[m\], if it is stated or can be inferred from the size of the body.
    #[serde(default)]
    pub metres: Option<f64>,
    /// What stays in the body.
    pub keep: Keep,
    /// One per frame \[units of the clip\]: on the ground, or with the change of height since the
    /// first frame where height does not stay in the body.
    pub positions: Vec<[f64; 3]>,
    /// One per frame, about the up axis \[rad\].
    pub headings: Vec<f64>,
}

/// The first line of a root curve as CSV.
const COLUMNS: &str = "frame,time,x,y,z,heading_rad";

impl RootCurve {
    /// The number of frames.
    pub fn frames(&self) -> usize {
        self.positions.len()
    }

    /// The transform of the root in a frame.
    ///
    /// # Panics
    /// If the frame does not exist.
    pub fn placement(&self, frame: usize) -> Isometry3<f64> {
        let up = Unit::new_normalize(Vector3::from(self.up));
        let turn = UnitQuaternion::from_axis_angle(&up, self.headings[frame]);
        Isometry3::from_parts(Translation3::from(Vector3::from(self.positions[frame])), turn)
    }

    /// As CSV: a line with up axis, rate, what stays in the body and the unit, then
    /// `frame,time,x,y,z,heading_rad`; every number reads back exactly.
    pub fn to_csv(&self) -> String {
        let [x, y, z] = self.up;
        let unit = self.metres.map(|metres| format!(", metres {metres}")).unwrap_or_default();
        let mut text = format!("# up {x} {y} {z}, fps {}, keep {}{unit}\n{COLUMNS}\n", self.fps, self.keep);
        for (frame, ([x, y, z], heading)) in self.positions.iter().zip(&self.headings).enumerate() {
            let time = frame as f64 / self.fps;
            writeln!(text, "{frame},{time},{x},{y},{z},{heading}").expect("a string takes all");
        }
        text
    }

    /// As JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("numbers and names") + "\n"
    }

    /// Reads CSV or JSON as written by [`RootCurve::to_csv`] and [`RootCurve::to_json`].
    ///
    /// # Errors
    /// With the line where the text is not a root curve; where a value is not finite, or no frame rate above 0 is
    /// stated.
    pub fn parse(text: &str) -> Result<RootCurve, EditError> {
        let curve = match text.trim_start().starts_with('{') {
            true => serde_json::from_str(text).map_err(|error| EditError::Table {
                what: "root curve",
                line: error.line(),
                reason: error.to_string(),
            })?,
            false => RootCurve::parse_csv(text)?,
        };
        let RootCurve { fps, positions, headings, up, .. } = &curve;
        let wrong = |reason: &str| Err(EditError::Curve { reason: reason.into() });
        if positions.len() != headings.len() {
            return wrong("the number of headings is not that of positions");
        }
        if !positions.iter().flatten().chain(headings).all(|value| value.is_finite()) {
            return wrong("a value is not a number");
        }
        if !up.iter().all(|value| value.is_finite()) || Vector3::from(*up).norm() < 0.5 {
            return wrong("the up axis has no direction");
        }
        if curve.metres.is_some_and(|metres| !(metres.is_finite() && metres > 0.0)) {
            return wrong("the length of its unit must be above 0");
        }
        if !(fps.is_finite() && *fps > 0.0) {
            return wrong("it states no frame rate above 0; in CSV a line such as '# fps 30' states it");
        }
        Ok(curve)
    }

    fn parse_csv(text: &str) -> Result<RootCurve, EditError> {
        let mut curve = RootCurve {
            fps: f64::NAN,
            up: [0.0, 1.0, 0.0],
            metres: None,
            keep: Keep::default(),
            positions: Vec::new(),
            headings: Vec::new(),
        };
        for (at, line) in text.lines().enumerate() {
            let wrong = |reason: String| EditError::Table { what: "root curve", line: at + 1, reason };
            let line = line.trim();
            if let Some(comment) = line.strip_prefix('#') {
                for part in comment.split(", ") {
                    match part.trim().split_once(' ') {
                        Some(("up", axis)) => {
                            let axis: Vec<f64> = axis.split(' ').filter_map(|v| v.parse().ok()).collect();
                            curve.up =
                                axis.try_into().map_err(|_| wrong("the up axis has three values".into()))?;
                        }
                        Some(("fps", fps)) => curve.fps = fps.parse().unwrap_or(f64::NAN),
                        Some(("metres", unit)) => curve.metres = Some(unit.parse().unwrap_or(f64::NAN)),
                        Some(("keep", keep)) => curve.keep = keep.parse().map_err(wrong)?,
                        _ => {}
                    }
                }
                continue;
            }
            if line.is_empty() || line == COLUMNS {
                continue;
            }
            let values: Result<Vec<f64>, _> = line.split(',').map(|cell| cell.trim().parse()).collect();
            match values.as_deref() {
                Ok([_, _, x, y, z, heading]) => {
                    curve.positions.push([*x, *y, *z]);
                    curve.headings.push(*heading);
                }
                _ => return Err(wrong(format!("expected {COLUMNS}, found '{line}'"))),
            }
        }
        Ok(curve)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_read_back_to_the_bit() {
        let curve = RootCurve {
            fps: 30000.0 / 1001.0,
            up: [0.0, 0.0, 1.0],
            metres: Some(0.01),
            keep: Keep { height: false, turn: true },
            positions: vec![[0.1, -2.0 / 3.0, 1e-17], [3.0, 4.0, 5.5]],
            headings: vec![0.1 + 0.2, -7.0],
        };
        assert_eq!(RootCurve::parse(&curve.to_csv()).unwrap(), curve);
        assert_eq!(RootCurve::parse(&curve.to_json()).unwrap(), curve);
        let unknown = RootCurve { metres: None, ..curve };
        assert_eq!(RootCurve::parse(&unknown.to_csv()).unwrap(), unknown);
    }

    #[test]
    fn what_is_no_curve_is_refused_with_its_line() {
        let line = |text: &str| match RootCurve::parse(text) {
            Err(EditError::Table { line, .. }) => line,
            other => panic!("{other:?}"),
        };
        assert_eq!(line("frame,time,x,y,z,heading_rad\n0,0,1,2\n"), 2);
        assert_eq!(line("{\n\"fps\": 3\n}"), 3);
        assert!(RootCurve::parse("# fps 30\n0,0,NaN,0,0,0").is_err());
        for unit in ["0", "-1", "inf", "cm"] {
            let error = RootCurve::parse(&format!("# fps 30, metres {unit}\n0,0,0,0,0,0")).unwrap_err();
            assert!(error.to_string().contains("unit"), "{unit}: {error}");
        }
        for fps in ["", "# fps 0\n", "# fps -30\n", "# fps inf\n", "# fps fast\n"] {
            let error = RootCurve::parse(&format!("{fps}0,0,0,0,0,0")).unwrap_err();
            assert!(error.to_string().contains("frame rate"), "{fps}: {error}");
        }
        assert_eq!(RootCurve::parse("# fps 30\n0,0,0,0,0,0").unwrap().fps, 30.0);
    }
}
