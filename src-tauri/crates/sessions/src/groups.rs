//! Lists of sessions: shelves, views, filters, groups.

use domain::{ErrorCode, Problem};
use organise::{Condition, Expression, Field, Group, Mistake, SearchLine, Term, Test};
use protocol::{
    GroupFilter, GroupQuery, GroupRow, SessionPage, SessionQuery, SessionRow, SessionSort, SessionView,
};
use store::{Clause, Folder, Latest, Part, Session, SessionCursor, SessionFilter, Word, Words};
use support::now_ms;

use crate::Sessions;
use crate::columns::Context;
use crate::list::{of_view, row};
use crate::lists::{Lists, in_utf16};

/// Most rows of a list, and how many when none are asked for.
const MAX_ROWS: u32 = 200;
const DEFAULT_ROWS: u32 = 100;
/// Sessions that are looked at in one go where SQL can't say the whole condition.
const AT_ONCE: u32 = 500;
/// The length of a day, in milliseconds.
const DAY: i64 = 86_400_000;
/// Groups of dates, the latest first: their keys and how many days before today they begin.
const DATES: [(&str, i64); 4] = [("today", 0), ("yesterday", 1), ("week", 7), ("month", 30)];
const OLDER: &str = "older";

/// A list as the database is asked for it.
struct NarrowedQuery {
    filter: SessionFilter,
    /// What has to be asked of each session besides.
    holds: Option<Condition>,
    /// What it is sorted by, besides the order of change.
    order: Option<String>,
    /// What is odd in the line: told where nothing is found.
    doubts: Vec<Mistake>,
}

impl Sessions {
    /// Lists sessions.
    pub async fn session_list(&self, query: SessionQuery) -> Result<SessionPage, Problem> {
        let (lists, live) = (self.lists().await?, self.live_runs());
        let limit = if query.limit == 0 { DEFAULT_ROWS } else { query.limit.min(MAX_ROWS) };
        let narrowed = match self.narrowed(&query, &lists, &live).await? {
            Ok(narrowed) => narrowed,
            Err(mistakes) => return Ok(SessionPage { sessions: Vec::new(), next: None, mistakes }),
        };
        let (sessions, next) = self.page_of(&query, &narrowed, &lists, &live, limit).await?;
        let mistakes =
            if sessions.is_empty() && query.before.is_none() { narrowed.doubts } else { Vec::new() };
        Ok(SessionPage { sessions: self.rows(sessions, &lists, &live), next, mistakes })
    }

    /// Rows as surfaces see them.
    pub fn rows(&self, sessions: Vec<Session>, lists: &Lists, live: &[String]) -> Vec<SessionRow> {
        // Read once for the whole page.
        let (kept, program) = (self.registry.kept(), self.registry.built_in());
        let has = |slug: &str| program.contains_key(slug) || kept.entry(slug).is_some();
        let stale = self.env.stale_answers.read();
        sessions.into_iter().map(|session| row(session, lists, live, &has, &stale)).collect()
    }

    async fn page_of(
        &self,
        query: &SessionQuery,
        narrowed: &NarrowedQuery,
        lists: &Lists,
        live: &[String],
        limit: u32,
    ) -> Result<(Vec<Session>, Option<i64>), Problem> {
        let NarrowedQuery { filter, holds, order, doubts: _ } = narrowed;
        let context = Context::new(lists, live, query.offset_minutes);
        let wanted =
            |session: &Session| holds.as_ref().is_none_or(|condition| context.holds(condition, session));
        let mut found: Vec<Session> = Vec::new();
        let mut before = query.before;
        loop {
            let size = if holds.is_some() { AT_ONCE } else { limit };
            let (sessions, more): (Vec<Session>, bool) = match order {
                Some(order) => {
                    let skip = u32::try_from(before.unwrap_or(0)).unwrap_or_default();
                    self.env.store().list_sorted(filter, order, skip, size).await?
                }
                None => {
                    let cursor = before.map(SessionCursor);
                    let page = match query.view == SessionView::NeedsYou {
                        true => self.needing(filter, live, cursor, size).await?,
                        false => self.env.store().list_sessions(filter, cursor, size).await?,
                    };
                    (page.sessions, page.next.is_some())
                }
            };
            let last = sessions.len();
            for (place, session) in sessions.into_iter().enumerate() {
                let at = match order {
                    Some(_) => before.unwrap_or(0) + 1,
                    None => session.cursor.0,
                };
                before = Some(at);
                if wanted(&session) {
                    found.push(session);
                }
                if found.len() == limit as usize {
                    return Ok((found, (more || place + 1 < last).then_some(at)));
                }
            }
            if !more || last == 0 {
                return Ok((found, None));
            }
        }
    }

    /// How many sessions in sight a condition holds for.
    pub async fn count_holding(
        &self,
        condition: &Condition,
        lists: &Lists,
        offset_minutes: i32,
    ) -> Result<u32, Problem> {
        let live = self.live_runs();
        let context = Context::new(lists, &live, offset_minutes);
        let (clause, exact) = context.compile(condition);
        let filter = SessionFilter { clause: Some(clause), ..self.in_sight() };
        if exact {
            return Ok(self.env.store().count_where(&filter).await?);
        }
        let (mut count, mut before) = (0, None);
        loop {
            let page = self.env.store().list_sessions(&filter, before, AT_ONCE).await?;
            count += page.sessions.iter().filter(|session| context.holds(condition, session)).count() as u32;
            match page.next {
                Some(next) => before = Some(next),
                None => return Ok(count),
            }
        }
    }

    /// The groups of a list.
    pub async fn session_groups(&self, asked: GroupQuery) -> Result<Vec<GroupRow>, Problem> {
        let GroupQuery { list: query, by } = asked;
        let (lists, live) = (self.lists().await?, self.live_runs());
        let Ok(NarrowedQuery { filter, holds, .. }) = self.narrowed(&query, &lists, &live).await? else {
            return Ok(Vec::new());
        };
        let filter = with_latest(filter);
        let context = Context::new(&lists, &live, query.offset_minutes);
        let mut groups: Vec<GroupRow> = Vec::new();
        if holds.is_some() {
            // What SQL can't say is asked of each session, and so is its group.
            let (mut before, now) = (None, now_ms());
            loop {
                let page = self.env.store().list_sessions(&filter, before, AT_ONCE).await?;
                for session in page.sessions {
                    if holds.as_ref().is_some_and(|condition| !context.holds(condition, &session)) {
                        continue;
                    }
                    for key in keys(&session, by, &lists, now, query.offset_minutes) {
                        match groups.iter_mut().find(|group| group.key == key) {
                            Some(group) => group.sessions += 1,
                            None => groups.push(GroupRow { key, sessions: 1 }),
                        }
                    }
                }
                match page.next {
                    Some(next) => before = Some(next),
                    None => break,
                }
            }
        } else if by == Group::Label {
            let counts = self.env.store().count_by_label(&filter).await?;
            groups.extend(counts.into_iter().map(|(key, sessions)| GroupRow { key, sessions }));
            let none = narrowed_by(filter.clone(), Clause(vec![Part::Sql(UNLABELLED.to_owned())]));
            let sessions = self.env.store().count_where(&none).await?;
            groups.extend((sessions > 0).then_some(GroupRow { key: String::new(), sessions }));
        } else {
            let key = key_of(by, &context, query.offset_minutes);
            let counts = self.env.store().count_by(&filter, &key).await?;
            groups.extend(counts.into_iter().map(|(key, sessions)| GroupRow { key, sessions }));
        }
        let place = |key: &str| -> usize {
            let of = |mut keys: Vec<&str>| {
                keys.push(OLDER);
                keys.iter().position(|known| *known == key).unwrap_or(usize::MAX)
            };
            match by {
                Group::Status => {
                    of(lists.statuses.list.sorted().iter().map(|status| status.id.as_str()).collect())
                }
                Group::Label => of(lists.labels.list.ids().collect()),
                Group::Date => of(DATES.iter().map(|(key, _)| *key).collect()),
                Group::Unread => of(vec!["unread", "read"]),
                Group::Mode => of(vec!["safe", "ask", "allow-all"]),
                Group::Agent | Group::Model => usize::from(key.is_empty()),
            }
        };
        groups.sort_by(|a, b| (place(&a.key), &a.key).cmp(&(place(&b.key), &b.key)));
        Ok(groups)
    }

    /// The list that a query asks for, or what is wrong with its texts.
    async fn narrowed(
        &self,
        query: &SessionQuery,
        lists: &Lists,
        live: &[String],
    ) -> Result<Result<NarrowedQuery, Vec<Mistake>>, Problem> {
        let context = Context::new(lists, live, query.offset_minutes);
        let mut conditions: Vec<Condition> = Vec::new();
        let mut order = None;
        let mut doubts = Vec::new();
        let mut filter = SessionFilter {
            text: query.text.as_ref().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()),
            agent: query.agent.clone(),
            workspace: Some(query.workspace.clone().unwrap_or_else(|| self.env.slug().to_owned())),
            ..of_view(query.view, live)
        };
        if let Some(id) = &query.saved {
            let entry = lists.views.list.find(id).ok_or_else(|| {
                let near = lists.views.list.views.iter().map(|view| view.id.as_str());
                let problem = Problem::new(ErrorCode::NotFound, format!("there is no view `{id}`"));
                match domain::nearest(id, near).first() {
                    Some(near) => problem.with_action(format!("did you mean `{near}`?")),
                    None => problem,
                }
            })?;
            match (&entry.view, &entry.expression) {
                (Ok(view), Ok(expression)) => {
                    conditions.push(expression.condition().clone());
                    order = context.order_by(view);
                }
                (Ok(view), Err(mistakes)) => return Ok(Err(in_utf16(mistakes, &view.expression))),
                (Err(faults), _) => {
                    let words: Vec<String> = faults.iter().map(crate::edit::words).collect();
                    return Err(Problem::new(
                        ErrorCode::InvalidConfig,
                        format!("view `{id}`: {}", words.join("; ")),
                    ));
                }
            }
        }
        if let Some(line) = query.line.as_deref().filter(|line| !line.trim().is_empty()) {
            let scope = lists.scope(query.offset_minutes);
            let known = self.known_of(line, false, lists).await?;
            let read = SearchLine::parse(line, &scope, &lists.statuses.list, &known);
            let refused = read.refused();
            if !refused.is_empty() {
                return Ok(Err(in_utf16(&refused, line)));
            }
            conditions.push(read.condition());
            doubts = in_utf16(&read.mistakes, line);
            if let Some(clause) = words_of(read.words(), true).in_title() {
                filter = narrowed_by(filter, clause);
            }
        }
        let same = |field: Field, value: &str| {
            let text = format!("{} == \"{}\"", field.name(), value.replace(['"', '\\'], ""));
            Expression::parse(&text).map(|expression| expression.condition().clone()).ok()
        };
        conditions.extend(query.status.as_deref().and_then(|status| same(Field::SessionStatus, status)));
        if let Some(label) = &query.label {
            filter = narrowed_by(filter, labelled(&lists.labels.list.family(label)));
        }
        if let Some(GroupFilter { by, key }) = &query.group {
            filter = narrowed_by(filter, in_group(*by, key, &context, query.offset_minutes));
        }
        let condition = conditions.into_iter().reduce(Condition::and);
        let mut holds = None;
        if let Some(condition) = condition {
            let (clause, exact) = context.compile(&condition);
            filter = narrowed_by(filter, clause);
            holds = (!exact).then_some(condition);
        }
        if let Some(sort) = query.sort {
            let by = match sort {
                SessionSort::Changed => "s.updated_at DESC",
                SessionSort::Created => "s.created_at DESC",
                SessionSort::Title => "s.title COLLATE NOCASE",
            };
            order = Some(by.to_owned());
        }
        // Lists of running and waiting runs are put together by state, in the order of change.
        let plain = matches!(filter.latest, Latest::Any);
        Ok(Ok(NarrowedQuery { filter, holds, order: order.filter(|_| plain), doubts }))
    }
}

const UNLABELLED: &str = "NOT EXISTS (SELECT 1 FROM session_labels AS x WHERE x.session = s.no)";

/// Sessions with one of these labels, whatever its value.
pub fn labelled(ids: &[String]) -> Clause {
    let mut parts = vec![Part::Sql("s.no IN (SELECT session FROM session_labels WHERE id IN (".to_owned())];
    for (place, id) in ids.iter().enumerate() {
        if place > 0 {
            parts.push(Part::Sql(", ".to_owned()));
        }
        parts.push(Part::Text(id.clone()));
    }
    if ids.is_empty() {
        parts.push(Part::Sql("NULL".to_owned()));
    }
    parts.push(Part::Sql("))".to_owned()));
    Clause(parts)
}

/// Both conditions.
pub fn narrowed_by(mut filter: SessionFilter, clause: Clause) -> SessionFilter {
    filter.clause = Some(match filter.clause.take() {
        None => clause,
        Some(Clause(mut parts)) => {
            parts.insert(0, Part::Sql("(".to_owned()));
            parts.push(Part::Sql(") AND (".to_owned()));
            parts.extend(clause.0);
            parts.push(Part::Sql(")".to_owned()));
            Clause(parts)
        }
    });
    filter
}

/// The same with how the newest run has to stand said as a condition: for counts.
fn with_latest(filter: SessionFilter) -> SessionFilter {
    let among = |column: &str, not: &str, values: &[String]| {
        let mut parts = vec![Part::Sql(format!("coalesce({column}, '') {not} IN (''"))];
        for value in values {
            parts.push(Part::Sql(", ".to_owned()));
            parts.push(Part::Text(value.clone()));
        }
        parts.push(Part::Sql(")".to_owned()));
        Clause(parts)
    };
    match filter.latest.clone() {
        Latest::Any => filter,
        Latest::Run { runs, status } => {
            let filter = narrowed_by(filter, among("s.latest_run", "", &runs));
            let status = Clause(vec![Part::Sql("s.latest_status = ".to_owned()), Part::Text(status)]);
            SessionFilter { latest: Latest::Any, ..narrowed_by(filter, status) }
        }
        Latest::Status { words, except } => {
            let filter = narrowed_by(filter, among("s.latest_status", "", &words));
            let filter = if except.is_empty() {
                filter
            } else {
                narrowed_by(filter, among("s.latest_run", "NOT", &except))
            };
            SessionFilter { latest: Latest::Any, ..filter }
        }
    }
}

/// Words of a search line for the index; with `prefix` the last one may go on.
pub fn words_of<'a>(terms: impl Iterator<Item = &'a Term>, prefix: bool) -> Words {
    let mut words: Vec<Word> = terms
        .filter_map(|term| match &term.test {
            Test::Word(text) => Some(Word { any: vec![text.clone()], prefix: false, negated: term.negated }),
            Test::Phrase(text) => {
                Some(Word { any: vec![text.clone()], prefix: false, negated: term.negated })
            }
            Test::Filter(_) => None,
        })
        .collect();
    if let Some(last) = words.last_mut().filter(|word| prefix && !word.negated) {
        last.prefix = last.any.iter().all(|text| !text.contains(' '));
    }
    Words(words)
}

/// When the days of the groups of dates begin, in milliseconds since 1970.
fn days(now: i64, offset_minutes: i32) -> [(&'static str, i64); 4] {
    let offset = i64::from(offset_minutes) * 60_000;
    let today = (now + offset).div_euclid(DAY) * DAY - offset;
    DATES.map(|(key, before)| (key, today - before * DAY))
}

/// The key of a session's group in SQL.
fn key_of(by: Group, context: &Context<'_>, offset_minutes: i32) -> String {
    match by {
        Group::Date => {
            let mut key = String::from("CASE");
            for (name, from) in days(now_ms(), offset_minutes) {
                key.push_str(&format!(" WHEN s.updated_at >= {from} THEN '{name}'"));
            }
            format!("{key} ELSE '{OLDER}' END")
        }
        Group::Status => context.status().to_owned(),
        Group::Agent => "s.latest_agent".to_owned(),
        Group::Model => "s.model".to_owned(),
        Group::Mode => "CASE s.mode WHEN '' THEN 'ask' ELSE s.mode END".to_owned(),
        Group::Unread => "CASE WHEN s.unread THEN 'unread' ELSE 'read' END".to_owned(),
        // Labels are counted by their rows.
        Group::Label => "''".to_owned(),
    }
}

/// The groups of a session.
fn keys(session: &Session, by: Group, lists: &Lists, now: i64, offset_minutes: i32) -> Vec<String> {
    let one = |text: &str| vec![text.to_owned()];
    match by {
        Group::Date => {
            let days = days(now, offset_minutes);
            let found = days.iter().find(|(_, from)| session.updated_at >= *from);
            one(found.map_or(OLDER, |(key, _)| key))
        }
        Group::Status => one(crate::columns::effective(&session.status, lists)),
        Group::Agent => one(session.latest.as_ref().map_or("", |latest| latest.agent.as_str())),
        Group::Model => one(&session.model),
        Group::Mode => one(crate::columns::mode_of(&session.mode).as_str()),
        Group::Unread => one(if session.unread { "unread" } else { "read" }),
        Group::Label if session.labels.is_empty() => one(""),
        Group::Label => session.labels.iter().map(|entry| organise::Entry::id_of(entry).to_owned()).collect(),
    }
}

/// Sessions of one group.
fn in_group(by: Group, key: &str, context: &Context<'_>, offset_minutes: i32) -> Clause {
    match (by == Group::Label, key.is_empty()) {
        (true, true) => Clause(vec![Part::Sql(UNLABELLED.to_owned())]),
        (true, false) => labelled(&[key.to_owned()]),
        (false, _) => Clause(vec![
            Part::Sql(format!("({}) = ", key_of(by, context, offset_minutes))),
            Part::Text(key.to_owned()),
        ]),
    }
}

/// The open shelf and the archive together, for searches.
pub fn searched(workspace: Option<String>) -> SessionFilter {
    SessionFilter {
        shelf: Folder::Open,
        archived_too: true,
        anywhere: workspace.is_none(),
        workspace,
        ..SessionFilter::default()
    }
}
