//! What a text says about going on and about acts outside, clause by clause.

use std::ops::Range;

use domain::agent::OutsideAct;

use crate::clause::{Clause, Item, Join, Token, clauses, tokens};
use crate::lexicon::{Entry, Role};

/// What a text says, all its clauses together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Speech {
    /// Acts that are wanted or forbidden, each once.
    pub(crate) acts: Vec<(OutsideAct, bool)>,
    /// Words of offered choices that are wanted or not, by the choice's place.
    pub(crate) own: Vec<(usize, bool)>,
    /// Whether the run is to go on.
    pub(crate) goes_on: Option<bool>,
    /// "No" as an answer, whatever to.
    pub(crate) is_refused: bool,
    /// Straight on.
    pub(crate) is_direct: bool,
    /// "Skip it", of what is not said.
    pub(crate) skips: bool,
    /// The plan is to be changed.
    pub(crate) amends: bool,
    /// Something is disapproved of.
    pub(crate) disapproves: bool,
    /// Doubts, conditions, or a contradiction that no correction explains.
    pub(crate) is_unsure: bool,
    /// Something in it is negated, whatever.
    pub(crate) negates: bool,
    /// Words of the subject that are negated.
    pub(crate) unwanted: Vec<String>,
    /// What is said besides, as it was written.
    pub(crate) rest: Option<String>,
}

impl Speech {
    /// What is said of an act.
    pub(crate) fn act(&self, act: OutsideAct) -> Option<bool> {
        self.acts.iter().find(|(said, _)| *said == act).map(|(_, wanted)| *wanted)
    }

    /// What is said of a choice's own words.
    pub(crate) fn own(&self, choice: usize) -> Option<bool> {
        self.own.iter().find(|(said, _)| *said == choice).map(|(_, wanted)| *wanted)
    }

    /// Whether it says nothing that a choice could be taken by.
    pub(crate) fn decides_nothing(&self) -> bool {
        self.acts.is_empty()
            && self.own.is_empty()
            && self.goes_on.is_none()
            && !self.is_refused
            && !self.skips
            && !self.amends
    }

    /// Reads a text.
    pub(crate) fn read(text: &str, own: &[Entry], acts: &[OutsideAct]) -> Self {
        let tokens = tokens(text);
        let clauses = clauses(&tokens, own, acts);
        let mut reader =
            Reader { said: Self::default(), turned: false, carried: false, before: Antecedent::default() };
        let mut spans: Vec<Range<usize>> = Vec::new();
        let mut follows = false;
        for (at, clause) in clauses.iter().enumerate() {
            let is_last = at + 1 == clauses.len();
            let more = reader.clause(clause, &tokens, is_last, at == 0);
            let Some(more) = more else {
                follows = false;
                continue;
            };
            let bytes = tokens[more.start].at.start..tokens[more.end - 1].at.end;
            match spans.last_mut().filter(|_| follows) {
                Some(last) => last.end = bytes.end,
                None => spans.push(bytes),
            }
            follows = true;
        }
        let mut said = reader.said;
        said.is_direct =
            clauses.iter().any(|clause| clause.items.iter().any(|item| item.role == Role::Directly));
        let negates = |item: &Item| matches!(item.role, Role::Not | Role::No | Role::Skip | Role::Without);
        said.negates = clauses.iter().any(|clause| clause.items.iter().any(negates));
        let rest: Vec<&str> = spans.into_iter().map(|span| text[span].trim()).collect();
        said.rest = Some(rest.join(". ")).filter(|rest| !rest.is_empty());
        said
    }
}

/// What the clause before was about.
#[derive(Debug, Clone, Default)]
struct Antecedent {
    acts: Vec<OutsideAct>,
    /// How its acts were negated.
    negated: bool,
    /// Whether it only names something: "web search: no".
    is_bare: bool,
    /// Whether it consents or refuses to go on.
    goes_on: Option<bool>,
    asked: bool,
}

struct Reader {
    said: Speech,
    /// Whether a correction was announced.
    turned: bool,
    /// Whether the clause before only negated.
    carried: bool,
    before: Antecedent,
}

impl Reader {
    /// Takes a clause in; its tokens that are left for the agent.
    fn clause(
        &mut self,
        clause: &Clause,
        tokens: &[Token],
        is_last: bool,
        is_first: bool,
    ) -> Option<Range<usize>> {
        let items = &clause.items;
        let has = |role: Role| items.iter().any(|item| item.role == role);
        let whole = || Some(items.first()?.tokens.start..items.last()?.tokens.end);
        if clause.join == Join::Because {
            return None;
        }
        if clause.join == Join::If {
            self.said.is_unsure = true;
            return None;
        }
        if has(Role::Turn) {
            self.turned = true;
        }
        if has(Role::Hedge) {
            self.said.is_unsure = true;
        }
        let acts = mentions(items);
        let is_clean = left(items, if acts.is_empty() { Names::Nothing } else { Names::Act }).is_none();
        let negations = |before: usize, all: bool| {
            let count = |(at, item): (usize, &Item)| {
                // "A web search would be wrong", "it would be wrong to skip it".
                !acts.is_empty() && item.role == Role::Against
                    || matches!(item.role, Role::Not | Role::No | Role::Skip) && (all || at < before)
                    || at < before
                        && (item.role == Role::Without || item.role == Role::Halt && !acts.is_empty())
            };
            items.iter().enumerate().filter(|one| count(*one)).count()
        };
        if let (Some(&(first, _)), Some(&(last, _))) = (acts.first(), acts.last()) {
            let shares = match clause.join {
                Join::Or | Join::And => true,
                Join::Comma => items.iter().all(|item| matches!(item.role, Role::Act(_) | Role::Fill)),
                Join::None
                | Join::Colon
                | Join::Stop
                | Join::But
                | Join::Relative
                | Join::Because
                | Join::If => false,
            } && self.before.negated
                && !self.before.acts.is_empty();
            let own = negations(last, true);
            // "Ich will nicht, dass du im Netz suchst"
            let carried = std::mem::take(&mut self.carried) && self.carries(clause, tokens);
            if carried {
                self.said.is_refused = false;
            }
            let negated = (own + usize::from(shares && own == 0 || carried)) % 2 == 1;
            // "don't go on without a web search" wants both.
            let without = items.iter().position(|item| item.role == Role::Without);
            let twice = without.is_some_and(|at| at < last && negations(at, false) % 2 == 1);
            if clause.asked {
                let acts = acts.iter().map(|(_, act)| *act).collect();
                self.before = Antecedent { acts, negated, asked: true, ..Antecedent::default() };
                return None;
            }
            if !is_about(items, first, last, negated, is_clean, tokens) {
                // A negation may concern the act all the same: then a choice that does it is not taken for what is said.
                if negated {
                    self.said.is_unsure = true;
                }
                self.before = Antecedent::default();
                return whole();
            }
            let mut said: Vec<OutsideAct> = Vec::new();
            let searches = items.iter().any(|item| item.role == Role::Search);
            for (at, act) in &acts {
                if said.contains(act) {
                    continue;
                }
                said.push(*act);
                let stays = items[*at].role == Role::Offline || is_local(items);
                self.say_act(*act, negated == stays, clause, tokens);
            }
            if twice {
                self.say_going(true);
            } else if let Some(at) = going(items, is_clean || !negated) {
                // "Don't go on with the web search" is about the search.
                let refused = items[..at].iter().filter(|item| is_no(item)).count() % 2 == 1;
                if !refused {
                    self.say_going(true);
                } else if !negated {
                    self.say_going(false);
                }
            }
            self.before = Antecedent {
                acts: said,
                negated,
                is_bare: !searches && going(items, is_clean).is_none(),
                goes_on: None,
                asked: clause.asked,
            };
            // What is said more of what is wanted goes along; a refusal does not.
            return match negated {
                true => None,
                false => after(items, last, Names::Act),
            };
        }
        let denies = items.iter().any(is_no);
        let praises = || items.iter().any(|item| matches!(item.role, Role::WeakGo | Role::Go | Role::Yes));
        if has(Role::Against) || has(Role::Lacks) || denies && !is_clean && praises() {
            self.said.disapproves = true;
        }
        // "Don't do anything yet", "noch nichts abrufen"
        if denies
            && items.iter().any(|item| matches!(tokens[item.tokens.start].word.as_str(), "yet" | "noch"))
            && !has(Role::Content)
        {
            self.say_going(false);
            return None;
        }
        let own: Vec<(usize, usize)> = items
            .iter()
            .enumerate()
            .filter_map(
                |(at, item)| if let Role::Own(choice) = item.role { Some((at, choice)) } else { None },
            )
            .collect();
        if let Some(&(first, choice)) = own.first()
            && left(&items[..first], Names::Nothing).is_none()
        {
            let negated = negations(first, is_clean) % 2 == 1;
            self.said.own.retain(|(said, _)| *said != choice);
            self.said.own.push((choice, !negated));
            self.before = Antecedent { goes_on: None, ..Antecedent::default() };
            return match negated {
                true => None,
                false => after(items, own.last().map_or(first, |(at, _)| *at), Names::Nothing),
            };
        }
        if is_first && has(Role::Amend) && left(&items[..place(items, Role::Amend)], Names::Nothing).is_none()
        {
            let negated = negations(items.len(), true) % 2 == 1;
            if negated {
                self.before = Antecedent::default();
                return None;
            }
            self.said.amends = true;
            return whole();
        }
        if let Some(at) = going(items, is_clean) {
            let follows = items[at + 1..].iter().any(|item| matches!(item.role, Role::Not | Role::No));
            let trailing = is_clean && follows && !has(Role::Content);
            let negated = items[..at].iter().filter(|item| is_no(item)).count() % 2 == 1;
            let wanted = negated == trailing;
            // "Search the web? Yes."
            if self.before.asked && items[at].role == Role::Yes {
                let negated = self.before.negated;
                for act in std::mem::take(&mut self.before.acts) {
                    self.say_act(act, negated != wanted, clause, tokens);
                }
            }
            if !clause.asked {
                self.say_going(wanted);
                // "Fine, skip it"
                self.said.skips |= has(Role::Skip) && negations(items.len(), true) % 2 == 1;
            }
            self.before = Antecedent {
                goes_on: Some(wanted),
                is_bare: true,
                asked: clause.asked,
                ..Antecedent::default()
            };
            return match wanted {
                true => after(items, at, Names::Nothing),
                false => None,
            };
        }
        let halts = items.iter().any(|item| item.role == Role::Halt);
        let waits = items.iter().any(|item| item.role == Role::Wait);
        if is_clean && (halts || waits) {
            let negated = negations(items.len(), true) % 2 == 1;
            match (negated, halts || is_last) {
                (true, _) => self.say_going(true),
                (false, true) => self.say_going(false),
                (false, false) => self.turned = true,
            }
            return None;
        }
        if is_clean
            && items.iter().any(|item| matches!(item.role, Role::Not | Role::No | Role::Skip))
            && !has(Role::Hedge)
        {
            self.answer_no(clause, items, negations(items.len(), true));
            return None;
        }
        if is_clean {
            return None;
        }
        self.before = Antecedent::default();
        if clause.asked {
            return None;
        }
        if denies && negations(items.len(), true) % 2 == 1 {
            let subject =
                items.iter().filter(|item| matches!(item.role, Role::Word | Role::Do | Role::Local));
            self.said.unwanted.extend(subject.map(|item| tokens[item.tokens.start].word.clone()));
        }
        whole()
    }

    /// "No" on its own: of what was asked or named just before, else of whatever.
    fn answer_no(&mut self, clause: &Clause, items: &[Item], negations: usize) {
        let refuses =
            negations % 2 == 1 || items.iter().all(|item| matches!(item.role, Role::No | Role::Fill));
        if !refuses {
            return;
        }
        let before = std::mem::take(&mut self.before);
        if (before.is_bare || before.asked || self.turned || clause.join == Join::Colon)
            && !before.acts.is_empty()
            && !before.negated
            && clause.join != Join::But
        {
            for act in &before.acts {
                self.said.acts.retain(|(said, _)| said != act);
                self.said.acts.push((*act, false));
            }
            return;
        }
        let skips = items.iter().any(|item| item.role == Role::Skip) && !items.iter().any(is_no);
        // "Ok, skip it"
        self.said.skips |= skips;
        if skips && before.goes_on == Some(true) {
            return;
        }
        if before.asked && before.goes_on.is_some() || before.goes_on == Some(true) {
            self.said.goes_on = Some(false);
            return;
        }
        if !before.acts.is_empty() && !before.negated {
            self.said.is_unsure = true;
        }
        self.carried = items.iter().any(|item| item.role == Role::Not);
        self.said.is_refused = true;
    }

    /// Whether a negation before the clause is about it: a clause with "that", or an infinitive after a comma.
    fn carries(&self, clause: &Clause, tokens: &[Token]) -> bool {
        let infinitive = || {
            clause.items.iter().any(|item| matches!(tokens[item.tokens.end - 1].word.as_str(), "zu" | "to"))
                || clause.items.iter().any(|item| tokens[item.tokens.start].word == "zu")
        };
        clause.join == Join::Relative || clause.join == Join::Comma && infinitive()
    }

    fn say_act(&mut self, act: OutsideAct, wanted: bool, clause: &Clause, tokens: &[Token]) {
        let insists = || {
            let of = |item: &Item| &tokens[item.tokens.start].word;
            clause.items.windows(2).any(|two| {
                of(&two[0]) == "do" && matches!(two[1].role, Role::Search | Role::Do | Role::Go)
                    || of(&two[0]) == "please" && of(&two[1]) == "do"
            })
        };
        if self.said.act(act) == Some(false) && wanted && !(self.turned || insists()) {
            self.said.is_unsure = true;
            return;
        }
        self.said.acts.retain(|(said, _)| *said != act);
        self.said.acts.push((act, wanted));
    }

    fn say_going(&mut self, wanted: bool) {
        if self.said.goes_on == Some(false) && wanted && !self.turned {
            self.said.is_unsure = true;
            return;
        }
        self.said.goes_on = Some(wanted);
    }
}

/// The acts that a clause names, by their items. A bare verb of searching names the web where nothing else is searched.
fn mentions(items: &[Item]) -> Vec<(usize, OutsideAct)> {
    let named = items.iter().enumerate().filter_map(|(at, item)| {
        if let Role::Act(act) = item.role {
            return Some((at, act));
        }
        let stays = item.role == Role::Offline || item.role == Role::Local && is_local(items);
        stays.then_some((at, OutsideAct::Web))
    });
    let named: Vec<(usize, OutsideAct)> = named.collect();
    if !named.is_empty() {
        return named;
    }
    let search = items.iter().position(|item| item.role == Role::Search);
    let elsewhere = items.iter().any(|item| item.role == Role::Local);
    let negated =
        items.iter().any(|item| matches!(item.role, Role::Not | Role::No | Role::Skip | Role::Without));
    let search = search.filter(|at| {
        !elsewhere
            && (left(items, Names::Act).is_none() || negated && left(&items[..*at], Names::Act).is_none())
    });
    search.map(|at| (at, OutsideAct::Web)).into_iter().collect()
}

/// Whether a clause limits the run to the material at hand: "only my documents".
fn is_local(items: &[Item]) -> bool {
    let named = items.iter().any(|item| matches!(item.role, Role::Act(_)));
    !named
        && items.iter().any(|item| item.role == Role::Only)
        && items.iter().any(|item| item.role == Role::Local)
}

/// Whether a clause is about an act, not about a subject that happens to share a word: "online retailers".
fn is_about(
    items: &[Item],
    first: usize,
    last: usize,
    negated: bool,
    is_clean: bool,
    tokens: &[Token],
) -> bool {
    if is_clean {
        return true;
    }
    let modifies = items.get(last + 1).is_some_and(|item| item.role == Role::Word);
    let adjective = matches!(
        tokens[items[last].tokens.start].word.as_str(),
        "online" | "internet" | "web" | "offline" | "net" | "netz"
    );
    if modifies && (adjective || !negated) {
        return false;
    }
    let verb = items.iter().any(|item| matches!(item.role, Role::Search | Role::Do | Role::Skip | Role::Go));
    match negated {
        true => true,
        false => left(&items[..first], Names::Act).is_none() && verb,
    }
}

/// Whether a clause names an act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    /// So that verbs of doing belong to it.
    Act,
    /// So that they belong to the subject.
    Nothing,
}

/// The first word of the subject. Verbs of doing count as one where no act is named.
fn left(items: &[Item], names: Names) -> Option<usize> {
    items.iter().position(|item| match item.role {
        Role::Word => true,
        Role::Do | Role::Search | Role::Local | Role::Amend => names == Names::Nothing,
        Role::Act(_)
        | Role::Offline
        | Role::Fill
        | Role::Not
        | Role::No
        | Role::Skip
        | Role::Without
        | Role::Yes
        | Role::Go
        | Role::WeakGo
        | Role::Content
        | Role::Halt
        | Role::Wait
        | Role::Turn
        | Role::Against
        | Role::Lacks
        | Role::Hedge
        | Role::Only
        | Role::Directly
        | Role::Own(_)
        | Role::And
        | Role::Or
        | Role::But
        | Role::Relative
        | Role::Because
        | Role::If => false,
    })
}

fn place(items: &[Item], role: Role) -> usize {
    items.iter().position(|item| item.role == role).unwrap_or(items.len())
}

/// The item that consents to going on.
fn going(items: &[Item], is_clean: bool) -> Option<usize> {
    let strong = items.iter().position(|item| matches!(item.role, Role::Go | Role::Yes));
    let strong = strong.filter(|at| is_clean || left(&items[..*at], Names::Act).is_none());
    let weak = || {
        items.iter().position(|item| matches!(item.role, Role::WeakGo | Role::Content)).filter(|_| is_clean)
    };
    strong.or_else(weak)
}

/// The tokens after an item that say something of the subject.
fn after(items: &[Item], at: usize, names: Names) -> Option<Range<usize>> {
    let more = items.get(at + 1..)?;
    left(more, names)?;
    let verb = |item: &&Item| names == Names::Act && matches!(item.role, Role::Do | Role::Search);
    let first = more.iter().find(|item| !verb(item))?;
    Some(first.tokens.start..more.last()?.tokens.end)
}

/// Whether it negates, wherever it stands.
fn is_no(item: &Item) -> bool {
    matches!(item.role, Role::Not | Role::No)
}
