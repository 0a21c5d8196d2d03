//! Serde and JSON Schema for values that users type: a flag takes them as text, files and programs as text or as a
//! number.

use std::fmt::Display;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::Deserializer;
use serde::de::{Error, Visitor};

use crate::{
    EulerOrder, Factor, Finite, FrameRange, FrameRate, Length, LengthAboveZero, Seconds, SignedAxis,
    UnitLength,
};

/// Reads a value from its text; a number is read as its text.
///
/// # Errors
/// Where the text is not such a value, with the reason that its [`FromStr`] gives.
pub fn from_text<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    deserializer.deserialize_any(Typed(PhantomData))
}

struct Typed<T>(PhantomData<T>);

impl<T: FromStr<Err: Display>> Visitor<'_> for Typed<T> {
    type Value = T;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a text or a number")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(|why| E::custom(format!("'{text}': {why}")))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }
}

/// Lets serde read types with [`FromStr`](std::str::FromStr) from text or numbers, and describes them in JSON Schema:
/// `text_values!(MyRange "a range A:B";)`.
#[macro_export]
macro_rules! text_values {
    ($($kind:ident $about:literal;)+) => {$(
        impl<'de> serde::Deserialize<'de> for $kind {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$kind, D::Error> {
                $crate::from_text(deserializer)
            }
        }

        impl schemars::JsonSchema for $kind {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($kind).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "type": ["string", "number"], "title": stringify!($kind), "description": $about
                })
            }
        }
    )+};
}

text_values! {
    EulerOrder "an order of three axes, such as ZXY";
    Factor "a number above 0";
    Finite "a number";
    FrameRange "frames from 0 (10:250) or seconds (0.5s:2s), end excluded; open (1:)";
    FrameRate "frames per second, above 0";
    Length "metres from 0, or with a unit: 1mm";
    LengthAboveZero "metres above 0, or with a unit: 1mm";
    Seconds "seconds from 0, with or without their unit: 0.33s";
    SignedAxis "X, Y, Z, -X, -Y or -Z";
    UnitLength "m, cm, mm, in, ft, cmu, or metres per unit";
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde::de::IntoDeserializer;
    use serde::de::value::{Error, F64Deserializer, StrDeserializer, U64Deserializer};

    use super::*;

    #[test]
    fn a_number_stands_for_its_text() {
        let text: StrDeserializer<'_, Error> = "29.97".into_deserializer();
        let number: F64Deserializer<Error> = 29.97.into_deserializer();
        assert_eq!(FrameRate::deserialize(text), FrameRate::deserialize(number));
        let whole: U64Deserializer<Error> = 30u64.into_deserializer();
        assert_eq!(FrameRate::deserialize(whole).unwrap().fps(), 30.0);
        let wrong: StrDeserializer<'_, Error> = "fast".into_deserializer();
        assert!(FrameRate::deserialize(wrong).unwrap_err().to_string().starts_with("'fast': "));
    }
}
