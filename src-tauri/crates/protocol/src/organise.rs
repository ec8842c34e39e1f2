//! What orders sessions: statuses, labels, views, search.

use organise::{
    AutoRule, Category, Colour, Completion, Group, Icon, Mistake, SortKey, Span, TryOut, ValueType,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::agent::FileProblem;
use super::session::{SessionQuery, SessionRow};

/// All that orders a workspace's sessions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Organisation {
    /// Statuses, in their order.
    pub statuses: Vec<StatusRow>,
    /// The status of a session that has none of its own.
    pub default_status: String,
    /// The tree of labels.
    pub labels: Vec<LabelRow>,
    /// Views, broken ones included.
    pub views: Vec<ViewRow>,
    /// What is wrong with the files: the last good version of each is in use.
    pub problems: Vec<FileProblem>,
}

/// A status.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatusRow {
    /// Its id.
    pub id: String,
    /// What people call it.
    pub label: String,
    /// Whether sessions with it are open or closed.
    pub category: Category,
    /// Its icon.
    pub icon: Option<Icon>,
    /// The file that the icon names, as a data URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<String>,
    /// Its colour.
    pub color: Option<Colour>,
    /// The key that sets it.
    pub shortcut: Option<String>,
    /// Whether it can't be removed.
    pub fixed: bool,
    /// Sessions that are neither archived nor deleted.
    pub sessions: u32,
}

/// A label with those below it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LabelRow {
    /// Its id.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// Its colour.
    pub color: Option<Colour>,
    /// What its values are; absent: it has none.
    pub value_type: Option<ValueType>,
    /// Rules that give it to sessions.
    pub auto_rules: Vec<AutoRule>,
    /// Labels below it.
    pub children: Vec<LabelRow>,
    /// Sessions that are neither archived nor deleted, with it or one below it.
    pub sessions: u32,
}

/// A view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ViewRow {
    /// Its id.
    pub id: String,
    /// What people call it; of a broken one that has no name, its id.
    pub name: String,
    /// What it shows, in words.
    pub description: Option<String>,
    /// Its colour.
    pub color: Option<Colour>,
    /// Which sessions it shows.
    pub expression: String,
    /// What its list is grouped by.
    pub group_by: Option<Group>,
    /// What its list is sorted by.
    pub sort: Vec<SortKey>,
    /// How many sessions it shows; absent for a broken one.
    pub sessions: Option<u32>,
    /// What is wrong with its expression; places are UTF-16 units.
    pub mistakes: Vec<Mistake>,
    /// What is wrong with the rest of it.
    pub faults: Vec<String>,
}

/// A change of the list of statuses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "edit")]
pub enum StatusEdit {
    /// Adds one at the end.
    Add {
        /// What people call it.
        label: String,
        /// Open or closed.
        category: Category,
        /// Its colour.
        #[serde(default)]
        color: Option<Colour>,
        /// Its icon.
        #[serde(default)]
        icon: Option<Icon>,
    },
    /// Changes one; what is absent stays.
    Change {
        /// Which.
        id: String,
        /// What people call it.
        #[serde(default)]
        label: Option<String>,
        /// Open or closed.
        #[serde(default)]
        category: Option<Category>,
        /// Its colour; null takes it away.
        #[serde(default, deserialize_with = "present")]
        #[schemars(with = "Option<Colour>")]
        color: Option<Option<Colour>>,
        /// Its icon; null takes it away.
        #[serde(default, deserialize_with = "present")]
        #[schemars(with = "Option<Icon>")]
        icon: Option<Option<Icon>>,
        /// Its key; null takes it away.
        #[serde(default, deserialize_with = "present")]
        #[schemars(with = "Option<String>")]
        shortcut: Option<Option<String>>,
    },
    /// Moves one to a place, from 0.
    Move {
        /// Which.
        id: String,
        /// Where to.
        place: u32,
    },
    /// New sessions have it.
    Default {
        /// Which.
        id: String,
    },
    /// Removes one; its sessions get another one.
    Remove {
        /// Which.
        id: String,
        /// What its sessions get; without it the default.
        #[serde(default)]
        instead: Option<String>,
    },
}

/// A change of the tree of labels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "edit")]
pub enum LabelEdit {
    /// Adds one at the end.
    Add {
        /// The label above it.
        #[serde(default)]
        parent: Option<String>,
        /// What people call it.
        name: String,
        /// Its colour.
        #[serde(default)]
        color: Option<Colour>,
        /// What its values are.
        #[serde(default)]
        value_type: Option<ValueType>,
    },
    /// Changes one; what is absent stays.
    Change {
        /// Which.
        id: String,
        /// What people call it.
        #[serde(default)]
        name: Option<String>,
        /// Its colour; null takes it away.
        #[serde(default, deserialize_with = "present")]
        #[schemars(with = "Option<Colour>")]
        color: Option<Option<Colour>>,
        /// What its values are; null: it has none.
        #[serde(default, deserialize_with = "present")]
        #[schemars(with = "Option<ValueType>")]
        value_type: Option<Option<ValueType>>,
        /// Its rules.
        #[serde(default)]
        auto_rules: Option<Vec<AutoRule>>,
    },
    /// Moves one with all below it.
    Move {
        /// Which.
        id: String,
        /// Below which; without it to the top.
        #[serde(default)]
        parent: Option<String>,
        /// The place among its new neighbours, from 0.
        place: u32,
    },
    /// Removes one with all below it.
    Remove {
        /// Which.
        id: String,
        /// What its sessions get; without it nothing.
        #[serde(default)]
        instead: Option<String>,
    },
}

/// A change of the list of views.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "edit")]
pub enum ViewEdit {
    /// Adds one at the end.
    Add {
        /// What people call it.
        name: String,
        /// What it shows, in words.
        #[serde(default)]
        description: Option<String>,
        /// Its colour.
        #[serde(default)]
        color: Option<Colour>,
        /// Which sessions it shows.
        expression: String,
        /// What its list is grouped by.
        #[serde(default)]
        group_by: Option<Group>,
        /// What its list is sorted by.
        #[serde(default)]
        sort: Vec<SortKey>,
    },
    /// Changes one; what is absent stays.
    Change {
        /// Which.
        id: String,
        /// What people call it.
        #[serde(default)]
        name: Option<String>,
        /// What it shows, in words; null takes it away.
        #[serde(default, deserialize_with = "present")]
        #[schemars(with = "Option<String>")]
        description: Option<Option<String>>,
        /// Its colour; null takes it away.
        #[serde(default, deserialize_with = "present")]
        #[schemars(with = "Option<Colour>")]
        color: Option<Option<Colour>>,
        /// Which sessions it shows.
        #[serde(default)]
        expression: Option<String>,
        /// What its list is grouped by; null: by nothing.
        #[serde(default, deserialize_with = "present")]
        #[schemars(with = "Option<Group>")]
        group_by: Option<Option<Group>>,
        /// What its list is sorted by.
        #[serde(default)]
        sort: Option<Vec<SortKey>>,
    },
    /// Moves one to a place, from 0.
    Move {
        /// Which.
        id: String,
        /// Where to.
        place: u32,
    },
    /// Removes one.
    Remove {
        /// Which.
        id: String,
    },
}

/// An expression that is being written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ViewTry {
    /// It.
    pub expression: String,
    /// Where the caret stands, in UTF-16 units; with it, completions are given.
    pub caret: Option<u32>,
}

/// What an expression is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ViewTried {
    /// What is wrong with it; places are UTF-16 units.
    pub mistakes: Vec<Mistake>,
    /// What is allowed and hardly meant.
    pub notes: Vec<Mistake>,
    /// How many sessions it shows, where it is right.
    pub sessions: Option<u32>,
    /// What fits at the caret.
    pub completions: Completed,
}

/// What fits at a caret.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Completed {
    /// What a completion replaces, in UTF-16 units.
    pub replace: Span,
    /// The likeliest first.
    pub items: Vec<Completion>,
}

/// A rule that is being written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleTry {
    /// Its label.
    pub label: String,
    /// What the label's values are.
    #[serde(default)]
    pub value_type: Option<ValueType>,
    /// The rule.
    pub rule: AutoRule,
    /// A message to try it on.
    pub text: String,
}

/// What a rule is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleTried {
    /// What is wrong with it.
    pub fault: Option<String>,
    /// What it would do; places are UTF-16 units.
    pub found: TryOut,
}

/// A search over everything that was said.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ContentQuery {
    /// Words and filters, as in `label:bug "exact words" -not before:7d`.
    pub line: String,
    /// Only in this session.
    pub session: Option<String>,
    /// Only in this workspace.
    pub workspace: Option<String>,
    /// How many sessions are passed over.
    pub after: u32,
    /// The most sessions; at most 100, 0 for 20.
    pub limit: u32,
    /// The time zone's offset from UTC in minutes, for days; east is positive.
    pub offset_minutes: i32,
    /// Where the caret stands in the line, in UTF-16 units; with it, completions are given, and words of texts are not corrected.
    pub caret: Option<u32>,
}

/// What a search found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContentHits {
    /// Sessions, the best first.
    pub sessions: Vec<SessionHit>,
    /// Whether there are more.
    pub more: bool,
    /// What is wrong with the line; places are UTF-16 units.
    pub mistakes: Vec<Mistake>,
    /// The line with words that exist, where one of its words does not.
    pub meant: Option<String>,
    /// The line with words in place of those that hardly a text has, where far more is found with it. Shown is what the line itself
    /// finds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested: Option<String>,
    /// What fits at the caret.
    pub completions: Completed,
}

/// A session with what was found in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionHit {
    /// The session.
    pub session: SessionRow,
    /// Its title in pieces, where a word was found there.
    pub title: Vec<Excerpt>,
    /// The best messages, at most three.
    pub messages: Vec<MessageHit>,
    /// How many messages have the words; at most 1,000 are counted.
    pub found: u32,
}

/// A message with the words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageHit {
    /// Its run or turn.
    pub run: String,
    /// Its step in that; empty for what the person wrote and for the whole document.
    pub step: String,
    /// `user`, `assistant`, `tool` or `document`.
    pub role: String,
    /// Milliseconds since 1970.
    pub at: i64,
    /// What stands around the words.
    pub text: Vec<Excerpt>,
}

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Excerpt {
    /// The piece.
    pub text: String,
    /// Whether it is one of the words.
    pub hit: bool,
}

/// A list in groups.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GroupQuery {
    /// The list.
    pub list: SessionQuery,
    /// What it is grouped by.
    pub by: Group,
}

/// A group of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupRow {
    /// Of what it is: a status' id, a label's id, an agent's slug, a model, a mode, `unread` or `read`; of dates `today`,
    /// `yesterday`, `week`, `month` or `older`. Empty: without one.
    pub key: String,
    /// How many sessions.
    pub sessions: u32,
}

/// What a list may further be narrowed to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GroupFilter {
    /// What the list is grouped by.
    pub by: Group,
    /// Which group.
    pub key: String,
}

/// Tells an absent value from null.
fn present<'de, T: Deserialize<'de>, D: serde::Deserializer<'de>>(
    from: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(from).map(Some)
}
