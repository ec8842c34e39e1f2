//! Reports that agents write, held against their claims, and what a report tells.

use domain::SentenceVerdict;
use domain::mission::{Closing, DraftFacts, Settlement};
use evidence_graph::{
    Change, Graph, Item, NewestClaim, ReportRequest, completeness, missing_sections, remarked, remarks,
    report, told_claims, wants_table, with_sources, worded,
};
use pretty_assertions::assert_eq;

use crate::rig::{answering, ask, claim, found, gap, take};

const RENT: &str = "The rent of the hall is 1,000 euros a month.";
const END: &str = "The lease of the hall ends on 31 March 2031.";
const LETTER: &str = "The rent of the hall is 1,200 euros a month.";

/// Claims `c1`, `c2` … in order.
fn known(claims: &[&str]) -> Graph {
    let mut graph = Graph::default();
    ask(&mut graph, "What are the terms of the hall?", None);
    for text in claims {
        take(&mut graph, "reader 1.0", &found(vec![answering("t1", claim(text, &["a.org"]))]));
    }
    graph
}

#[test]
fn a_statement_that_differs_gives_way_to_the_words_of_its_claims() {
    let graph = known(&[RENT, END]);
    let cases = [
        ("- The hall costs 1,000 euros a month.[^c1]", "- The hall costs 1,000 euros a month.[^c1]"),
        (
            "- The hall costs 10,000 euros a month.[^c1]",
            "- The rent of the hall is 1,000 euros a month.[^c1]",
        ),
        ("The lease must end in 2031.[^7]", "The lease of the hall ends on 31 March 2031.[^7]"),
        (
            "Rents are 1,000 euros[^c1], and the lease ends in 2032[^c2]. So it is.",
            "Rents are 1,000 euros[^c1], The lease of the hall ends on 31 March 2031.[^c2]. So it is.",
        ),
        (
            "1. Rent 900, end 2031.[^c1] [^c2]",
            "1. The rent of the hall is 1,000 euros a month. The lease of the hall ends on 31 March 2031.[^c1] [^c2]",
        ),
        ("| Rent | 10,000 euros[^c1] |", "| Rent | The rent of the hall is 1,000 euros a month.[^c1] |"),
        (
            "| Rent in Vienna | 10,000 euros[^c1] |",
            "| The rent of the hall is 1,000 euros a month. | \u{2013}[^c1] |",
        ),
        ("| Rent \\| cost | 1,000 euros[^c1] |", "| Rent \\| cost | 1,000 euros[^c1] |"),
        ("| Term | In 1999 |", "| Term | In 1999 |"),
        ("# 10,000 euros[^c1]", "# The rent of the hall is 1,000 euros a month.[^c1]"),
        ("``` 10,000 euros[^c1]", "The rent of the hall is 1,000 euros a month.[^c1]"),
        ("# 10,000 euros", "# 10,000 euros"),
        ("It costs 10,000 euros.[^c9]", "It costs 10,000 euros.[^c9]"),
        ("It costs 10,000 euros.", "It costs 10,000 euros."),
    ];
    for (written, stands) in cases {
        let note = "[^7]: Lease, page 2: \u{201c}It ends\u{201d} [c2]";
        let report = worded(&format!("{written}\n\n{note}"), &graph);
        assert_eq!(report.markdown, format!("{stands}\n\n{note}"));
        assert_eq!(report.restated, u32::from(written != stands), "{written}");
    }
    let rows = "| 1 | 1,000 euros[^c1] |\n| 2. | 31 March 2031[^c2] |\n| 9 | 1,000 euros[^c1] |";
    assert_eq!(worded(rows, &graph).restated, 1, "rows may be numbered");
    let code = "```\n10,000 euros[^c1]\n```";
    assert_eq!(worded(code, &graph).markdown, code);
}

#[test]
fn a_report_of_an_agent_names_the_addresses_of_its_sources_above_its_notes() {
    let mut graph = known(&[RENT]);
    take(&mut graph, "reader 1.1", &found(vec![claim(END, &["b.org"]), claim(LETTER, &["c.org"])]));
    let body = "# Terms\n\n- 1,000 euros[^c1]\n\n```\n[^c9]: code\n```\n";
    let notes = "[^c1]: Lease: \"The rent\" [c1]\n";
    assert_eq!(
        with_sources(&format!("{body}{notes}"), &graph),
        format!("{}\n\n## Sources\n\n- Page of a.org (https://a.org/page)\n\n{notes}", body.trim_end())
    );
    for none in ["# Terms\n\nNothing.\n", "- It rises.[^c9]"] {
        assert_eq!(with_sources(none, &graph), none);
    }
}

#[test]
fn what_was_done_to_a_report_stands_below_its_title() {
    assert_eq!(remarks(0, 0), Vec::<String>::new());
    let text = "# Terms\n\n> Partial report. Not met: coverage.\n\nThe rent is low.";
    assert_eq!(remarked(text, &[]), text);
    let done = remarks(1, 12);
    assert_eq!(
        remarked(text, &done),
        "# Terms\n\n> Partial report. Not met: coverage.\n\n> 1 statement differed from its claims and is given in \
         the claims' words; 12 claims of the lowest confidence were left out for length.\n\nThe rent is low."
    );
    assert_eq!(
        remarked("The rent is low.", &done[1..]).lines().next(),
        Some(format!("> {}.", done[1])).as_deref()
    );
}

#[test]
fn the_report_that_code_writes_says_what_its_claims_say_and_tells_all() {
    let mut graph = known(&[RENT, END]);
    let mut open = found(vec![]);
    open.gaps_identified.push(gap("Who pays for the heating?"));
    take(&mut graph, "reader 1.1", &open);
    for form in ["a table", ""] {
        let sections = ["Outlook".to_owned()];
        let order = ReportRequest {
            objective: "Terms of the hall",
            form,
            required_sections: &sections,
            unmet: &[],
            earlier: 0,
        };
        let written = report(&graph, &order);
        if form.is_empty() {
            assert_eq!(worded(&written, &graph).restated, 0, "a table has a column of confidences besides");
        }
        let facts = completeness(&written, &graph, &sections);
        assert_eq!(facts, DraftFacts { told: 2, known: 2, sections: 1_000_000, open: 1_000_000 });
        assert_eq!(missing_sections(&written, &sections), Vec::<String>::new());
    }
}

#[test]
fn a_draft_that_lost_claims_sections_and_open_questions_is_less_complete() {
    let mut graph = known(&[RENT, END]);
    let mut open = found(vec![claim(LETTER, &["b.org"])]);
    open.gaps_identified.push(gap("Who pays for the heating?"));
    take(&mut graph, "reader 1.1", &open);
    assert_eq!(told_claims(&graph).len(), 3);
    let sections = ["Terms".to_owned(), "Outlook".to_owned()];
    let of = |text: &str| completeness(text, &graph, &sections);
    let whole =
        of("## Terms\n\n- a[^c1][^1]\n- b[^c3]\n\n## Outlook\n\nWho pays for the heating?\n\n[^1]: d [c2]");
    assert_eq!(whole, DraftFacts { told: 3, known: 3, sections: 1_000_000, open: 1_000_000 });
    assert_eq!(whole.completeness(3), 1_000_000);
    // A note alone tells nothing.
    let poor = of("## Terms\n\n- a[^c1]\n\n[^c2]: b");
    assert_eq!(poor, DraftFacts { told: 1, known: 3, sections: 500_000, open: 0 });
    assert_eq!((poor.completeness(3), poor.quality(800_000)), (325_000, 260_000));
    assert_eq!(poor.completeness(1), 725_000, "where one claim was known, it told all of them");
}

#[test]
fn a_contradiction_is_stated_where_both_sides_stand_in_a_line() {
    let mut graph = known(&[RENT, LETTER]);
    let analysis = evidence_graph::analyse(
        &graph,
        &evidence_graph::Requirements::default(),
        crate::rig::day("2026-11-26"),
    );
    graph.apply(&analysis.unwrap().changes).unwrap();
    assert_eq!(graph.contradictions().filter(|one| one.is_open()).count(), 1);
    let gaps = graph.gaps().filter(|gap| gap.is_open()).count();
    let stated = |text: &str| completeness(text, &graph, &[]).open > 0;
    assert!(stated("- \"a\"[^c1] stands against \"b\"[^c2]"));
    assert!(stated(&format!("- \"{RENT}\" stands against \"b\"[^c2]")));
    assert!(!stated("- a[^c1]\n- b[^c2]"), "{gaps} gaps");
}

/// What the report that code writes says below a heading, up to the next one.
fn below<'r>(written: &'r str, heading: &str) -> &'r str {
    let start = written.find(&format!("# {heading}\n")).expect(written) + heading.len() + 3;
    let end = written[start..].find("\n#").map_or(written.len(), |end| start + end);
    written[start..end].trim()
}

fn written(graph: &Graph, form: &str, sections: &[&str]) -> String {
    let required_sections: Vec<String> = sections.iter().map(|name| (*name).to_owned()).collect();
    let order = ReportRequest {
        objective: "The hall",
        form,
        required_sections: &required_sections,
        unmet: &[],
        earlier: 0,
    };
    report(graph, &order)
}

#[test]
fn each_question_is_answered_by_the_first_statement_below_it() {
    let mut graph = Graph::default();
    ask(&mut graph, "What is the rent?", None);
    ask(&mut graph, "Who insures the hall?", None);
    let claims = [
        "The rent has risen since 2019.",
        "Rent is paid on the first day of a month.",
        "The rent is the price of the hall.",
    ];
    for text in claims {
        take(&mut graph, "reader 1.0", &found(vec![answering("t1", claim(text, &["a.org"]))]));
    }
    let report = written(&graph, "", &[]);
    let first = below(&report, "What is the rent?").lines().next();
    assert_eq!(first, Some("- The rent is the price of the hall.[^1]"), "{report}");
    assert_eq!(below(&report, "Who insures the hall?"), "Nothing was found that a source supports.");
    assert!(!report.contains("Further findings"));
}

#[test]
fn claims_stand_in_the_order_in_which_they_were_found_where_they_are_as_sure() {
    let words = ["red", "blue", "green", "white", "black", "brown", "grey", "pink", "gold", "ivory", "amber"];
    let claims: Vec<String> = words.iter().map(|word| format!("The terms name the {word} hall.")).collect();
    let graph = known(&claims.iter().map(String::as_str).collect::<Vec<_>>());
    let order: Vec<&str> = told_claims(&graph).iter().map(|claim| claim.id.0.as_str()).collect();
    assert_eq!(order[..3], ["c1", "c2", "c3"]);
    assert_eq!(order[9..], ["c10", "c11"]);
}

#[test]
fn what_answers_a_gap_stands_below_the_question_that_the_gap_is_of() {
    let mut graph = known(&[]);
    // An answer that its source does not bear out leaves the question open.
    let wrong = found(vec![answering("t1", claim(END, &["b.org"]))]);
    let checks = crate::rig::checked("reader 1.0", &wrong, SentenceVerdict::Mismatch);
    graph.apply(&evidence_graph::integrate(&graph, &wrong, &checks).changes).unwrap();
    let needs = evidence_graph::Requirements::default();
    let analysis = evidence_graph::analyse(&graph, &needs, crate::rig::day("2026-11-26"));
    graph.apply(&analysis.unwrap().changes).unwrap();
    let gap = graph.gaps().find(|gap| gap.of.is_some()).unwrap().id.0.clone();
    take(&mut graph, "reader 1.0", &found(vec![answering(&gap, claim(RENT, &["a.org"]))]));
    let report = written(&graph, "", &[]);
    assert!(below(&report, "What are the terms of the hall?").starts_with(&format!("- {RENT}")), "{report}");
    assert!(!report.contains("Further findings"), "{report}");
}

#[test]
fn a_required_section_holds_its_questions_and_what_was_found_for_it() {
    let mut graph = Graph::default();
    ask(&mut graph, "What is the rent?", Some("Costs"));
    ask(&mut graph, "When does the lease end?", None);
    take(&mut graph, "reader 1.0", &found(vec![answering("t1", claim(RENT, &["a.org"]))]));
    take(&mut graph, "reader 1.1", &found(vec![answering("t2", claim(END, &["a.org"]))]));
    let report = written(&graph, "a table", &["Costs", "Outlook"]);
    assert!(
        report.contains("## Costs\n\n### What is the rent?\n\n| Statement | Confidence | Sources |"),
        "{report}"
    );
    assert!(below(&report, "What is the rent?").contains(RENT), "{report}");
    assert!(below(&report, "When does the lease end?").contains(END));
    assert_eq!(below(&report, "Outlook"), "Nothing was found for this section.");
}

#[test]
fn a_table_is_written_where_one_is_asked_for() {
    for form in ["Format: table of statements and their sources", "Tables.", "A tabular overview"] {
        assert!(wants_table(form), "{form}");
    }
    for form in ["", "A report suitable for the board", "Notable points", "A list, no tables", "Not a table"]
    {
        assert!(!wants_table(form), "{form}");
    }
}

#[test]
fn the_newest_claims_come_first_with_their_sources_and_how_sure_they_are() {
    let mut graph = known(&[RENT, END]);
    take(&mut graph, "reader 1.1", &found(vec![claim("Nobody says so.", &[])]));
    let newest = graph.newest_claims(2);
    let shown: Vec<(&str, Option<u32>, usize)> =
        newest.iter().map(|one| (one.claim.0.as_str(), one.confidence, one.sources.len())).collect();
    assert_eq!(shown, [("c3", Some(0), 0), ("c2", None, 1)], "no analysis has looked at the second");
    let needs = evidence_graph::Requirements::default();
    let analysis = evidence_graph::analyse(&graph, &needs, crate::rig::day("2026-11-26"));
    graph.apply(&analysis.unwrap().changes).unwrap();
    let newest = graph.newest_claims(2);
    let sure = newest[1].confidence.unwrap() / 10_000;
    assert_eq!(newest[1].line(), format!("c2 [{sure} %] {END} (Page of a.org)"));
    assert_eq!(newest[0].line(), "c3 [unsupported] Nobody says so.");
    let after = |id: &str| NewestClaim::lines_after(&newest, Some(&crate::rig::id(id)));
    assert_eq!(after("c2"), [newest[0].line()]);
    assert_eq!(after("c3"), Vec::<String>::new());
    let all = NewestClaim::lines_after(&newest, None);
    assert_eq!(all, ["1 claim before these".to_owned(), newest[1].line(), newest[0].line()]);
}

#[test]
fn a_line_says_in_words_what_closed_a_gap_and_settled_a_contradiction() {
    let mut graph = known(&[RENT, LETTER]);
    let mut raised = found(vec![]);
    raised.gaps_identified.push(gap("Who pays for the heating?"));
    take(&mut graph, "reader 1.1", &raised);
    let needs = evidence_graph::Requirements::default();
    let analysis = evidence_graph::analyse(&graph, &needs, crate::rig::day("2026-11-26"));
    graph.apply(&analysis.unwrap().changes).unwrap();
    let lines = |graph: &Graph| -> Vec<String> {
        let gaps = graph.gaps().cloned().map(Item::Gap);
        let contradictions = graph.contradictions().cloned().map(Item::Contradiction);
        gaps.take(1)
            .chain(contradictions)
            .chain(graph.claims().take(1).cloned().map(Item::Claim))
            .map(|item| item.line())
            .collect()
    };
    let before = lines(&graph);
    assert_eq!(before[0], "g1 open: Who pays for the heating?");
    assert!(before[1].starts_with("x1 open: c1 against c2: "), "{before:?}");
    assert!(before[2].starts_with("c1 disputed ") && before[2].ends_with(RENT), "{before:?}");
    let reason = || "The lease binds.".to_owned();
    let settlement = Settlement::Person { claim: Some(crate::rig::id("c1")), reason: reason() };
    let changes = vec![
        Change::GapClosed { gap: crate::rig::id("g1"), closing: Closing::Person { reason: reason() } },
        Change::ContradictionSettled { contradiction: crate::rig::id("x1"), settlement },
    ];
    crate::rig::user(&mut graph, changes).unwrap();
    let after = lines(&graph);
    assert_eq!(after[0], "g1 closed by you (The lease binds.): Who pays for the heating?");
    let settled = "x1 settled by you, c1 stands (The lease binds.): c1 against c2: ";
    assert!(after[1].starts_with(settled), "{after:?}");
}
