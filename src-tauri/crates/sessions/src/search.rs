//! The search over everything that was said.

use std::collections::HashMap;

use domain::Problem;
use organise::SearchLine;
use protocol::{ContentHits, ContentQuery, MessageHit, SessionHit};
use store::{Found, FoundText, Role, Session, SessionFilter, Word, Words};

use crate::Sessions;
use crate::columns::Context;
use crate::excerpt::{ExcerptTerm, excerpt, folded, has_any, unmarked};
use crate::groups::{narrowed_by, searched, words_of};
use crate::lists::{Lists, completed, in_utf16};
use crate::slip::Slip;

/// Most sessions of a page, and how many when none are asked for.
const MAX_HITS: u32 = 100;
const HITS: u32 = 20;
/// Messages that are shown of a session.
const MESSAGES: usize = 3;
/// Sessions that are found by their title at most.
const MAX_TITLES: u32 = 200;
/// The most messages that are counted of a session.
const MAX_COUNTED: u32 = 1_000;
/// A title that has the words is worth as much as this share of the best message.
const TITLE_BONUS: f64 = 1.5;
/// Of texts, words with fewer letters are not completed.
const MIN_PREFIX_CHARS: usize = 3;
/// Where more texts have the words, nothing else is offered.
const FEW: usize = 3;
/// What else is offered is in so many times as many texts.
const MORE: usize = 10;
/// Words of a line that are corrected at most, and words that are tried for each.
const MAX_SLIPS: usize = 4;
const MAX_TRIED: usize = 5;
/// Words that so many texts have are no slip.
const NO_SLIP: usize = 50;
/// Shorter words are not corrected.
const MIN_CORRECTED_CHARS: usize = 4;

/// A session on its way to the surface.
struct Hit<'a> {
    session: Option<Session>,
    found: Vec<&'a Found>,
    score: f64,
    place: usize,
}

impl Sessions {
    /// Searches everything that was said.
    pub async fn content_search(&self, query: ContentQuery) -> Result<ContentHits, Problem> {
        let (lists, live) = (self.lists().await?, self.live_runs());
        let line = &query.line;
        let known = self.known_of(line, query.caret.is_some(), &lists).await?;
        let read = SearchLine::parse(line, &lists.scope(query.offset_minutes), &lists.statuses.list, &known);
        let mut hits = ContentHits { mistakes: in_utf16(&read.mistakes, line), ..ContentHits::default() };
        if let Some(caret) = query.caret {
            let caret = organise::byte_of_utf16(line, caret as usize);
            hits.completions = completed(SearchLine::complete(line, caret, &known), line);
        }
        if read.terms.is_empty() || !read.refused().is_empty() {
            return Ok(hits);
        }
        let context = Context::new(&lists, &live, query.offset_minutes);
        let condition = read.condition();
        let (clause, exact) = context.compile(&condition);
        let workspace = query.workspace.clone().unwrap_or_else(|| self.env.slug().to_owned());
        let filter = narrowed_by(searched(Some(workspace)), clause);
        let prefix = !line.ends_with(char::is_whitespace);
        let mut words = words_of(read.words(), prefix);
        let limit = (if query.limit == 0 { HITS } else { query.limit.min(MAX_HITS) }) as usize;
        let session = query.session.as_deref();
        let mut titles = self.titled(&words, &filter, session).await?;
        let mut found = self.env.store().search_passages(&long_beginnings(&words), &filter, session).await?;
        let mut is_corrected = false;
        if titles.is_empty() && session.is_none() && found.len() < NO_SLIP {
            // Nobody's title has the words as they were typed, and hardly a text: titles with words that are nearly the same.
            if let Some((near, meant)) = self.corrected(&words, line, &filter).await? {
                titles = self.titled(&near, &filter, None).await?;
                if !titles.is_empty() {
                    hits.meant = found.is_empty().then_some(meant);
                    if found.is_empty() {
                        found = self.env.store().search_passages(&near, &filter, None).await?;
                    }
                    words = near;
                    is_corrected = true;
                }
            }
        }
        // While the line is typed, completions are what is asked for.
        let is_little = !is_corrected && titles.is_empty() && found.len() <= FEW && query.caret.is_none();
        if is_little && let Some((near, line)) = self.respelt(&words, line, &filter).await? {
            let more = self.env.store().search_passages(&long_beginnings(&near), &filter, session).await?;
            if found.is_empty() {
                titles = self.titled(&near, &filter, session).await?;
                if !(more.is_empty() && titles.is_empty()) {
                    (found, words, hits.meant) = (more, near, Some(line));
                }
            } else if more.len() >= found.len() * MORE {
                hits.suggested = Some(line);
            }
        }
        let wanted = wanted(&words);
        if wanted.is_empty() {
            // Filters alone: the newest sessions that fit.
            return self
                .filtered(hits, &filter, &condition, exact, &context, &lists, &live, query.after, limit)
                .await;
        }
        let mut order = ranked(&found, titles);
        order.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.place.cmp(&b.place)));
        // The best messages of each session that is shown.
        let mut shown: Vec<Vec<i64>> = Vec::new();
        let mut passed = 0;
        for hit in order {
            let has_title = hit.session.is_some();
            let row = match hit.session {
                Some(session) => Some(session),
                None => match hit.found.first() {
                    Some(first) => self.env.store().get_session(&first.session).await?,
                    None => None,
                },
            };
            let Some(row) = row.filter(|row| exact || context.holds(&condition, row)) else { continue };
            let mut best = self.shown(&row.id, hit.found).await?;
            if best.is_empty() && !has_title {
                continue;
            }
            passed += 1;
            if passed <= query.after {
                continue;
            }
            if hits.sessions.len() == limit {
                hits.more = true;
                break;
            }
            let title = if has_any(&row.title, &wanted) { excerpt(&row.title, &wanted) } else { Vec::new() };
            best.sort_by(|a, b| b.score.total_cmp(&a.score));
            let found = u32::try_from(best.len()).unwrap_or(u32::MAX).min(MAX_COUNTED);
            let mut rows = self.rows(vec![row], &lists, &live);
            if let Some(session) = rows.pop() {
                shown.push(best.into_iter().take(MESSAGES).map(|found| found.no).collect::<Vec<i64>>());
                hits.sessions.push(SessionHit { session, title, messages: Vec::new(), found });
            }
        }
        let texts = self.env.store().passage_texts(&shown.concat()).await?;
        let texts: HashMap<i64, &FoundText> = texts.iter().map(|said| (said.no, said)).collect();
        for (hit, numbers) in hits.sessions.iter_mut().zip(shown) {
            let said = numbers.iter().filter_map(|number| texts.get(number));
            hit.messages = said.map(|said| message(said, &wanted)).collect();
        }
        Ok(hits)
    }

    /// What was found in a session, but for the turns that others replaced: nothing would show them.
    async fn shown<'f>(&self, session: &str, mut found: Vec<&'f Found>) -> Result<Vec<&'f Found>, Problem> {
        if !found.is_empty() {
            let replaced = self.env.engine.session_entries(session).await?.replaced;
            found.retain(|found| replaced.iter().all(|run| run.0 != found.run));
        }
        Ok(found)
    }

    async fn titled(
        &self,
        words: &Words,
        filter: &SessionFilter,
        session: Option<&str>,
    ) -> Result<Vec<Session>, Problem> {
        let titles = self.env.store().search_titles(words, filter, MAX_TITLES).await?;
        Ok(titles.into_iter().filter(|title| session.is_none_or(|session| title.id == session)).collect())
    }

    /// The words with those that no title has replaced by the nearest that titles have, and the line with them.
    async fn corrected(
        &self,
        words: &Words,
        line: &str,
        filter: &SessionFilter,
    ) -> Result<Option<(Words, String)>, Problem> {
        let slip = |word: &Word| match word.any.as_slice() {
            [text] if !word.negated => {
                let folded = folded(text);
                let length = folded.chars().count();
                let far = if length < 8 { 1 } else { 2 };
                (length >= MIN_CORRECTED_CHARS && !folded.contains(' '))
                    .then(|| (text.clone(), folded, length, far))
            }
            _ => None,
        };
        // A word that some title has is none.
        let mut slips = Vec::new();
        for (place, word) in words.0.iter().enumerate() {
            if let Some((text, folded, length, far)) = slip(word)
                && !self.env.store().is_title_term(&folded).await?
            {
                slips.push((place, text, folded, length, far));
            }
        }
        let bounds = slips.iter().map(|(_, _, _, length, far)| (length.saturating_sub(*far), length + far));
        let Some((least, most)) = bounds.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))) else { return Ok(None) };
        let terms = self.env.store().title_terms(least..=most).await?;
        let (mut near, mut meant, mut any) = (words.clone(), line.to_owned(), false);
        for (place, text, folded, length, far) in slips {
            let mut nearest: Vec<(usize, String)> = terms
                .iter()
                .filter(|term| term.chars().count().abs_diff(length) <= far)
                .map(|term| (strsim::osa_distance(&folded, term), term.clone()))
                .filter(|(distance, _)| *distance <= far)
                .collect();
            nearest.sort();
            // The list of words is that of all workspaces: what no title here has is meant by nobody here.
            let mut here = Vec::new();
            for (distance, term) in nearest {
                if here.first().is_some_and(|(first, _)| *first < distance) {
                    break;
                }
                if !self.titled(&whole(&term), filter, None).await?.is_empty() {
                    here.push((distance, term));
                }
            }
            let nearest = here;
            let Some((distance, first)) = nearest.first().cloned() else { continue };
            any = true;
            meant = meant.replacen(text.as_str(), &first, 1);
            let word = &mut near.0[place];
            word.prefix = false;
            word.any =
                nearest.into_iter().filter(|(other, _)| *other == distance).map(|(_, term)| term).collect();
        }
        Ok(any.then_some((near, meant)))
    }

    /// The words with those that hardly a text has replaced by the nearest that texts have, and the line with them.
    async fn respelt(
        &self,
        words: &Words,
        line: &str,
        filter: &SessionFilter,
    ) -> Result<Option<(Words, String)>, Problem> {
        let store = self.env.store();
        let (mut near, mut line, mut any) = (words.clone(), line.to_owned(), false);
        let slips = near.0.iter_mut().filter_map(|word| Slip::new(word).map(move |slip| (word, slip)));
        // It reads many pieces of the index: once for a line.
        let mut looked_further = false;
        for (word, slip) in slips.take(MAX_SLIPS) {
            let own = store.texts_with(word, FEW as u32 + 1).await?;
            if own > FEW as u32 {
                continue;
            }
            let (least, most) = slip.lengths();
            let terms = store.text_terms(&slip.beginnings(), least..=most).await?;
            let mut nearest = slip.nearest(terms);
            if nearest.is_empty() && !std::mem::replace(&mut looked_further, true) {
                let further = store.text_terms(&slip.further_beginnings(), least..=most).await?;
                nearest = slip.nearest(further);
            }
            for term in nearest.into_iter().take(MAX_TRIED) {
                let whole = Word { any: vec![term.text.clone()], prefix: false, negated: false };
                // Counted anew: texts that are gone still count in the list of words.
                let needed = (own * MORE as u32).max(1);
                if store.texts_with(&whole, needed).await? >= needed
                    && !store.search_passages(&Words(vec![whole.clone()]), filter, None).await?.is_empty()
                {
                    line = slip.replaced(&line, &term.text);
                    *word = whole;
                    any = true;
                    break;
                }
            }
        }
        Ok(any.then_some((near, line)))
    }

    #[expect(clippy::too_many_arguments, reason = "what one search has read already")]
    async fn filtered(
        &self,
        mut hits: ContentHits,
        filter: &SessionFilter,
        condition: &organise::Condition,
        exact: bool,
        context: &Context<'_>,
        lists: &Lists,
        live: &[String],
        after: u32,
        limit: usize,
    ) -> Result<ContentHits, Problem> {
        let (mut before, mut passed) = (None, 0);
        let mut rows = Vec::new();
        'pages: loop {
            let page = self.env.store().list_sessions(filter, before, 500).await?;
            for session in page.sessions {
                if !exact && !context.holds(condition, &session) {
                    continue;
                }
                passed += 1;
                if passed <= after {
                    continue;
                }
                if rows.len() == limit {
                    hits.more = true;
                    break 'pages;
                }
                rows.push(session);
            }
            match page.next {
                Some(next) => before = Some(next),
                None => break,
            }
        }
        let hit = |session| SessionHit { session, title: Vec::new(), messages: Vec::new(), found: 0 };
        hits.sessions = self.rows(rows, lists, live).into_iter().map(hit).collect();
        Ok(hits)
    }
}

/// A message with what stands around the words.
fn message(said: &FoundText, wanted: &[ExcerptTerm]) -> MessageHit {
    let text = said.bytes.as_ref().map(|bytes| engine::passage_text(said.role, bytes)).unwrap_or_default();
    let text = if said.role == Role::Tool { text } else { unmarked(&text) };
    MessageHit {
        run: said.run.clone(),
        step: said.step.clone(),
        role: said.role.as_str().to_owned(),
        at: said.at_ms,
        text: excerpt(&text, wanted),
    }
}

/// Sessions with what was found in them; those found by title among them.
fn ranked(found: &[Found], titles: Vec<Session>) -> Vec<Hit<'_>> {
    let mut order: Vec<Hit<'_>> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for hit in found {
        let place = *places.entry(hit.session.as_str()).or_insert_with(|| {
            order.push(Hit { session: None, found: Vec::new(), score: 0.0, place: order.len() });
            order.len() - 1
        });
        order[place].found.push(hit);
    }
    let count = order.len().max(1) as f64;
    for hit in &mut order {
        let best = hit.found.iter().map(|found| found.score).fold(0.0, f64::max);
        // Several messages count for a little, and so does being new: found texts come the newest first.
        let many = (hit.found.len() as f64).ln_1p() * 0.1;
        let fresh = 0.2 * (1.0 - hit.place as f64 / count);
        hit.score = best * (1.0 + many + fresh);
    }
    let best = order.iter().map(|hit| hit.score).fold(1.0, f64::max);
    for title in titles {
        match places.get(title.id.as_str()).copied() {
            Some(place) => {
                order[place].score += best * TITLE_BONUS;
                order[place].session = Some(title);
            }
            None => {
                let place = order.len();
                order.push(Hit { session: Some(title), found: Vec::new(), score: best * TITLE_BONUS, place });
            }
        }
    }
    order
}

/// Words that have just been begun are whole words of texts: too much begins like them.
fn long_beginnings(words: &Words) -> Words {
    let mut words = words.clone();
    for word in &mut words.0 {
        let letters = |text: &String| text.chars().filter(|c| c.is_alphanumeric()).count();
        word.prefix &= word.any.iter().all(|text| letters(text) >= MIN_PREFIX_CHARS);
    }
    words
}

fn wanted(words: &Words) -> Vec<ExcerptTerm> {
    let words = words.0.iter().filter(|word| !word.negated);
    words.flat_map(|word| word.any.iter().map(|text| ExcerptTerm::new(text, word.prefix))).collect()
}

/// A single word as it stands.
fn whole(term: &str) -> Words {
    Words(vec![Word { any: vec![term.to_owned()], prefix: false, negated: false }])
}
