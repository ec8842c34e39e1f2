//! Colours of statuses, labels and views.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A colour: one of the theme's by name, with an opacity in percent or without (`info`, `foreground/50`), or two of one's
/// own (hex, `rgb()`, `hsl()`, `oklch()`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Colour {
    /// One of the theme's.
    Theme(String),
    /// One for light themes and one for dark ones.
    Own {
        /// On light ground.
        light: String,
        /// On dark ground.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        dark: Option<String>,
    },
}

/// The theme's colours.
const THEME: [&str; 6] = ["background", "foreground", "accent", "info", "success", "destructive"];
const FUNCTIONS: [&str; 6] = ["rgb", "rgba", "hsl", "hsla", "oklch", "oklab"];
const UNITS: [&str; 4] = ["", "%", "deg", "turn"];

impl Colour {
    /// One of the theme's.
    pub fn theme(name: &str) -> Self {
        Self::Theme(name.to_owned())
    }

    /// One for light themes and one for dark ones.
    pub fn own(light: &str, dark: &str) -> Self {
        Self::Own { light: light.to_owned(), dark: Some(dark.to_owned()) }
    }

    /// What is wrong with it: what would have been right. It is shown in a page, so nothing else may be in it.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        match self {
            Self::Theme(name) if is_colour(name) => None,
            Self::Theme(_) => {
                Some("a colour of the theme such as `accent` or `foreground/50`, or one like `#3B82F6`")
            }
            Self::Own { light, dark } => {
                let right = is_css(light) && dark.as_deref().is_none_or(is_css);
                (!right).then_some(
                    "colours like `#3B82F6`, `rgb(59 130 246)`, `hsl(217 91% 60%)` or `oklch(0.6 0.2 260)`",
                )
            }
        }
    }
}

/// Whether a text is a colour: one of the theme's by name, with an opacity or without, or a CSS colour (hex, `rgb()`,
/// `hsl()`, `oklab()`, `oklch()`).
pub fn is_colour(text: &str) -> bool {
    is_theme(text) || is_css(text)
}

fn is_theme(text: &str) -> bool {
    let (name, opacity) = text.split_once('/').map_or((text, "100"), |(name, opacity)| (name, opacity));
    let opacity = opacity.bytes().all(|byte| byte.is_ascii_digit()) && opacity.len() <= 3;
    let percent = text.split_once('/').map_or(Some(100), |(_, opacity)| opacity.parse::<u32>().ok());
    THEME.contains(&name) && opacity && percent.is_some_and(|percent| percent <= 100)
}

fn is_css(text: &str) -> bool {
    if text.len() > 64 {
        return false;
    }
    if let Some(digits) = text.strip_prefix('#') {
        return [3, 4, 6, 8].contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    }
    let Some((name, rest)) = text.split_once('(') else { return false };
    let Some(arguments) = rest.strip_suffix(')') else { return false };
    let arguments: Vec<&str> =
        arguments.split([' ', ',', '/']).filter(|argument| !argument.is_empty()).collect();
    FUNCTIONS.contains(&name)
        && (3..=4).contains(&arguments.len())
        && arguments.iter().all(|text| is_amount(text))
}

/// A number with a unit.
fn is_amount(text: &str) -> bool {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '-').unwrap_or(text.len());
    text[..digits].parse::<f64>().is_ok() && UNITS.contains(&&text[digits..])
}

#[cfg(test)]
mod tests {
    use super::Colour;

    #[test]
    fn a_colour_is_a_colour_and_nothing_else() {
        for name in ["accent", "foreground/50", "info/0", "success/100", "#fff", "#3B82F6", "#3B82F680"] {
            assert_eq!(Colour::theme(name).fault(), None, "{name}");
        }
        for name in
            ["", "purple", "accent/101", "accent/", "accent/x", "#12", "#gggggg", "accent/50/50", "url(x)"]
        {
            assert!(Colour::theme(name).fault().is_some(), "{name}");
        }
        for light in ["rgb(1, 2, 3)", "rgb(1 2 3 / 50%)", "hsl(217 91% 60%)", "oklch(0.6 0.2 260deg)"] {
            assert_eq!(Colour::own(light, "#000").fault(), None, "{light}");
        }
        for light in ["rgb(1)", "rgb(1,2,x)", "red; background: url(x)", "rgb(1 2 3)x", "calc(1 2 3)"] {
            assert!(Colour::own(light, "#000").fault().is_some(), "{light}");
            assert!(Colour::own("#000", light).fault().is_some(), "{light}");
        }
    }
}
