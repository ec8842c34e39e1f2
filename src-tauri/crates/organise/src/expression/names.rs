//! The fields and functions that expressions know.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a part of an expression is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Type {
    /// True or false; as a number 1 or 0.
    Flag,
    /// A number.
    Number,
    /// A moment: milliseconds since 1970; 0 where there is none.
    Time,
    /// A text.
    Text,
    /// A list of texts or numbers.
    List,
    /// Known only when it is evaluated: a number, a text or nothing.
    Any,
}

impl Type {
    /// In words, with its article.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Flag => "true or false",
            Self::Number => "a number",
            Self::Time => "a time",
            Self::Text => "a text",
            Self::List => "a list",
            Self::Any => "any value",
        }
    }

    /// Whether one can reckon with it.
    pub(crate) fn is_number(self) -> bool {
        matches!(self, Self::Flag | Self::Number | Self::Time | Self::Any)
    }
}

macro_rules! fields {
    ($($field:ident $name:literal $type:ident $about:literal)*) => {
        /// What is known of a session.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase")]
        pub enum Field {
            $(#[doc = $about] $field,)*
        }

        impl Field {
            /// All of them, in the order of the help page.
            pub const ALL: &'static [Self] = &[$(Self::$field),*];

            /// Its name in expressions.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$field => $name),* }
            }

            /// What it holds.
            pub const fn kind(self) -> Type {
                match self { $(Self::$field => Type::$type),* }
            }

            /// One line about it.
            pub const fn about(self) -> &'static str {
                match self { $(Self::$field => $about),* }
            }
        }
    };
}

fields! {
    Name "name" Text "The session's title."
    Preview "preview" Text "The beginning of its first message."
    SessionStatus "sessionStatus" Text "The id of its status, such as todo."
    PermissionMode "permissionMode" Text "safe, ask or allow-all."
    Connection "connection" Text "The slug of its connection; empty for the default one."
    Model "model" Text "Its model; empty for the default one."
    Agent "agent" Text "The slug of the agent that its newest run has; empty without one."
    RunStatus "runStatus" Text "How its newest run or turn stands, such as completed."
    LastMessageRole "lastMessageRole" Text "Whose the last message is: user, assistant, tool, plan, error."
    LastUsedAt "lastUsedAt" Time "When something last happened in it."
    LastMessageAt "lastMessageAt" Time "When its last message came."
    CreatedAt "createdAt" Time "When it was made."
    MessageCount "messageCount" Number "How many messages it has."
    LabelCount "labelCount" Number "How many labels it has."
    IsFlagged "isFlagged" Flag "Whether it is flagged."
    HasUnread "hasUnread" Flag "Whether something happened that nobody has seen."
    IsProcessing "isProcessing" Flag "Whether a run or turn is under way."
    NeedsYou "needsYou" Flag "Whether a run or turn waits for the person."
    IsArchived "isArchived" Flag "Whether it is archived."
    HasPendingPlan "hasPendingPlan" Flag "Whether a plan waits to be accepted."
    HasDocument "hasDocument" Flag "Whether a run of it made a document."
    HasDraft "hasDraft" Flag "Whether something typed waits in it."
    HasAttachments "hasAttachments" Flag "Whether files were attached to a message."
    InputTokens "tokenUsage.inputTokens" Number "Tokens sent to models."
    OutputTokens "tokenUsage.outputTokens" Number "Tokens that models wrote."
    TotalTokens "tokenUsage.totalTokens" Number "Both together."
    ContextTokens "tokenUsage.contextTokens" Number "Tokens of the newest request."
    CostUsd "costUsd" Number "What it cost, in US dollars; also tokenUsage.costUsd."
    Labels "labels" List "Its labels: ids, or id::value."
    Sources "sources" List "The slugs of the sources that it may use."
}

/// Further names, as older expressions have them.
const ALIASES: [(&str, Field); 2] =
    [("todoState", Field::SessionStatus), ("tokenUsage.costUsd", Field::CostUsd)];

impl Field {
    /// The field of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        let known = Self::ALL.iter().find(|field| field.name() == name).copied();
        known.or_else(|| ALIASES.into_iter().find(|(alias, _)| *alias == name).map(|(_, field)| field))
    }

    /// Every name that a field has.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        Self::ALL.iter().map(|field| field.name()).chain(ALIASES.map(|(name, _)| name))
    }
}

macro_rules! functions {
    ($($function:ident $name:literal ($($parameter:literal),*) $least:literal $most:literal $result:ident $about:literal)*) => {
        /// A function that expressions can call.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Function {
            $(#[doc = $about] $function,)*
        }

        impl Function {
            /// All of them, in the order of the help page.
            pub const ALL: &'static [Self] = &[$(Self::$function),*];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$function => $name),* }
            }

            /// The names of its parameters.
            pub const fn parameters(self) -> &'static [&'static str] {
                match self { $(Self::$function => &[$($parameter),*]),* }
            }

            /// The fewest and the most arguments.
            pub const fn arity(self) -> (usize, usize) {
                match self { $(Self::$function => ($least, $most)),* }
            }

            /// What it gives.
            pub const fn result(self) -> Type {
                match self { $(Self::$function => Type::$result),* }
            }

            /// One line about it.
            pub const fn about(self) -> &'static str {
                match self { $(Self::$function => $about),* }
            }
        }
    };
}

functions! {
    DaysSince "daysSince" ("time") 1 1 Number "Days since a time; 0 without one and for one to come."
    HoursSince "hoursSince" ("time") 1 1 Number "Hours since a time; 0 without one and for one to come."
    Date "date" ("day") 1 1 Time "The beginning of a day, written like 2026-05-01."
    Contains "contains" ("where", "what") 2 2 Flag "Whether a text holds another one, or a list a value; labels with and without their value."
    HasLabel "hasLabel" ("label") 1 1 Flag "Whether it has a label, or one below that label."
    LabelValue "labelValue" ("label") 1 1 Any "The value of a label: a number, a time or a text."
    Length "length" ("value") 1 1 Number "How many characters a text has, or values a list."
    StartsWith "startsWith" ("text", "beginning") 2 2 Flag "Whether a text begins with another one."
    EndsWith "endsWith" ("text", "end") 2 2 Flag "Whether a text ends with another one."
    Matches "matches" ("text", "pattern") 2 2 Flag "Whether a regular expression is found in a text; the same as ~=."
    Lower "lower" ("text") 1 1 Text "A text in lower case."
    Empty "empty" ("value") 1 1 Flag "Whether there is no value, an empty text or an empty list."
    Exists "exists" ("value") 1 1 Flag "Whether there is a value at all."
    Abs "abs" ("number") 1 1 Number "A number without its sign."
    Ceil "ceil" ("number") 1 1 Number "The next whole number from it upwards."
    Floor "floor" ("number") 1 1 Number "The next whole number from it downwards."
    Round "round" ("number") 1 1 Number "The nearest whole number."
    Sqrt "sqrt" ("number") 1 1 Number "The square root."
    Log "log" ("number") 1 1 Number "The natural logarithm."
    Log2 "log2" ("number") 1 1 Number "The logarithm to base two."
    Log10 "log10" ("number") 1 1 Number "The logarithm to base ten."
    Max "max" ("number") 0 1000 Number "The largest of numbers."
    Min "min" ("number") 0 1000 Number "The smallest of numbers."
}

impl Function {
    /// The function of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|function| function.name() == name).copied()
    }
}
