//! Reading: pages, scopes, provenance, neighbourhoods, exports.

use domain::mission::{Findings, FoundRelation, SourceKind};
use evidence_graph::{
    Graph, ImportError, Item, ItemKind, MAX_LINE_BYTES, PageQuery, Scope, Sorting, analyse, from_json,
    from_jsonl, import, integrate, page, to_json, to_jsonl,
};
use pretty_assertions::assert_eq;

use crate::rig::{Dice, about, any_context, any_findings, ask, claim, day, found, id, said, take};

fn any_graph(seed: u64) -> Graph {
    let mut dice = Dice(seed);
    let mut graph = Graph::default();
    ask(&mut graph, "Who owns Acme?", None);
    for number in 0..4 {
        let findings = any_findings(&mut dice);
        let context = any_context(&mut dice, &format!("i{number}"), &findings);
        graph.apply(&integrate(&graph, &findings, &context).changes).unwrap();
        graph.apply(&analyse(&graph, &Default::default(), day("2026-01-01")).unwrap().changes).unwrap();
    }
    graph
}

fn ids(query: &PageQuery, graph: &Graph) -> Vec<String> {
    let id = |item: &Item| serde_json::to_value(item).unwrap()["id"].as_str().unwrap().to_owned();
    page(graph, query).items.iter().map(id).collect()
}

const SORTINGS: [Sorting; 3] = [Sorting::Found, Sorting::Newest, Sorting::Confidence];

#[test]
fn pages_together_give_every_item_once() {
    let graph = any_graph(3);
    for (kind, sort) in ItemKind::ALL.into_iter().flat_map(|kind| SORTINGS.map(|sort| (kind, sort))) {
        let mut query = PageQuery { limit: 2, sort, ..PageQuery::new(kind) };
        let all = ids(&PageQuery { sort, ..PageQuery::new(kind) }, &graph);
        let mut found = Vec::new();
        loop {
            let one = page(&graph, &query);
            assert_eq!(one.total, all.len());
            found.extend(ids(&query, &graph));
            let Some(next) = one.next else { break };
            query.after = Some(next);
        }
        assert_eq!(found, all, "{kind:?} {sort:?}");
    }
}

#[test]
fn claims_are_listed_as_they_were_found_the_newest_first_or_the_surest_first() {
    let mut graph = Graph::default();
    let claims = vec![
        claim("Acme makes brakes.", &["a.org"]),
        claim("Bolt makes nuts.", &[]),
        claim("Cork floats on water.", &["a.org", "b.org"]),
    ];
    take(&mut graph, "i1", &found(claims));
    graph.apply(&analyse(&graph, &Default::default(), day("2026-01-01")).unwrap().changes).unwrap();
    let listed = SORTINGS.map(|sort| ids(&PageQuery { sort, ..PageQuery::new(ItemKind::Claim) }, &graph));
    assert_eq!(listed, [["c1", "c2", "c3"], ["c3", "c2", "c1"], ["c3", "c1", "c2"]]);
}

#[test]
fn claims_are_found_by_status_and_words() {
    let mut graph = Graph::default();
    take(
        &mut graph,
        "i1",
        &found(vec![claim("Acme makes Brakes.", &["a.org"]), claim("Bolt makes nuts.", &[])]),
    );
    let query = |status: Option<&str>, text: &str| PageQuery {
        status: status.map(str::to_owned),
        text: text.into(),
        ..PageQuery::new(ItemKind::Claim)
    };
    assert_eq!(ids(&query(None, "BRAKES acme"), &graph), [said(&graph, "Acme makes Brakes.").id.0.clone()]);
    assert_eq!(ids(&query(Some("unsupported"), ""), &graph), [said(&graph, "Bolt makes nuts.").id.0.clone()]);
    assert_eq!(page(&graph, &query(Some("supported"), "nuts")).total, 0);
}

#[test]
fn a_scope_hides_and_never_deletes() {
    let mut graph = Graph::default();
    let mut findings = found(vec![
        about(&["Acme"], claim("Acme makes brakes.", &["a.org"])),
        about(&["Bolt"], claim("Bolt makes nuts.", &["b.org"])),
    ]);
    findings.sources[1].kind = SourceKind::Blog;
    take(&mut graph, "i1", &findings);
    let before = to_json(&graph);
    let count = |scope: Scope| page(&graph, &PageQuery { scope, ..PageQuery::new(ItemKind::Claim) }).total;
    assert_eq!(count(Scope { entities: vec![id("e1")], ..Scope::default() }), 1);
    assert_eq!(count(Scope { kinds: vec![SourceKind::Blog], ..Scope::default() }), 1);
    assert_eq!(
        count(Scope { origins: vec!["a.org".into()], kinds: vec![SourceKind::Blog], ..Scope::default() }),
        0
    );
    assert_eq!(count(Scope::default()), 2);
    assert_eq!(to_json(&graph), before);
}

#[test]
fn a_claim_leads_to_its_citations_and_their_sources() {
    let mut graph = Graph::default();
    take(&mut graph, "i1", &found(vec![claim("Acme makes brakes.", &["a.org", "b.org"])]));
    let provenance = graph.provenance(&id("c1")).unwrap();
    let hosts: Vec<&str> = provenance.citations.iter().map(|one| one.source.origin.as_str()).collect();
    assert_eq!(hosts, ["a.org", "b.org"]);
    assert_eq!(provenance.citations[0].citation.of, id("c1"));
    assert_eq!(graph.provenance(&id("q1")), None);
}

#[test]
fn a_neighbourhood_is_bounded_by_steps_and_by_number() {
    let relation = |from: &str, to: &str| FoundRelation {
        from: from.into(),
        to: to.into(),
        kind: "owns".into(),
        note: String::new(),
        citations: Vec::new(),
    };
    let mut relations: Vec<FoundRelation> =
        vec![relation("A1", "B1"), relation("B1", "C1"), relation("C1", "A1"), relation("C1", "D1")];
    relations.extend((0..300).map(|at| relation("D1", &format!("Leaf {at}"))));
    let mut graph = Graph::default();
    take(&mut graph, "i1", &Findings { relationships_discovered: relations, ..Findings::default() });
    let around =
        |name: &str, steps| graph.neighbourhood(&graph.entity_named(name).unwrap().id, steps).unwrap();
    assert_eq!((around("A1", 1).entities.len(), around("A1", 2).entities.len()), (3, 4));
    let whole = around("D1", 3);
    assert_eq!((whole.entities.len(), whole.relations.len(), whole.is_cut), (200, 199, true));
}

#[test]
fn an_export_read_back_gives_the_same_bytes_and_the_same_graph() {
    for seed in 0..40 {
        let graph = any_graph(seed);
        let (json, lines) = (to_json(&graph), to_jsonl(&graph));
        let (from_json, from_lines) = (from_json(&json).unwrap(), from_jsonl(&lines).unwrap());
        assert_eq!((to_json(&from_json), to_jsonl(&from_lines)), (json, lines), "seed {seed}");
        assert!(from_json == graph && from_lines == graph, "seed {seed}");
        assert!(import(&to_jsonl(&graph)).unwrap() == graph, "seed {seed}");
        // What finds items is read back, too: the same findings mean the same.
        let mut dice = Dice(seed + 1_000);
        let findings = any_findings(&mut dice);
        let context = any_context(&mut dice, "later", &findings);
        assert_eq!(
            integrate(&from_lines, &findings, &context),
            integrate(&graph, &findings, &context),
            "seed {seed}"
        );
    }
}

#[test]
fn an_export_with_an_item_that_leads_nowhere_is_refused() {
    let mut graph = Graph::default();
    take(&mut graph, "i1", &found(vec![claim("Acme makes brakes.", &["a.org"])]));
    let lines = to_jsonl(&graph);
    let without_sources: String = lines
        .lines()
        .filter(|line| !line.contains("\"item\":\"source\""))
        .map(|line| format!("{line}\n"))
        .collect();
    assert!(matches!(from_jsonl(&without_sources), Err(ImportError::Item { .. })));
    assert!(matches!(from_jsonl(""), Err(ImportError::Header)));
    assert!(matches!(from_jsonl("{\"format\":9,\"version\":1}"), Err(ImportError::Form { found: 9 })));
    assert!(matches!(from_json("[]"), Err(ImportError::Json { .. })));
}

#[test]
fn an_import_is_refused_where_it_says_more_of_itself_than_it_holds() {
    let mut graph = Graph::default();
    let mut findings = found(vec![
        claim("Acme employs 50 people.", &["a.org"]),
        claim("Acme employs 60 people.", &["b.org"]),
        claim("Bolt makes brakes.", &[]),
    ]);
    findings.gaps_identified = vec![crate::rig::gap("Who owns Bolt?")];
    take(&mut graph, "i1", &findings);
    let changes = analyse(&graph, &Default::default(), day("2026-01-01")).unwrap().changes;
    graph.apply(&changes).unwrap();
    let lines = to_jsonl(&graph);
    assert!(import(&lines).is_ok(), "{lines}");
    let with = |before: &str, after: &str| {
        assert!(lines.contains(before), "{before} is not in {lines}");
        import(&lines.replacen(before, after, 1)).unwrap_err().to_string()
    };
    let refused = |id: &str| format!("the item {id} claims what the graph does not bear out");
    let uncited = graph.claims().find(|claim| claim.text.starts_with("Bolt")).unwrap().id.0.clone();
    let cited = graph.citations().next().unwrap().of.0.clone();
    let cases = [
        // A claim without a source counts for nothing, whatever it says.
        ("\"status\":\"unsupported\"", "\"status\":\"supported\"", refused(&uncited)),
        ("\"verdict\":\"verified\"", "\"verdict\":\"mismatch\"", refused(&cited)),
        ("\"citations\":[\"q1\"]", "\"citations\":[\"q1\",\"q9\"]", refused(&cited)),
        (
            "\"status\":{\"state\":\"open\"}",
            "\"status\":{\"closing\":{\"by\":\"evidence\",\"claims\":[]},\"state\":\"closed\"}",
            refused("g1"),
        ),
        ("\"version\":", "\"version\":99999999999", refused("version")),
        ("\"format\":1", "\"format\":2", "the export has form 2".to_owned()),
        ("\"item\":\"claim\"", "\"item\":\"rumour\"", "is no item of an evidence graph".to_owned()),
    ];
    for (before, after, said) in cases {
        let problem = with(before, after);
        assert!(problem.contains(&said), "{after}: {problem}");
    }
    let long = format!("{lines}{}\n", "x".repeat(MAX_LINE_BYTES + 1));
    assert!(matches!(import(&long), Err(ImportError::Long { line }) if line == lines.lines().count() + 1));
    // Cut off in the middle of a line.
    let torn = &lines[..lines.len() - 10];
    assert!(matches!(import(torn), Err(ImportError::Json { line, .. }) if line == lines.lines().count()));
}
