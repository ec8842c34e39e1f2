//! The answer that a follow-up builds on.

use serde::{Deserialize, Serialize};

/// An earlier answer, as the documents that build on it name it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EarlierAnswer {
    /// The run that gave it.
    pub run: String,
    /// The question as it was asked.
    pub question: String,
    /// The day on which it was asked, as `2026-11-28`.
    pub asked: String,
    /// The agent's name.
    pub agent: String,
    /// The document's title.
    pub title: String,
}

impl EarlierAnswer {
    /// The same with each of its texts as `clean` has it.
    pub fn cleaned(&self, clean: impl Fn(&str) -> String) -> Self {
        Self {
            run: self.run.clone(),
            question: clean(&self.question),
            asked: self.asked.clone(),
            agent: clean(&self.agent),
            title: clean(&self.title),
        }
    }

    /// The address that opens it in the program, where its run's id is one.
    pub fn address(&self) -> Option<String> {
        let is_id =
            self.run.starts_with("run-") && self.run.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        is_id.then(|| format!("agentnative://run/{}", self.run))
    }

    /// What stands behind its title: who answered, when, and to which question, where the title does not say.
    pub fn details(&self) -> String {
        let question = self.question.split_whitespace().collect::<Vec<_>>().join(" ");
        let words = |text: &str| text.trim().trim_end_matches(['?', '.', '\u{2026}']).to_lowercase();
        let asks = (!words(&self.title).ends_with(&words(&question)))
            .then(|| format!("asked: \u{201c}{question}\u{201d}"));
        let day = self.day();
        let parts = [Some(self.agent.as_str()), day.as_deref(), asks.as_deref()];
        let parts: Vec<&str> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
        parts.join(", ")
    }

    /// The day in words, as `28 November 2026`.
    fn day(&self) -> Option<String> {
        let mut parts = self.asked.splitn(3, '-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
        let month = crate::MONTHS.get(month.parse::<usize>().ok()?.checked_sub(1)?)?;
        Some(format!("{} {month} {year}", day.parse::<u32>().ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_earlier_answer_is_named_by_agent_day_and_question() {
        let earlier = EarlierAnswer {
            run: "run-01ab".to_owned(),
            question: "When is it set?".to_owned(),
            asked: "2026-03-07".to_owned(),
            agent: "Research".to_owned(),
            title: "Follow-up 1: When is it set?".to_owned(),
        };
        assert_eq!(earlier.details(), "Research, 7 March 2026");
        let other =
            EarlierAnswer { title: "Materiality".to_owned(), asked: "soon".to_owned(), ..earlier.clone() };
        assert_eq!(other.details(), "Research, asked: \u{201c}When is it set?\u{201d}");
        assert_eq!(earlier.address().as_deref(), Some("agentnative://run/run-01ab"));
        assert_eq!(EarlierAnswer { run: "run-1)(x".to_owned(), ..earlier }.address(), None);
    }
}
