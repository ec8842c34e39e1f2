//! What was said, for finding it again: where each text lies, and an index of its words.
//!
//! The texts themselves are blobs or lie in packs; the index keeps none (a contentless table of FTS5,
//! <https://sqlite.org/fts5.html#contentless_delete_tables>).

use std::borrow::Cow;

use crate::hash::BlobHash;
use crate::rows::Insert;
use crate::schema::Migration;

/// What is indexed of a text, in bytes.
pub const MAX_PASSAGE_BYTES: usize = 256 << 10;
/// The longest preview of a session, in characters.
const MAX_PREVIEW_CHARS: usize = 150;

// The session's row follows in the same transaction. A passage goes with its run, whichever way that goes. Words are kept in
// memory up to the end of a transaction, so that it adds one piece to the index and not several that have to be merged.
pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 5,
    sql: "ALTER TABLE runs ADD COLUMN indexed INTEGER NOT NULL DEFAULT 0;
          CREATE INDEX runs_unindexed ON runs(no) WHERE indexed = 0;
          CREATE TABLE passages(
            no INTEGER PRIMARY KEY,
            run INTEGER NOT NULL REFERENCES runs(no) ON DELETE CASCADE,
            role INTEGER NOT NULL,
            at INTEGER NOT NULL,
            step TEXT NOT NULL,
            text INTEGER NOT NULL,
            part INTEGER
          ) STRICT;
          CREATE INDEX passages_by_run ON passages(run);
          CREATE VIRTUAL TABLE passage_words USING fts5(
            text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2');
          INSERT INTO passage_words(passage_words, rank) VALUES('hashsize', 8388608);
          CREATE VIRTUAL TABLE title_words USING fts5(
            text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2');
          CREATE VIRTUAL TABLE title_terms USING fts5vocab(title_words, 'row');
          INSERT INTO title_words(rowid, text) SELECT no, title FROM sessions;
          CREATE TRIGGER sessions_titled AFTER INSERT ON sessions
          BEGIN
            INSERT INTO title_words(rowid, text) VALUES(NEW.no, NEW.title);
          END;
          CREATE TRIGGER sessions_renamed AFTER UPDATE OF title ON sessions WHEN NEW.title <> OLD.title
          BEGIN
            DELETE FROM title_words WHERE rowid = OLD.no;
            INSERT INTO title_words(rowid, text) VALUES(NEW.no, NEW.title);
          END;
          CREATE TRIGGER sessions_gone AFTER DELETE ON sessions
          BEGIN
            DELETE FROM title_words WHERE rowid = OLD.no;
          END;
          CREATE TRIGGER passages_gone AFTER DELETE ON passages
          BEGIN
            DELETE FROM passage_words WHERE rowid = OLD.no;
          END;
          CREATE TRIGGER runs_unsaid BEFORE DELETE ON runs
          BEGIN
            UPDATE sessions SET messages = messages - own.number, documents = documents - own.made
            FROM (SELECT count(*) AS number, coalesce(sum(role = 3), 0) AS made FROM passages WHERE run = OLD.no) AS own
            WHERE no = OLD.session;
          END;
          CREATE TRIGGER model_calls_counted AFTER INSERT ON model_calls
          BEGIN
            UPDATE sessions SET
              input_tokens = input_tokens + NEW.input + NEW.cache_read + NEW.cache_write,
              output_tokens = output_tokens + NEW.output,
              context_tokens = NEW.input + NEW.cache_read + NEW.cache_write,
              cost = cost + iif(NEW.flags & 1, 0, NEW.cost)
            WHERE id = NEW.session;
          END;
          UPDATE sessions SET input_tokens = own.input, output_tokens = own.output, cost = own.cost
            FROM (SELECT session, sum(input + cache_read + cache_write) AS input, sum(output) AS output,
              sum(iif(flags & 1, 0, cost)) AS cost FROM model_calls GROUP BY session) AS own
            WHERE own.session = sessions.id;",
}, Migration {
    // A statement that may be taken back alone makes FTS5 write what it has gathered: with this trigger, a piece of the index for
    // each title. [`INDEX_TITLES`] takes those of a transaction together.
    version: 7,
    sql: "DROP TRIGGER sessions_titled;",
}, Migration {
    // Texts are analysed before they are indexed (`text_analysis`): the index takes its pieces as they are, marks among them. It is
    // filled again while the program runs.
    version: 8,
    sql: "DROP TABLE passage_words;
          CREATE VIRTUAL TABLE passage_words USING fts5(text, content = '', contentless_delete = 1,
            tokenize = \"unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'\");
          INSERT INTO passage_words(passage_words, rank) VALUES('hashsize', 8388608);
          DROP TABLE title_terms;
          DROP TABLE title_words;
          CREATE VIRTUAL TABLE title_words USING fts5(text, content = '', contentless_delete = 1,
            tokenize = \"unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'\");
          CREATE VIRTUAL TABLE title_terms USING fts5vocab(title_words, 'row');
          INSERT INTO title_words(rowid, text) SELECT no, title FROM sessions;
          DROP TRIGGER sessions_renamed;
          CREATE TRIGGER sessions_renamed AFTER UPDATE OF title, title_key ON sessions
          WHEN NEW.title <> OLD.title OR NEW.title_key <> OLD.title_key
          BEGIN
            DELETE FROM title_words WHERE rowid = OLD.no;
            INSERT INTO title_words(rowid, text) VALUES(NEW.no, iif(NEW.title_key = '', NEW.title, NEW.title_key));
          END;",
}];

/// A title as it is indexed.
pub(crate) const INDEXED_TITLE: &str = "iif(title_key = '', title, title_key)";

/// Titles of sessions that an earlier version stored and that are to be analysed.
pub(crate) const UNKEYED_TITLES: &str =
    "SELECT no, title FROM sessions WHERE title_key = '' AND title GLOB '*[^' || char(1) || '-~]*'";

/// Parameters: key, number of the session.
pub(crate) const SET_TITLE_KEY: &str = "UPDATE sessions SET title_key = ? WHERE no = ?";

/// Parameters: the number before which to look, most rows. Texts whose words are not indexed, the newest first.
pub(crate) const UNWORDED: &str = "SELECT no FROM passages WHERE no < ? \
     AND NOT EXISTS (SELECT 1 FROM passage_words_docsize WHERE id = passages.no) ORDER BY no DESC LIMIT ?";

/// Parameters: number of a passage, its words. One that is gone or has its words already is passed over.
pub(crate) const REWORD: Insert = Insert {
    head: "INSERT INTO passage_words(rowid, text) SELECT v.column1, v.column2 FROM (VALUES",
    row: "(?, ?)",
    tail: ") AS v JOIN passages ON passages.no = v.column1 \
           WHERE NOT EXISTS (SELECT 1 FROM passage_words_docsize WHERE id = v.column1);",
};

/// Indexes the titles of sessions that are new. Follows all statements that make sessions.
pub(crate) const INDEX_TITLES: &str = "INSERT INTO title_words(rowid, text) \
     SELECT no, iif(title_key = '', title, title_key) FROM sessions WHERE no > (SELECT coalesce(max(id), 0) FROM title_words_docsize);";

/// Parameters: run id, role, at, step, and the hash of a blob, or the number of a pack (of those that were just written: how
/// many came after it, below zero, or zero) and the place in it. Follows [`super::packs::INSERT`].
pub(crate) const INSERT: Insert = Insert {
    head: "INSERT INTO passages(run, role, at, step, text, part) \
           SELECT runs.no, v.column2, v.column3, v.column4, \
           coalesce(iif(v.column6 > 0, v.column6, last.no + v.column6), blobs.no), v.column7 \
           FROM (SELECT (SELECT no FROM packs ORDER BY no DESC LIMIT 1) AS no) AS last CROSS JOIN (VALUES",
    row: "(?, ?, ?, ?, ?, ?, ?)",
    tail: ") AS v CROSS JOIN runs ON runs.id = v.column1 LEFT JOIN blobs ON blobs.hash = v.column5;",
};

/// Parameters: how many passages came after all of these, and their words in the order of their numbers, behind NULL for each
/// row that is none. Follows [`INSERT`].
pub(crate) const INSERT_WORDS: Insert = Insert {
    head: "INSERT INTO passage_words(rowid, text) SELECT last.no - v.column1, v.column2 \
           FROM (SELECT (SELECT no FROM passages ORDER BY no DESC LIMIT 1) - ? AS no) AS last CROSS JOIN (VALUES",
    row: "(#, ?)",
    tail: ") AS v WHERE v.column2 IS NOT NULL;",
};

/// Parameters: fewest letters, most letters.
pub(crate) const TITLE_TERMS: &str = "SELECT term FROM title_terms WHERE length(term) BETWEEN ? AND ?";

/// Parameter: a word.
pub(crate) const TITLE_TERM: &str = "SELECT 1 FROM title_terms WHERE term = ?";

/// The words of texts. In the connection, not in the file: of what FTS5 keeps it is a view alone.
pub(crate) const MAKE_TERMS: &str =
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.passage_terms USING fts5vocab(main, passage_words, row)";

/// Parameters: how many, the last one's role, the newest time, how many documents, preview, attachments, run id. Goes with
/// passages that are added.
pub(crate) const SAID: &str = "UPDATE sessions SET messages = messages + ?, last_role = ?, \
     last_message_at = max(last_message_at, ?), documents = documents + ?, preview = iif(preview = '', ?, preview), \
     attachments = attachments + ? WHERE no = (SELECT session FROM runs WHERE id = ?);";

/// Column order of `search::said`, whose first columns are those of [`super::blobs::checked_bytes`] and those of
/// [`super::packs::Pack::read`]; numbers are appended.
pub(crate) const TEXTS: &str = "SELECT b.size, b.codec, b.data, b.hash, k.no, k.names, k.codec, k.data, p.part, \
     p.no, r.id, p.role, p.step, p.at FROM passages p JOIN runs r ON r.no = p.run \
     LEFT JOIN packs k ON p.part IS NOT NULL AND k.no = p.text \
     LEFT JOIN blobs b ON p.part IS NULL AND b.no = p.text WHERE p.no IN (";

/// Parameter: run id.
pub(crate) const INDEXED: &str = "UPDATE runs SET indexed = 1 WHERE id = ?;";

/// Parameters: an expression, most rows. How many texts it fits, as far as that.
pub(crate) const FITTING: &str =
    "SELECT count(*) FROM (SELECT 1 FROM passage_words WHERE passage_words MATCH ? LIMIT ?)";

/// Parameter: run id, twice. Takes back what [`SAID`] counted of it. Goes before [`FORGET`].
pub(crate) const UNSAID: &str = "UPDATE sessions SET messages = messages - own.number, documents = documents - own.made \
     FROM (SELECT count(*) AS number, coalesce(sum(role = 3), 0) AS made FROM passages \
     WHERE run = (SELECT no FROM runs WHERE id = ?)) AS own WHERE no = (SELECT session FROM runs WHERE id = ?)";

/// Parameter: run id. What is indexed of it is made anew.
pub(crate) const FORGET: &str = "DELETE FROM passages WHERE run = (SELECT no FROM runs WHERE id = ?)";

/// Parameter: most rows.
pub(crate) const UNINDEXED: &str = "SELECT id, kind FROM runs WHERE indexed = 0 ORDER BY no DESC LIMIT ?";

/// A text as it is indexed: pieces of any script, separated by blanks.
pub(crate) fn indexed(text: &str) -> Cow<'_, str> {
    let text = &text[..text.floor_char_boundary(MAX_PASSAGE_BYTES)];
    if text.is_ascii() { Cow::Borrowed(text) } else { Cow::Owned(text_analysis::joined(text)) }
}

/// Whose a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The person's.
    User,
    /// The model's.
    Assistant,
    /// A tool's.
    Tool,
    /// A run's document.
    Document,
}

impl Role {
    const ALL: [Self; 4] = [Self::User, Self::Assistant, Self::Tool, Self::Document];

    /// As the column holds it.
    pub(crate) fn number(self) -> i64 {
        Self::ALL.iter().position(|role| *role == self).unwrap_or_default() as i64
    }

    pub(crate) fn from_number(number: i64) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?).copied()
    }

    /// In a word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
            Self::Document => "document",
        }
    }
}

/// A text to find again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Whose it is.
    pub role: Role,
    /// Its place in the run, as the caller names it; may be empty.
    pub step: String,
    /// Milliseconds since 1970.
    pub at_ms: i64,
    /// The words; cut at [`MAX_PASSAGE_BYTES`].
    pub text: String,
    /// The payload that is the text: of this commit, or one that the run has already.
    pub blob: BlobHash,
    /// Whether files go with it.
    pub attachments: bool,
}

impl Passage {
    /// Its words as they are indexed.
    pub(crate) fn words(&self) -> Cow<'_, str> {
        indexed(&self.text)
    }

    /// Its beginning on one line.
    pub(crate) fn preview(&self) -> String {
        let beginning: String = self.text.chars().take(MAX_PREVIEW_CHARS * 4).collect();
        let line = beginning.split_whitespace().collect::<Vec<_>>().join(" ");
        line.chars().take(MAX_PREVIEW_CHARS).collect()
    }
}
