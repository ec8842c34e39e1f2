//! What the tray shows: how many runs are under way, who waits, what was worked on last.

use protocol::SessionRow;

/// Sessions of each kind in the menu.
pub const ENTRIES: usize = 5;
/// Characters of a title in the menu.
const TITLE: usize = 48;

/// How things stand, at a glance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrayState {
    /// Nothing is under way.
    Idle,
    /// Runs are under way.
    Running(u32),
    /// Runs wait for the person.
    NeedsYou(u32),
}

/// A session in the menu.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its id.
    pub session: String,
    /// Its title, short.
    pub title: String,
}

/// What the tray shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Board {
    /// Sessions with a run under way.
    pub running: u32,
    /// Sessions whose run waits for the person.
    pub needs_you: u32,
    /// The first of those who wait.
    pub waiting: Vec<Entry>,
    /// The sessions of late, without those who wait.
    pub recent: Vec<Entry>,
    /// Whether the person wants to be told.
    pub notifies: bool,
}

impl Board {
    /// Puts it together from what the api lists.
    pub fn new(
        running: u32,
        needs_you: u32,
        waiting: Vec<SessionRow>,
        recent: Vec<SessionRow>,
        notifies: bool,
    ) -> Self {
        let entry = |row: SessionRow| Entry { title: short(&row.title), session: row.session };
        let waiting: Vec<Entry> = waiting.into_iter().take(ENTRIES).map(entry).collect();
        let recent =
            recent.into_iter().map(entry).filter(|entry| !waiting.contains(entry)).take(ENTRIES).collect();
        Self { running, needs_you, waiting, recent, notifies }
    }

    /// What matters most.
    pub fn state(&self) -> TrayState {
        match (self.needs_you, self.running) {
            (0, 0) => TrayState::Idle,
            (0, running) => TrayState::Running(running),
            (waiting, _) => TrayState::NeedsYou(waiting),
        }
    }

    /// In words, for the tooltip.
    pub fn words(&self) -> String {
        let mut parts = Vec::new();
        if self.needs_you > 0 {
            parts.push(format!("{} need{} you", self.needs_you, if self.needs_you == 1 { "s" } else { "" }));
        }
        if self.running > 0 {
            parts.push(format!("{} running", self.running));
        }
        if parts.is_empty() { "idle".to_owned() } else { parts.join(", ") }
    }
}

/// One line of at most [`TITLE`] characters.
pub fn short(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("Untitled");
    let line: String = line.chars().filter(|c| !c.is_control()).collect();
    if line.chars().count() <= TITLE {
        return line;
    }
    let cut: String = line.chars().take(TITLE - 1).collect();
    format!("{}…", cut.trim_end())
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    fn row(session: &str, title: &str) -> SessionRow {
        SessionRow {
            session: session.to_owned(),
            title: title.to_owned(),
            created_at: 0,
            updated_at: 0,
            runs: 1,
            latest: None,
            flagged: false,
            unread: false,
            archived: false,
            deleted: false,
            has_draft: false,
            connection: String::new(),
            model: String::new(),
            connection_gone: false,
            workspace: "default".to_owned(),
            status: "todo".to_owned(),
            labels: Vec::new(),
            preview: String::new(),
            messages: 1,
            mode: domain::Mode::Ask,
            stale: 0,
        }
    }

    #[test]
    fn who_waits_matters_more_than_who_runs() {
        let standing = |running, needs_you| Board::new(running, needs_you, vec![], vec![], true).state();
        assert_eq!(standing(0, 0), TrayState::Idle);
        assert_eq!(standing(2, 0), TrayState::Running(2));
        assert_eq!(standing(2, 1), TrayState::NeedsYou(1));
    }

    #[test]
    fn the_words_tell_of_both() {
        let words = |running, needs_you| Board::new(running, needs_you, vec![], vec![], true).words();
        assert_eq!(words(0, 0), "idle");
        assert_eq!(words(0, 1), "1 needs you");
        assert_eq!(words(3, 2), "2 need you, 3 running");
    }

    #[test]
    fn who_waits_is_not_listed_twice() {
        let board = Board::new(0, 1, vec![row("a", "A")], vec![row("a", "A"), row("b", "B")], true);
        assert_eq!(board.waiting, [Entry { session: "a".to_owned(), title: "A".to_owned() }]);
        assert_eq!(board.recent, [Entry { session: "b".to_owned(), title: "B".to_owned() }]);
    }

    #[test]
    fn a_title_is_one_short_line() {
        assert_eq!(short("\n  How should an auditor…\nsecond"), "How should an auditor…");
        assert_eq!(short(""), "Untitled");
        assert_eq!(short(&"ä".repeat(60)).chars().count(), TITLE);
    }
}
