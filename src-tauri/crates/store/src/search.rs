//! Finding sessions by what was said in them and by their titles.

use std::ops::RangeInclusive;

use sqlx::sqlite::{SqliteConnection, SqliteRow};
use sqlx::{Arguments as _, QueryBuilder, Row, Sqlite};

use crate::commit::{Commit, Durability, Statement, add_said};
use crate::error::{Result, StoreError};
use crate::hash::BlobHash;
use crate::lists::{Clause, Part};
use crate::queries::MAX_PAGE;
use crate::rows::{Rows, fill, statements};
use crate::sessions::{SessionFilter, push_filter};
use crate::store::Store;
use crate::tables::blobs::{self, Blob};
use crate::tables::packs::Pack;
use crate::tables::passages::{self, Passage, Role};
use crate::tables::sessions::{self, Session};

/// Of very common words this many of the newest texts are looked at.
const MAX_TEXTS_READ: i64 = 5_000;
/// Words that so many texts have say little of one: they are not weighed, as that would look at each of the texts.
const COMMON: i64 = 20_000;
/// The most words of a query, and the longest word in bytes.
const MAX_WORDS: usize = 50;
const MAX_WORD_BYTES: usize = 200;
/// Beginnings that words are read for, and the most words.
const MAX_BEGINNINGS: usize = 1_000;
const MAX_TERMS: i64 = 50_000;

/// A word or words in a row that a text must have, or must not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Any of these; of one with spaces its words in this order.
    pub any: Vec<String>,
    /// Whether the last word of each may go on.
    pub prefix: bool,
    /// Whether the text must not have it.
    pub negated: bool,
}

impl Word {
    /// As FTS5 reads it; `None` for one without a letter.
    fn expression(&self) -> Option<String> {
        let any: Vec<String> = self
            .any
            .iter()
            .map(|text| text_analysis::sought(&text[..text.floor_char_boundary(MAX_WORD_BYTES)]))
            .filter(|(pieces, _)| !pieces.is_empty())
            .map(|(pieces, begins)| {
                // A phrase; its pieces are letters and digits alone.
                let star = if self.prefix || begins { "*" } else { "" };
                format!("\"{}\"{star}", pieces.join(" "))
            })
            .collect();
        (!any.is_empty()).then(|| format!("({})", any.join(" OR ")))
    }
}

/// A word of texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// In lower case and without accents.
    pub text: String,
    /// How many texts have it; of some that are gone it may not be known yet.
    pub texts: u32,
}

/// Words that a text must have.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Words(pub Vec<Word>);

impl Words {
    /// Sessions whose title has them; `None` where nothing must be there.
    #[must_use]
    pub fn in_title(&self) -> Option<Clause> {
        let expression = self.expression()?;
        let before = "s.no IN (SELECT rowid FROM title_words WHERE title_words MATCH ";
        Some(Clause(vec![Part::Sql(before.to_owned()), Part::Text(expression), Part::Sql(")".to_owned())]))
    }

    /// Each word that must be there, as FTS5 reads it.
    fn alone(&self) -> impl Iterator<Item = String> {
        self.0.iter().filter(|word| !word.negated).filter_map(Word::expression).take(MAX_WORDS)
    }

    /// As FTS5 reads it; `None` where nothing must be there.
    fn expression(&self) -> Option<String> {
        let some = |negated: bool| {
            let words = self.0.iter().filter(move |word| word.negated == negated);
            words.filter_map(Word::expression).take(MAX_WORDS).collect::<Vec<_>>()
        };
        let (wanted, unwanted) = (some(false), some(true));
        if wanted.is_empty() {
            return None;
        }
        let mut expression = wanted.join(" AND ");
        if !unwanted.is_empty() {
            expression = format!("({expression}) NOT ({})", unwanted.join(" OR "));
        }
        Some(expression)
    }
}

/// Where the words were found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The text, for [`Store::passage_texts`].
    pub no: i64,
    /// Its session's id.
    pub session: String,
    /// Its run's id.
    pub run: String,
    /// How well it fits: BM25, more is better. The same for all where the words are very common.
    pub score: f64,
}

/// A text that was said, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundText {
    /// As [`Found::no`].
    pub no: i64,
    /// Its run's id.
    pub run: String,
    /// Whose it is.
    pub role: Role,
    /// Its place in the run, as it was given.
    pub step: String,
    /// Milliseconds since 1970.
    pub at_ms: i64,
    /// The payload that has it; absent: it is gone or damaged.
    pub bytes: Option<Vec<u8>>,
}

impl Store {
    /// Texts with the words, the newest first: all of them, or of common words those among the newest 5,000 with the words.
    /// Only in sessions that pass the filter; with `session` only in that one.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn search_passages(
        &self,
        words: &Words,
        filter: &SessionFilter,
        session: Option<&str>,
    ) -> Result<Vec<Found>> {
        let Some(expression) = words.expression() else { return Ok(Vec::new()) };
        let mut db = self.reader().await?;
        let mut common = false;
        for word in words.alone() {
            let query = sqlx::query_scalar(passages::FITTING).bind(word).bind(COMMON);
            let texts: i64 = query.fetch_one(&mut *db).await.map_err(|error| self.failed(&error))?;
            common |= texts == COMMON;
        }
        let score = if common { "1.0" } else { "-bm25(passage_words)" };
        let mut query =
            QueryBuilder::<Sqlite>::new("SELECT p.no, s.id, w.score, r.id FROM (SELECT rowid AS no, ");
        query.push(score).push(" AS score FROM passage_words WHERE passage_words MATCH ");
        query.push_bind(expression);
        if let Some(session) = session {
            query.push(" AND rowid IN (SELECT p.no FROM passages p JOIN runs r ON r.no = p.run JOIN sessions s ON s.no = r.session WHERE s.id = ");
            query.push_bind(session.to_owned()).push(")");
        }
        query.push(" ORDER BY rowid DESC LIMIT ").push_bind(MAX_TEXTS_READ);
        query.push(") AS w CROSS JOIN passages p ON p.no = w.no CROSS JOIN runs r ON r.no = p.run CROSS JOIN sessions s ON s.no = r.session WHERE ");
        push_filter(&mut query, filter);
        let rows = query.build().fetch_all(&mut *db).await.map_err(|error| self.failed(&error))?;
        let found = |row: &SqliteRow| -> sqlx::Result<Found> {
            Ok(Found {
                no: row.try_get(0)?,
                session: row.try_get(1)?,
                run: row.try_get(3)?,
                score: row.try_get(2)?,
            })
        };
        let found: sqlx::Result<Vec<Found>> = rows.iter().map(found).collect();
        found.map_err(|error| self.unreadable(&error))
    }

    /// Texts that were found, in any order; at most [`MAX_PAGE`] of them. One that is gone by now is left out.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn passage_texts(&self, numbers: &[i64]) -> Result<Vec<FoundText>> {
        let mut query = QueryBuilder::<Sqlite>::new(passages::TEXTS);
        let mut list = query.separated(", ");
        for number in numbers.iter().take(MAX_PAGE as usize) {
            list.push_bind(*number);
        }
        query.push(")");
        let mut db = self.reader().await?;
        let rows = query.build().fetch_all(&mut *db).await.map_err(|error| self.failed(&error))?;
        let mut texts = Vec::with_capacity(rows.len());
        for row in &rows {
            texts.push(found_text(&mut db, row).await.map_err(|error| self.unreadable(&error))?);
        }
        Ok(texts)
    }

    /// Sessions with the words in their title, the best first.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn search_titles(
        &self,
        words: &Words,
        filter: &SessionFilter,
        limit: u32,
    ) -> Result<Vec<Session>> {
        let Some(expression) = words.expression() else { return Ok(Vec::new()) };
        let mut query = QueryBuilder::<Sqlite>::new(sessions::SELECT);
        push_filter(&mut query, filter);
        query.push(" AND s.no IN (SELECT rowid FROM title_words WHERE title_words MATCH ");
        query.push_bind(expression);
        query.push(") ORDER BY s.place DESC LIMIT ").push_bind(i64::from(limit.clamp(1, MAX_PAGE)));
        let mut db = self.reader().await?;
        let rows = query.build().fetch_all(&mut *db).await.map_err(|error| self.failed(&error))?;
        let read: sqlx::Result<Vec<Session>> = rows.iter().map(Session::from_row).collect();
        read.map_err(|error| self.unreadable(&error))
    }

    /// The words of all titles with so many letters, in lower case and without accents.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn title_terms(&self, letters: RangeInclusive<usize>) -> Result<Vec<String>> {
        let mut db = self.reader().await?;
        let query = sqlx::query_scalar(passages::TITLE_TERMS)
            .bind(i64::try_from(*letters.start()).unwrap_or(i64::MAX))
            .bind(i64::try_from(*letters.end()).unwrap_or(i64::MAX));
        let rows = query.fetch_all(&mut *db).await;
        rows.map_err(|error| self.failed(&error))
    }

    /// Whether a title has this word, in lower case and without accents.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn is_title_term(&self, word: &str) -> Result<bool> {
        let mut db = self.reader().await?;
        let query = sqlx::query(passages::TITLE_TERM).bind(word.to_owned());
        query.fetch_optional(&mut *db).await.map(|row| row.is_some()).map_err(|error| self.failed(&error))
    }

    /// Words of texts that begin with one of these and have so many letters: at most 50,000. A word of texts that are gone may be
    /// among them. Tens of milliseconds among half a million texts where beginnings have two letters or more.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn text_terms(
        &self,
        beginnings: &[String],
        letters: RangeInclusive<usize>,
    ) -> Result<Vec<Term>> {
        if beginnings.is_empty() {
            return Ok(Vec::new());
        }
        let bound = |letters: usize| i64::try_from(letters).unwrap_or(i64::MAX);
        // The table is asked once for each beginning, and passes over the rest.
        let mut query = QueryBuilder::<Sqlite>::new("WITH beginning(least) AS (VALUES ");
        let mut list = query.separated(", ");
        for beginning in beginnings.iter().take(MAX_BEGINNINGS) {
            list.push("(").push_bind_unseparated(beginning.clone()).push_unseparated(")");
        }
        query.push(") SELECT t.term, t.doc FROM beginning CROSS JOIN temp.passage_terms t ");
        query.push("WHERE t.term >= least AND t.term < least || char(1114111) AND length(t.term) BETWEEN ");
        query.push_bind(bound(*letters.start())).push(" AND ").push_bind(bound(*letters.end()));
        query.push(" LIMIT ").push_bind(MAX_TERMS);
        let mut db = self.reader().await?;
        sqlx::query(passages::MAKE_TERMS).execute(&mut *db).await.map_err(|error| self.failed(&error))?;
        let rows = query.build().fetch_all(&mut *db).await.map_err(|error| self.failed(&error))?;
        let term = |row: &SqliteRow| -> sqlx::Result<Term> {
            Ok(Term { text: row.try_get(0)?, texts: row.try_get(1)? })
        };
        let terms: sqlx::Result<Vec<Term>> = rows.iter().map(term).collect();
        terms.map_err(|error| self.unreadable(&error))
    }

    /// How many texts have a word, counted as far as `most`.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn texts_with(&self, word: &Word, most: u32) -> Result<u32> {
        let Some(expression) = word.expression() else { return Ok(0) };
        let mut db = self.reader().await?;
        let query = sqlx::query_scalar(passages::FITTING).bind(expression).bind(i64::from(most));
        query.fetch_one(&mut *db).await.map_err(|error| self.failed(&error))
    }

    /// Runs of earlier versions whose texts are not indexed yet, the newest first: id and kind.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn unindexed_runs(&self, limit: u32) -> Result<Vec<(String, String)>> {
        let mut db = self.reader().await?;
        let query = sqlx::query_as(passages::UNINDEXED).bind(i64::from(limit.clamp(1, MAX_PAGE)));
        query.fetch_all(&mut *db).await.map_err(|error| self.failed(&error))
    }

    /// Texts of earlier versions whose words are to be indexed again, the newest first, as far as some of those before a number
    /// (`i64::MAX` at the beginning).
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn unworded_passages(&self, before: i64, limit: u32) -> Result<Vec<FoundText>> {
        let mut db = self.reader().await?;
        let query = sqlx::query_scalar(passages::UNWORDED);
        let query = query.bind(before).bind(i64::from(limit.clamp(1, MAX_PAGE)));
        let numbers: Vec<i64> = query.fetch_all(&mut *db).await.map_err(|error| self.failed(&error))?;
        drop(db);
        if numbers.is_empty() { Ok(Vec::new()) } else { self.passage_texts(&numbers).await }
    }

    /// Indexes the words of some texts, given by their numbers.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn index_words(&self, texts: &[(i64, String)]) -> Result<()> {
        let rows: Vec<(i64, String)> =
            texts.iter().map(|(no, text)| (*no, passages::indexed(text).into_owned())).collect();
        let statements = statements(&passages::REWORD, &rows, |values, (no, words)| {
            values.add(*no)?;
            values.add(words.clone())
        })?;
        self.edit(statements, Durability::Normal).await.map(drop)
    }

    /// Makes a run's index anew, whatever it was; a run that is gone by now has none. Texts that are not stored yet are.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn index_run(&self, run: &str, passages: Vec<Passage>) -> Result<()> {
        let unsaid = Statement::new(passages::UNSAID, |script| script.text(run)?.text(run).map(drop))?;
        let forget = Statement::new(passages::FORGET, |script| script.text(run).map(drop))?;
        let mut statements = vec![unsaid, forget];
        if self.get_run(run).await.is_ok() {
            let mut found = Commit { run: run.to_owned(), passages, ..Commit::default() };
            let known = self.resolve_references(&mut found).await?;
            let Commit { passages, mut blobs, mut refs, .. } = found;
            if let Some(last) = passages.last() {
                let said = Statement::new(passages::SAID, |script| add_said(script, run, &passages, last));
                statements.push(said?);
            }
            for passage in passages.iter().filter(|passage| !known.contains_key(&passage.blob)) {
                let blob = Blob::new(passage.text.clone().into_bytes())?;
                if self.is_blob(passage.blob).await? {
                    refs.push(passage.blob);
                } else if blob.hash() == passage.blob {
                    blobs.push(blob);
                }
            }
            let rows = Rows::new(blobs, refs, passages, &known);
            statements.extend(fill(&[(run, &rows)])?);
            statements.push(Statement::new(passages::INDEXED, |script| script.text(run).map(drop))?);
        }
        match self.edit(statements, Durability::Normal).await {
            Ok(_) | Err(StoreError::UnknownRun { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

async fn found_text(db: &mut SqliteConnection, row: &SqliteRow) -> sqlx::Result<FoundText> {
    let hash: Option<Vec<u8>> = row.try_get(3)?;
    let hash = hash.and_then(|hash| <[u8; 32]>::try_from(hash).ok()).map(BlobHash::from_bytes);
    let packed: Option<i64> = row.try_get(4)?;
    let bytes = match (hash, packed) {
        (Some(hash), _) => blobs::checked_bytes(row, 0, hash)?.ok(),
        (None, Some(_)) => {
            let part = usize::try_from(row.try_get::<i64, _>(8)?).unwrap_or(usize::MAX);
            let pack = Pack::read(db, row, 4).await?.ok();
            pack.and_then(|pack| pack.get(part).map(|(_, bytes)| bytes.to_owned()))
        }
        (None, None) => None,
    };
    Ok(FoundText {
        bytes,
        no: row.try_get(9)?,
        run: row.try_get(10)?,
        role: Role::from_number(row.try_get(11)?).unwrap_or(Role::User),
        step: row.try_get(12)?,
        at_ms: row.try_get(13)?,
    })
}
