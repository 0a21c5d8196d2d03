//! Settings that a pipeline states as text or number: read by the same [`FromStr`] as the flag of that name.

use std::fmt::Display;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, de};

/// A value that is read from its text.
pub(super) fn one<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    parse(<&str>::deserialize(deserializer)?)
}

/// The same where it may be missing.
pub(super) fn option<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    one(deserializer).map(Some)
}

/// One value, or a list of them.
pub(super) fn list<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    Ok(Vec::<Item<T>>::deserialize(deserializer)?.into_iter().map(|item| item.0).collect())
}

/// The same, with commas within a text as well.
pub(super) fn comma_list<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    Ok(Vec::<Items<T>>::deserialize(deserializer)?.into_iter().flat_map(|items| items.0).collect())
}

fn parse<T: FromStr<Err: Display>, E: de::Error>(text: &str) -> Result<T, E> {
    text.parse().map_err(|why| E::custom(format!("'{text}': {why}")))
}

/// An item of a list: an error in it is shown at the item.
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
