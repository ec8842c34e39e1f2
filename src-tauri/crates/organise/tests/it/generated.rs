//! Random expressions on random sessions: SQLite and evaluation agree, and nothing that can be typed does harm.

use organise::{Expression, Facts, KnownValues, LabelList, Scope, SearchLine, StatusList, complete};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};

use crate::support::{COLUMNS, DAY, Database, HOUR, NOW, run, scope};

const TEXTS: [&str; 9] = ["", "a", "ab", "A b", "bug", "ü☃", "done", "x'y", "%_?"];
const LABELS: [&str; 7] =
    ["bug", "coding", "priority::3", "priority::1.5", "due::2026-05-09", "project::a b", "x"];

fn text() -> impl Strategy<Value = String> {
    select(&TEXTS[..]).prop_map(str::to_owned)
}

fn sessions() -> impl Strategy<Value = Facts> {
    let texts = (text(), text(), text(), select(vec!["safe", "ask"]));
    let numbers =
        (0_u64..5, select(vec![0_i64, NOW - 3 * DAY, NOW - 36 * HOUR, NOW, NOW + HOUR]), 0_i64..NOW);
    let flags = (any::<bool>(), any::<bool>(), select(vec![0.0, 0.5, 1.25, 2.0]));
    (texts, numbers, flags, vec(select(&LABELS[..]), 0..4)).prop_map(|(texts, numbers, flags, mut labels)| {
        labels.sort_unstable();
        labels.dedup();
        Facts {
            name: texts.0,
            session_status: texts.1,
            model: texts.2,
            permission_mode: texts.3.to_owned(),
            message_count: numbers.0,
            last_used_at: numbers.1,
            created_at: numbers.2,
            is_flagged: flags.0,
            has_unread: flags.1,
            cost_usd: flags.2,
            labels: labels.into_iter().map(str::to_owned).collect(),
            ..Facts::default()
        }
    })
}

fn literal() -> impl Strategy<Value = String> {
    prop_oneof![
        text().prop_map(|text| format!("\"{text}\"")),
        select(&LABELS[..]).prop_map(|label| format!("\"{label}\""))
    ]
}

fn texts() -> BoxedStrategy<String> {
    let field =
        select(vec!["name", "sessionStatus", "model", "permissionMode", "agent"]).prop_map(str::to_owned);
    let leaf = prop_oneof![field, literal()];
    leaf.prop_recursive(2, 6, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|text| format!("lower({text})")),
            (inner.clone(), inner.clone()).prop_map(|(one, other)| format!("({one} + {other})")),
            (select(vec!["hasUnread", "isFlagged", "1"]), inner.clone(), inner)
                .prop_map(|(flag, one, other)| format!("(if {flag} then {one} else {other})")),
        ]
    })
    .boxed()
}

fn numbers() -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        select(vec![
            "messageCount",
            "labelCount",
            "costUsd",
            "lastUsedAt",
            "createdAt",
            "hasUnread",
            "isFlagged"
        ])
        .prop_map(str::to_owned),
        select(vec!["0", "1", "2", "0.5", "3", "1778414400000", "100000"]).prop_map(str::to_owned),
        Just("daysSince(lastUsedAt)".to_owned()),
        Just("hoursSince(createdAt)".to_owned()),
        Just("length(labels)".to_owned()),
        Just("date(\"2026-05-09\")".to_owned()),
        select(&LABELS[..]).prop_map(|label| format!("labelValue(\"{}\")", organise::Entry::id_of(label))),
        texts().prop_map(|text| format!("length({text})")),
    ];
    leaf.prop_recursive(3, 12, 2, |inner| {
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            (pair.clone(), select(vec!["+", "-", "*", "/", "mod", "^"]))
                .prop_map(|((one, other), sign)| format!("({one} {sign} {other})")),
            (pair.clone(), select(vec!["min", "max"]))
                .prop_map(|((one, other), name)| format!("{name}({one}, {other})")),
            (inner.clone(), select(vec!["abs", "round", "floor", "sqrt", "-"]))
                .prop_map(|(number, name)| format!("{name}({number})")),
            (inner, pair).prop_map(|(flag, (one, other))| format!("({flag} ? {one} : {other})")),
        ]
    })
    .boxed()
}

fn conditions() -> BoxedStrategy<String> {
    let relation = select(vec!["==", "!=", "<", "<=", ">", ">="]);
    let leaf = prop_oneof![
        select(vec![
            "hasUnread",
            "isFlagged",
            "isArchived",
            "hasUnread == true",
            "isFlagged != true",
            "true == isFlagged"
        ])
        .prop_map(str::to_owned),
        (numbers(), relation.clone(), numbers())
            .prop_map(|(one, sign, other)| format!("{one} {sign} {other}")),
        (numbers(), relation.clone(), numbers(), relation, numbers())
            .prop_map(|(one, sign, two, other, three)| format!("{one} {sign} {two} {other} {three}")),
        (texts(), select(vec!["==", "!="]), texts())
            .prop_map(|(one, sign, other)| format!("{one} {sign} {other}")),
        (texts(), select(vec!["~= \"^a\"", "~= \"b$\""])).prop_map(|(text, end)| format!("{text} {end}")),
        (select(vec!["contains", "startsWith", "endsWith"]), texts(), texts())
            .prop_map(|(name, one, other)| format!("{name}({one}, {other})")),
        literal().prop_map(|text| format!("contains(labels, {text})")),
        literal().prop_map(|text| format!("hasLabel({text})")),
        literal().prop_map(|text| format!("{text} in labels")),
        (literal(), literal()).prop_map(|(one, other)| format!("({one}, {other}) in labels")),
        (texts(), select(vec!["in", "not in"]), literal(), texts())
            .prop_map(|(item, word, one, other)| format!("{item} {word} ({one}, {other}, 3)")),
        (numbers(), numbers()).prop_map(|(item, one)| format!("{item} in ({one}, 1, \"a\")")),
        (select(vec!["empty", "exists"]), prop_oneof![texts(), numbers(), Just("labels".to_owned())])
            .prop_map(|(name, value)| format!("{name}({value})")),
        (texts(), select(vec!["1", "3"])).prop_map(|(text, number)| format!("{text} == {number}")),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(one, other)| format!("({one}) and ({other})")),
            (inner.clone(), inner.clone()).prop_map(|(one, other)| format!("({one}) or ({other})")),
            inner.clone().prop_map(|condition| format!("not ({condition})")),
            (inner.clone(), select(vec!["== true", "== false", "!= true", "!= 1", "== 2"]))
                .prop_map(|(condition, end)| format!("({condition}) {end}")),
            (inner.clone(), inner.clone(), inner)
                .prop_map(|(flag, one, other)| format!("if {flag} then {one} else {other}")),
        ]
    })
    .boxed()
}

#[test]
fn sqlite_finds_what_evaluation_finds() {
    run(async {
        let mut database = Database::new().await;
        let labels = LabelList::shipped();
        let scope = scope(&labels);
        let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::default() });
        let (mut exact, mut all) = (0, 0);
        for _ in 0..60 {
            let sessions = sample(&mut runner, &vec(sessions(), 12));
            database.fill(&sessions).await;
            for _ in 0..40 {
                let text = sample(&mut runner, &conditions());
                let expression =
                    Expression::parse(&text).unwrap_or_else(|mistakes| panic!("{text}: {}", mistakes[0]));
                let condition = expression.compile(&COLUMNS, &scope);
                let found = database
                    .select(&condition)
                    .await
                    .unwrap_or_else(|error| panic!("{text}\n{}\n{error}", condition.sql));
                let holding: Vec<usize> =
                    (0..sessions.len()).filter(|index| expression.holds(&sessions[*index], &scope)).collect();
                if condition.exact {
                    assert_eq!(found, holding, "{text}\n{condition:?}\n{sessions:#?}");
                } else {
                    let missed: Vec<&usize> = holding.iter().filter(|index| !found.contains(index)).collect();
                    assert!(missed.is_empty(), "{text}\n{condition:?}\n{:#?}", sessions[*missed[0]]);
                }
                exact += usize::from(condition.exact);
                all += 1;
            }
        }
        // Both kinds were seen, so both properties were tried.
        assert!(exact * 5 > all && exact < all, "{exact} of {all} were exact");
    });
}

fn sample<S: Strategy>(runner: &mut TestRunner, strategy: &S) -> S::Value {
    strategy.new_tree(runner).unwrap().current()
}

fn soup() -> impl Strategy<Value = String> {
    let words = vec![
        "(",
        ")",
        ",",
        "==",
        "!=",
        "~=",
        "<",
        "<=",
        "+",
        "-",
        "*",
        "/",
        "^",
        "%",
        "?",
        ":",
        " and ",
        " or ",
        " not ",
        " in ",
        " of ",
        " if ",
        " then ",
        " else ",
        " mod ",
        "hasUnread",
        "labels",
        "name",
        "tokenUsage",
        ".",
        "\"a\"",
        "'name'",
        "\"",
        "'",
        "1",
        "0.5",
        "contains(",
        "daysSince(",
        "true",
        "ü",
        "\\",
        "\u{0}",
        "label:",
        "-",
        "before:7d",
    ];
    prop_oneof![vec(select(words), 0..40).prop_map(|words| words.concat()), any::<String>(), conditions()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_out_reads_as_the_same(text in soup()) {
        if let Ok(expression) = Expression::parse(&text) {
            let written = expression.to_string();
            let again = Expression::parse(&written);
            prop_assert_eq!(again.as_ref().ok(), Some(&expression), "{}", written);
            prop_assert_eq!(again.unwrap().to_string(), written);
        }
    }

    #[test]
    fn nothing_that_can_be_typed_does_harm(text in soup(), caret in 0_usize..80, facts in sessions()) {
        let labels = LabelList::shipped();
        let scope = scope(&labels);
        match Expression::parse(&text) {
            Ok(expression) => {
                expression.holds(&facts, &scope);
                expression.holds(&facts, &Scope { now_ms: i64::MIN, offset_minutes: i32::MAX, labels: None });
                let condition = expression.compile(&COLUMNS, &scope);
                prop_assert_eq!(condition.sql.matches('?').count(), condition.binds.len());
            }
            Err(mistakes) => {
                prop_assert!(!mistakes.is_empty());
                for mistake in mistakes {
                    let (start, end) = (mistake.at.start as usize, mistake.at.end as usize);
                    prop_assert!(text.get(start..end).is_some(), "{:?}", mistake);
                }
            }
        }
        let completions = complete(&text, caret, &KnownValues::default());
        let replace = completions.replace;
        prop_assert!(text.get(replace.start as usize..replace.end as usize).is_some());
        let line = SearchLine::parse(&text, &scope, &StatusList::shipped(), &KnownValues::default());
        line.condition().holds(&facts, &scope);
        line.condition().compile(&COLUMNS, &scope);
        for term in &line.terms {
            prop_assert!(text.get(term.at.start as usize..term.at.end as usize).is_some());
        }
    }
}
