//! The elements that mean something to a reader of blocks.

use crate::omissions::Omission;

macro_rules! tags {
    ($($variant:ident = $name:literal),* $(,)?) => {
        /// An element's name; those without a part to play are `Other`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Tag { $($variant,)* Other }

        impl Tag {
            /// The tag of a name in lower case.
            pub(crate) fn from_name(name: &str) -> Self {
                match name { $($name => Self::$variant,)* _ => Self::Other }
            }
        }
    };
}

tags! {
    A = "a", Address = "address", Annotation = "annotation", AnnotationXml = "annotation-xml", Area = "area",
    Article = "article", Aside = "aside", Audio = "audio", B = "b", Base = "base", Big = "big",
    Blockquote = "blockquote", Body = "body", Br = "br", Button = "button", Canvas = "canvas", Caption = "caption",
    Center = "center", Code = "code", Col = "col", Colgroup = "colgroup", Datalist = "datalist", Dd = "dd", Del = "del",
    Details = "details", Dialog = "dialog", Dir = "dir", Div = "div", Dl = "dl", Dt = "dt", Em = "em",
    Embed = "embed", Fieldset = "fieldset", Figcaption = "figcaption", Figure = "figure", Font = "font",
    Footer = "footer", Form = "form", Frame = "frame", H1 = "h1", H2 = "h2", H3 = "h3", H4 = "h4", H5 = "h5", H6 = "h6",
    Head = "head", Header = "header", Hgroup = "hgroup", Hr = "hr", Html = "html", I = "i", Iframe = "iframe",
    Img = "img", Input = "input", Legend = "legend", Li = "li", Link = "link", Listing = "listing", Main = "main",
    Marquee = "marquee", Menu = "menu", Meta = "meta", Nav = "nav", Nobr = "nobr",
    Noembed = "noembed", Noframes = "noframes", Noscript = "noscript", Object = "object", Ol = "ol",
    Optgroup = "optgroup", Option = "option", P = "p", Param = "param", Plaintext = "plaintext", Pre = "pre",
    Q = "q", Rp = "rp", Rt = "rt", S = "s", Script = "script", Search = "search", Section = "section", Select = "select",
    Small = "small", Source = "source", Span = "span", Strike = "strike", Strong = "strong", Style = "style",
    Sub = "sub", Summary = "summary", Sup = "sup", Svg = "svg", Table = "table", Tbody = "tbody", Td = "td",
    Template = "template", Textarea = "textarea", Tfoot = "tfoot", Th = "th", Thead = "thead", Title = "title",
    Tr = "tr", Track = "track", Tt = "tt", U = "u", Ul = "ul", Video = "video", Wbr = "wbr", Xmp = "xmp",
    // The choice between versions of a passage in a book.
    Switch = "switch", Case = "case", Default = "default",
    // Mathematics.
    Maction = "maction", Maligngroup = "maligngroup", Malignmark = "malignmark", Math = "math", Menclose = "menclose",
    Merror = "merror", Mfenced = "mfenced", Mfrac = "mfrac", Mglyph = "mglyph", Mi = "mi",
    Mlabeledtr = "mlabeledtr", Mmultiscripts = "mmultiscripts", Mn = "mn", Mo = "mo", Mover = "mover",
    Mpadded = "mpadded", Mphantom = "mphantom", Mprescripts = "mprescripts", Mroot = "mroot", Mrow = "mrow",
    Ms = "ms", Mspace = "mspace", Msqrt = "msqrt", Mstyle = "mstyle", Msub = "msub", Msubsup = "msubsup",
    Msup = "msup", Mtable = "mtable", Mtd = "mtd", Mtext = "mtext", Mtr = "mtr", Munder = "munder",
    Munderover = "munderover", Absent = "none", Semantics = "semantics",
}

impl Tag {
    /// The level of a heading.
    pub(crate) fn heading(self) -> Option<u8> {
        match self {
            Self::H1 => Some(1),
            Self::H2 => Some(2),
            Self::H3 => Some(3),
            Self::H4 => Some(4),
            Self::H5 => Some(5),
            Self::H6 => Some(6),
            _ => None,
        }
    }

    /// The heading of a level.
    fn of_level(level: u8) -> Self {
        match level {
            0 | 1 => Self::H1,
            2 => Self::H2,
            3 => Self::H3,
            4 => Self::H4,
            5 => Self::H5,
            _ => Self::H6,
        }
    }

    /// What an element without a part of its own is by its role.
    pub(crate) fn of_role(self, role: &str, level: std::option::Option<&str>) -> std::option::Option<Self> {
        if !matches!(self, Self::Div | Self::Span | Self::P | Self::Section | Self::Other) {
            return None;
        }
        Some(match role.trim() {
            "heading" => Self::of_level(level.and_then(|level| level.trim().parse().ok()).unwrap_or(2)),
            "table" | "grid" => Self::Table,
            "rowgroup" => Self::Tbody,
            "row" => Self::Tr,
            "cell" | "gridcell" => Self::Td,
            "columnheader" | "rowheader" => Self::Th,
            "list" => Self::Ul,
            "listitem" => Self::Li,
            _ => return None,
        })
    }

    /// Elements that have no content and no end tag.
    pub(crate) fn is_void(self) -> bool {
        use Tag::*;
        matches!(
            self,
            Area | Base
                | Br
                | Col
                | Embed
                | Frame
                | Hr
                | Img
                | Input
                | Link
                | Meta
                | Param
                | Source
                | Track
                | Wbr
        )
    }

    /// Elements that begin a line of their own.
    pub(crate) fn is_block(self) -> bool {
        use Tag::*;
        matches!(
            self,
            Address
                | Article
                | Aside
                | Blockquote
                | Body
                | Caption
                | Center
                | Dd
                | Details
                | Dialog
                | Dir
                | Div
                | Dl
                | Dt
                | Fieldset
                | Figcaption
                | Figure
                | Footer
                | Form
                | H1
                | H2
                | H3
                | H4
                | H5
                | H6
                | Header
                | Hgroup
                | Hr
                | Html
                | Legend
                | Li
                | Listing
                | Main
                | Menu
                | Nav
                | Ol
                | P
                | Plaintext
                | Pre
                | Search
                | Section
                | Summary
                | Table
                | Tbody
                | Td
                | Tfoot
                | Th
                | Thead
                | Tr
                | Ul
                | Xmp
        )
    }

    /// Block elements whose start tag ends an open paragraph.
    pub(crate) fn ends_paragraph(self) -> bool {
        use Tag::*;
        self.is_block()
            && !matches!(self, Body | Caption | Html | Legend | Tbody | Td | Tfoot | Th | Thead | Tr)
    }

    /// Elements that the end tag of one outside of them does not close.
    pub(crate) fn is_scope(self) -> bool {
        use Tag::*;
        matches!(self, Button | Caption | Html | Marquee | Object | Table | Td | Template | Th)
    }

    /// Elements whose header and footer are theirs, not the page's.
    pub(crate) fn has_own_ends(self) -> bool {
        use Tag::*;
        matches!(self, Article | Blockquote | Details | Dialog | Fieldset | Figure | Li | Main | Section | Td)
    }

    /// Elements that browsers open again after a block ended in the middle of them.
    pub(crate) fn is_formatting(self) -> bool {
        use Tag::*;
        matches!(self, A | B | Big | Code | Em | Font | I | Nobr | S | Small | Strike | Strong | Tt | U)
    }

    /// Elements whose content is no text of the page: code, controls, what stands in for media.
    pub(crate) fn is_dropped(self) -> bool {
        use Tag::*;
        matches!(self, Annotation | AnnotationXml | Rp | Script | Style | Template | Title)
            || self.omission().is_some()
    }

    /// What is told of the text in an element that is dropped.
    pub(crate) fn omission(self) -> std::option::Option<Omission> {
        use Tag::*;
        Some(match self {
            Audio | Canvas | Iframe | Noembed | Noframes | Noscript | Video => Omission::StandIn,
            Button => Omission::Control,
            Datalist | Option => Omission::Choice,
            Rt => Omission::Reading,
            Svg => Omission::Drawing,
            _ => return None,
        })
    }
}
