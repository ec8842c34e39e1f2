//! Fonts whose letters are signs: what a person sees where such a font is set.

/// A font of signs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SymbolFont {
    Symbol,
    Wingdings,
    Wingdings2,
    Wingdings3,
    Webdings,
}

/// A first code and the characters from it on; a no-break space stands for one without a known character.
type Stretch = (u8, &'static str);

const SYMBOL: &[Stretch] = &[
    (0x20, " !∀#∃%&∋()∗+,−./0123456789:;<=>?"),
    (0x40, "≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_"),
    (0x60, "‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"),
    (0xa0, "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…|─↵"),
    (0xc0, "ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓"),
    (0xe0, "◊⟨®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪"),
    (0xf1, "⟩∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"),
];

const WINGDINGS: &[Stretch] = &[
    (0x20, " ✏✂✁👓🔔📖🕯☎✆✉✉📪📫📬📭📁📂📄📄📄🗄⌛⌨🖰🖲🖥🖴💾🖬✇✍"),
    (0x40, "✍✌👌👍👎☜☞☝☟✋☺😐☹💣☠⚐🏱✈☼💧❄✝✞🕈✠✡☪☯ॐ☸♈♉"),
    (0x60, "♊♋♌♍♎♏♐♑♒♓&&●❍■☐☐❑❒⬧⧫◆❖⬥☒⍓⌘❀✿❝❞"),
    (0x80, "⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿"),
    (0x9e, "·•▪○⭕⦿◉◎○▪☐✦✦★✶✴✹✵"),
    (0xb1, "⌖⟡⌑?✪✰🕐🕑🕒🕓🕔🕕🕖🕗🕘🕙🕚🕛"),
    (0xd5, "⌫⌦◀➤▲▼←➲↑↓←→↑↓↖↗↙↘←→↑↓↖↗↙↘⇦⇨⇧⇩⇔⇳⇖⇗⇙⇘▭▫✗✓☒☑"),
];

const WINGDINGS_2: &[Stretch] = &[
    (0x20, " "),
    (0x4f, "✗✓☒☑☒☒"),
    (0x69, "⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿"),
    (0x95, "•●●●○"),
    (0x9e, "▪■■■"),
    (0xa3, "☐☐"),
];

const WINGDINGS_3: &[Stretch] = &[(0x20, " ←→↑↓↖↗↙↘↔↕"), (0x70, "▲▼△▽◀▶◁▷◣◢◤◥"), (0x7d, "▶")];

const WEBDINGS: &[Stretch] = &[
    (0x20, " "),
    (0x33, "◀▶▲▼⏪⏩⏮⏭⏸⏹⏺"),
    (0x61, "✔"),
    (0x63, "☐"),
    (0x67, "■"),
    (0x69, "ℹ"),
    (0x6e, "●"),
    (0x72, "✖"),
];

impl SymbolFont {
    /// The font of a name; others show letters as what they are.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        let name = name.trim_matches(['"', '\'', ' ']);
        if !name.starts_with(['S', 's', 'W', 'w']) {
            return None;
        }
        Some(match name.to_ascii_lowercase().replace(' ', "").as_str() {
            "symbol" | "symbolmt" => Self::Symbol,
            "wingdings" => Self::Wingdings,
            "wingdings2" => Self::Wingdings2,
            "wingdings3" => Self::Wingdings3,
            "webdings" => Self::Webdings,
            _ => return None,
        })
    }

    /// The font that is meant first in a list of CSS.
    pub(crate) fn of_family(list: &str) -> Option<Self> {
        Self::of_name(list.split(',').next()?)
    }

    /// What is seen where this font shows the character of a code; codes of the private area are those of the font.
    pub(crate) fn character(self, code: u32) -> Option<char> {
        let code = if is_private(code) { code & 0xff } else { code };
        let table = match self {
            Self::Symbol => SYMBOL,
            Self::Wingdings => WINGDINGS,
            Self::Wingdings2 => WINGDINGS_2,
            Self::Wingdings3 => WINGDINGS_3,
            Self::Webdings => WEBDINGS,
        };
        let code = u8::try_from(code).ok()?;
        let (first, signs) = table.iter().rev().find(|(first, _)| *first <= code)?;
        signs.chars().nth(usize::from(code - first)).filter(|&c| c != '\u{a0}')
    }

    /// A text of another font in which only the private codes are signs of this one.
    pub(crate) fn text_of_private(self, text: &str) -> (String, usize) {
        let mut lost = 0;
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            match self.character(c.into()) {
                _ if !is_private(c.into()) => out.push(c),
                Some(shown) => out.push(shown),
                None => {
                    lost += 1;
                    out.push('\u{fffd}');
                }
            }
        }
        (out, lost)
    }

    /// A text in this font, and how many characters of it are not known. White space stays.
    pub(crate) fn text(self, text: &str) -> (String, usize) {
        let mut lost = 0;
        let mut character = |c: char| match self.character(c.into()) {
            _ if c.is_whitespace() => c,
            Some(shown) => shown,
            // The font has no such sign: a program shows another font's.
            None if u32::from(c) > 0xff && !is_private(c.into()) => c,
            None => {
                lost += 1;
                '\u{fffd}'
            }
        };
        (text.chars().map(&mut character).collect(), lost)
    }
}

/// Whether a text has codes of a font of signs.
pub(crate) fn has_private(text: &str) -> bool {
    // Their first byte is rare.
    text.as_bytes().contains(&0xef) && text.chars().any(|c| is_private(c.into()))
}

/// Whether a code stands for one of a font of signs.
pub(crate) fn is_private(code: u32) -> bool {
    (0xf000..=0xf0ff).contains(&code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_ticks_arrows_and_greek_are_known() {
        let pairs = [
            (SymbolFont::Symbol, 0xf0a3, '≤'),
            (SymbolFont::Symbol, 0xb1, '±'),
            (SymbolFont::Symbol, 0x61, 'α'),
            (SymbolFont::Symbol, 0x57, 'Ω'),
            (SymbolFont::Symbol, 0x7e, '∼'),
            (SymbolFont::Symbol, 0xbb, '≈'),
            (SymbolFont::Symbol, 0xde, '⇒'),
            (SymbolFont::Symbol, 0xe5, '∑'),
            (SymbolFont::Symbol, 0xf2, '∫'),
            (SymbolFont::Wingdings, 0xf0fe, '☑'),
            (SymbolFont::Wingdings, 0xf0fd, '☒'),
            (SymbolFont::Wingdings, 0xf0fc, '✓'),
            (SymbolFont::Wingdings, 0xf0fb, '✗'),
            (SymbolFont::Wingdings, 0xf0a8, '☐'),
            (SymbolFont::Wingdings, 0x6f, '☐'),
            (SymbolFont::Wingdings, 0x78, '☒'),
            (SymbolFont::Wingdings, 0x6c, '●'),
            (SymbolFont::Wingdings, 0x6e, '■'),
            (SymbolFont::Wingdings, 0xa7, '▪'),
            (SymbolFont::Wingdings, 0xe0, '→'),
            (SymbolFont::Wingdings, 0xe8, '→'),
            (SymbolFont::Wingdings, 0xf0, '⇨'),
            (SymbolFont::Wingdings, 0xdf, '←'),
            (SymbolFont::Wingdings, 0x4a, '☺'),
            (SymbolFont::Wingdings, 0x28, '☎'),
            (SymbolFont::Wingdings, 0x5e, '♈'),
            (SymbolFont::Wingdings, 0x8a, '⑩'),
            (SymbolFont::Wingdings, 0xb7, '🕐'),
            (SymbolFont::Wingdings2, 0x50, '✓'),
            (SymbolFont::Wingdings2, 0x52, '☑'),
            (SymbolFont::Wingdings2, 0xa3, '☐'),
            (SymbolFont::Wingdings3, 0x75, '▶'),
            (SymbolFont::Webdings, 0x61, '✔'),
        ];
        for (font, code, sign) in pairs {
            assert_eq!(font.character(code), Some(sign), "{font:?} {code:x}");
        }
        assert_eq!(SymbolFont::Wingdings.character(0xff), None);
        assert_eq!(SymbolFont::of_name("'Wingdings 2'"), Some(SymbolFont::Wingdings2));
    }

    #[test]
    fn a_text_keeps_its_spaces_and_counts_what_is_not_known() {
        assert_eq!(SymbolFont::Symbol.text("p \u{f0b1}"), ("π ±".into(), 0));
        assert_eq!(SymbolFont::Webdings.text("a\u{f0ff}木"), ("✔\u{fffd}木".into(), 1));
    }
}
