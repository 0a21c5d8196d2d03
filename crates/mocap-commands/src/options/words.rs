//! Options whose values are keywords for library values: one table for flags and pipelines.

/// Defines an option with a table of keywords and values. The doc comment of a keyword is shown in its help.
macro_rules! words {
    ($(#[doc = $about:literal] $name:ident($value:ty) {
        $($(#[doc = $help:literal])? $word:literal => $is:expr),+ $(,)?
    })+) => {$(
        #[doc = $about]
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub(crate) struct $name(pub(crate) $value);

        impl clap::ValueEnum for $name {
            fn value_variants<'a>() -> &'a [$name] {
                &[$($name($is)),+]
            }

            fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
                let words = [$(($is, clap::builder::PossibleValue::new($word)$(.help($help.trim_ascii()))?)),+];
                words.into_iter().find(|(value, _)| *value == self.0).map(|(_, word)| word)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                match <&str>::deserialize(deserializer)? {
                    $($word => Ok($name($is)),)+
                    other => Err(serde::de::Error::unknown_variant(other, &[$($word),+])),
                }
            }
        }
    )+};
}

pub(crate) use words;
