//! Findings and graphs for tests, written by hand or by a seeded generator.

use std::collections::BTreeMap;

use domain::mission::{
    Findings, FoundCitation, FoundClaim, FoundContradiction, FoundEntity, FoundGap, FoundLead, FoundRelation,
    FoundSource, ItemId, SourceKind,
};
use domain::{Proof, SentenceVerdict};
use evidence_graph::{Change, Changes, Check, Claim, Context, Day, Graph, Intake, Question, integrate};

/// A seeded generator (the constants are Knuth's MMIX), so that a failure can be repeated.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound.max(1)
    }

    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        for at in (1..list.len()).rev() {
            list.swap(at, self.below(at + 1));
        }
    }
}

pub(crate) fn day(text: &str) -> Day {
    text.parse().unwrap()
}

pub(crate) fn id(text: &str) -> ItemId {
    ItemId(text.to_owned())
}

/// A source whose id is its host.
pub(crate) fn source(host: &str) -> FoundSource {
    FoundSource {
        id: host.to_owned(),
        title: format!("Page of {host}"),
        address: format!("https://{host}/page"),
        kind: SourceKind::Official,
        object: None,
        published: None,
        retrieved: None,
    }
}

/// A claim that cites sources by their hosts, its own words as the quote.
pub(crate) fn claim(text: &str, hosts: &[&str]) -> FoundClaim {
    let citation = |host: &&str| FoundCitation {
        source: (*host).to_owned(),
        quote: text.to_owned(),
        paragraph: None,
        page: None,
    };
    FoundClaim {
        text: text.to_owned(),
        kind: domain::mission::ClaimKind::Fact,
        confidence: Some(99),
        dated: false,
        entities: Vec::new(),
        citations: hosts.iter().map(citation).collect(),
        answers: None,
    }
}

pub(crate) fn about(entities: &[&str], claim: FoundClaim) -> FoundClaim {
    FoundClaim { entities: entities.iter().map(|name| (*name).to_owned()).collect(), ..claim }
}

pub(crate) fn answering(question: &str, claim: FoundClaim) -> FoundClaim {
    FoundClaim { answers: Some(question.to_owned()), ..claim }
}

pub(crate) fn gap(question: &str) -> FoundGap {
    FoundGap { question: question.to_owned(), critical: false, capability: None, entities: Vec::new() }
}

pub(crate) fn lead(text: &str, value: u8, effort: u8) -> FoundLead {
    FoundLead { text: text.to_owned(), value, effort, capability: None, entities: Vec::new() }
}

/// Findings with the sources that their claims name.
pub(crate) fn found(claims: Vec<FoundClaim>) -> Findings {
    let hosts: std::collections::BTreeSet<&str> =
        claims.iter().flat_map(|claim| &claim.citations).map(|one| one.source.as_str()).collect();
    Findings { sources: hosts.into_iter().map(source).collect(), claims, ..Findings::default() }
}

/// A context in which every citation of a claim has one verdict.
pub(crate) fn checked(by: &str, findings: &Findings, verdict: SentenceVerdict) -> Context {
    let mut checks = BTreeMap::new();
    for (at, claim) in findings.claims.iter().enumerate() {
        for number in 0..claim.citations.len() {
            let check = Check { verdict, proof: Proof::None, paragraph: Some(format!("p{number}")) };
            checks.insert(format!("/claims/{at}/citations/{number}"), check);
        }
    }
    Context { by: by.to_owned(), checks, ..Context::default() }
}

/// Integrates findings whose citations are all verified.
pub(crate) fn take(graph: &mut Graph, by: &str, findings: &Findings) -> Intake {
    let intake = integrate(graph, findings, &checked(by, findings, SentenceVerdict::Verified));
    graph.apply(&intake.changes).unwrap();
    intake
}

/// Makes changes of a user.
pub(crate) fn user(graph: &mut Graph, changes: Vec<Change>) -> Result<(), evidence_graph::Refusal> {
    graph.apply(&Changes { format: 1, from: graph.version(), by: "user".into(), changes })
}

pub(crate) fn ask(graph: &mut Graph, text: &str, section: Option<&str>) -> ItemId {
    let id = id(&format!("t{}", graph.questions().len() + 1));
    let question = Question {
        id: id.clone(),
        key: evidence_graph::text_key(text),
        text: text.to_owned(),
        section: section.map(str::to_owned),
        required: true,
        capability: None,
        depends_on: Vec::new(),
        dropped: None,
    };
    user(graph, vec![Change::QuestionAdded { question }]).unwrap();
    id
}

/// The claim with a text.
pub(crate) fn said<'g>(graph: &'g Graph, text: &str) -> &'g Claim {
    graph.claims().find(|claim| claim.text == text).unwrap()
}

const SUBJECTS: [&str; 6] = ["Acme", "Borealis", "Cygnus", "Delta Works", "Ember", "Fjord"];
const SAID: [&str; 6] = [
    "employs {} people",
    "was founded in 19{}",
    "must keep records for {} months",
    "must not sell {} licences",
    "reported a revenue of ${} million",
    "runs {} laboratories in the north",
];

/// Findings of every kind, with repetitions within and between invocations, and with mistakes.
pub(crate) fn any_findings(dice: &mut Dice) -> Findings {
    let sources =
        (0..4).map(|at| FoundSource { id: format!("a{at}"), ..source(&format!("host{at}.org")) }).collect();
    let name = |dice: &mut Dice| SUBJECTS[dice.below(SUBJECTS.len())].to_owned();
    let mut claims = Vec::new();
    for _ in 0..dice.below(9) {
        let subject = name(dice);
        let said = SAID[dice.below(SAID.len())].replace("{}", &(11 + dice.below(3)).to_string());
        let mut claim = about(&[&subject], claim(&format!("{subject} {said}."), &[]));
        for _ in 0..dice.below(3) {
            claim.citations.push(FoundCitation {
                source: format!("a{}", dice.below(5)),
                quote: format!("quote {}", dice.below(3)),
                paragraph: None,
                page: Some(1 + dice.below(4) as u32),
            });
        }
        claim.answers = (dice.below(3) == 0).then(|| format!("t{}", 1 + dice.below(3)));
        claims.push(claim);
    }
    let contradictions = match claims.as_slice() {
        [first, .., last] if dice.below(4) == 0 => {
            vec![FoundContradiction {
                first: first.text.clone(),
                second: last.text.clone(),
                about: "seen".into(),
            }]
        }
        _ => Vec::new(),
    };
    let entity = |dice: &mut Dice| FoundEntity {
        name: name(dice),
        kind: ["", "organisation"][dice.below(2)].to_owned(),
        aliases: (0..dice.below(2)).map(|_| format!("Alias {}", dice.below(4))).collect(),
        description: String::new(),
    };
    let relation = |dice: &mut Dice| FoundRelation {
        from: name(dice),
        to: name(dice),
        kind: "owns".into(),
        note: String::new(),
        citations: Vec::new(),
    };
    Findings {
        sources,
        entities_discovered: (0..dice.below(4)).map(|_| entity(dice)).collect(),
        claims,
        relationships_discovered: (0..dice.below(3)).map(|_| relation(dice)).collect(),
        gaps_identified: (0..dice.below(3)).map(|_| gap(&format!("Who owns {}?", name(dice)))).collect(),
        suggested_follow_ups: (0..dice.below(3))
            .map(|_| lead(&format!("Read the report of {}", name(dice)), 60, 30))
            .collect(),
        contradictions,
    }
}

/// Checks for some citations of findings, drawn.
pub(crate) fn any_context(dice: &mut Dice, by: &str, findings: &Findings) -> Context {
    const VERDICTS: [SentenceVerdict; 4] = [
        SentenceVerdict::Verified,
        SentenceVerdict::JudgedSupported,
        SentenceVerdict::Mismatch,
        SentenceVerdict::Unverified,
    ];
    let mut context = checked(by, findings, SentenceVerdict::Verified);
    for check in context.checks.values_mut() {
        check.verdict = VERDICTS[dice.below(4)];
        check.proof = [Proof::None, Proof::NamedThings][dice.below(2)];
    }
    context
}
