//! Settings that a pipeline states as text or number: parsed by the same [`FromStr`] as the flag of that name.

use std::fmt::Display;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, de};

/// A value parsed from its text.
pub(crate) fn one<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    parse(<&str>::deserialize(deserializer)?)
}

/// The same for an optional value.
pub(crate) fn option<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    one(deserializer).map(Some)
}

/// A time, with or without a unit.
pub(crate) fn seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let text = <&str>::deserialize(deserializer)?;
    super::seconds::seconds(text).map_err(|why| de::Error::custom(format!("'{text}': {why}")))
}

/// The same for an optional value.
pub(crate) fn optional_seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    seconds(deserializer).map(Some)
}

/// One value, or a list of them.
pub(crate) fn list<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    Ok(Vec::<Item<T>>::deserialize(deserializer)?.into_iter().map(|item| item.0).collect())
}

/// The same; a text may hold several values with commas.
pub(crate) fn comma_list<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    Ok(Vec::<Items<T>>::deserialize(deserializer)?.into_iter().flat_map(|items| items.0).collect())
}

fn parse<T: FromStr<Err: Display>, E: de::Error>(text: &str) -> Result<T, E> {
    text.parse().map_err(|why| E::custom(format!("'{text}': {why}")))
}

/// An item of a list, so that errors are reported at the item.
struct Item<T>(T);

struct Items<T>(Vec<T>);

impl<'de, T: FromStr<Err: Display>> Deserialize<'de> for Item<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Item<T>, D::Error> {
        one(deserializer).map(Item)
    }
}

impl<'de, T: FromStr<Err: Display>> Deserialize<'de> for Items<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Items<T>, D::Error> {
        <&str>::deserialize(deserializer)?.split(',').map(parse).collect::<Result<_, _>>().map(Items)
    }
}

#[cfg(test)]
mod tests {
    use mocap_toml::{Text, TomlError, TomlProblem, settings};

    use crate::options::{CompressStep, Reading};

    fn text_of(text: &str) -> Text {
        Text::new("test.toml", text.into()).unwrap()
    }

    fn read(toml: &str) -> Result<Reading, TomlError> {
        let text = text_of(toml);
        settings(&text, "a read step", &text.parse()?)
    }

    #[test]
    fn tables_are_read_as_the_command_line_is() {
        let reading = read("input-fps = 59.94\ninput-unit = 'cm'\nrepair = true\nstrict = false\n").unwrap();
        assert_eq!(reading.input_fps.unwrap().fps(), 59.94);
        assert_eq!(reading.input_unit.unwrap().0, 0.01);
        assert!(reading.repair && !reading.strict);
        // An axis that begins with a sign.
        assert_eq!(read("input-up = '-Z'").unwrap().input_up.unwrap().to_string(), "-Z");
        // The value of a variable is text.
        assert!(read("repair = 'true'\nstrict = 'false'\n").unwrap().repair);
    }

    #[test]
    fn mistakes_are_shown_where_they_are() {
        let wrong = |toml: &str| {
            let error = read(toml).unwrap_err();
            (error.code(), error.place().unwrap(), error.message, error.help.unwrap_or_default())
        };
        let (code, place, _, help) = wrong("repair = true\ninput-unti = 'cm'\n");
        assert_eq!((code, place, help.as_str()), ("toml::unknown-key", (2, 1), "did you mean 'input-unit'?"));
        let (code, place, message, _) = wrong("input-unit = 'yard'\n");
        assert_eq!((code, place), ("toml::value", (1, 14)));
        assert!(message.contains("a unit is one of m, cm"), "{message}");
        let (_, place, message, help) = wrong("asf-units = 'cmuu'\n");
        assert_eq!(place, (1, 13));
        assert_eq!(
            (message.as_str(), help.as_str()),
            ("'asf-units': 'cmuu' is not one of auto, cmu, spec, raw", "did you mean 'cmu'?")
        );
        assert_eq!(wrong("repair = 'yes'\n").0, "toml::type");
        assert_eq!(wrong("input-fps = [1]\n").0, "toml::type");
    }

    #[test]
    fn an_item_of_a_list_has_its_own_place() {
        let text = text_of("joint-error = ['a=1mm', 'b']\n");
        let table = text.parse().unwrap();
        let error = settings::<CompressStep>(&text, "a compress step", &table).unwrap_err();
        assert_eq!((error.problem, error.place()), (TomlProblem::Value, Some((1, 25))));
    }
}
