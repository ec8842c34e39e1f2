//! OSCAL catalogues: what becomes of one written for these tests, with every feature that NIST's use.

use knowledge::{Paragraph, Reference};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::World;

const CATALOGUE: &str = r##"{"catalog": {
        "uuid": "0", "metadata": {"title": "NIST Special Publication 800-99 Revision 5.1.1 TEA", "version": "5.1.1"},
        "groups": [{"id": "tc", "class": "family", "title": "Tea Control", "controls": [
            {"id": "tc-2", "class": "SP800-53", "title": "Tea Management",
             "params": [
                {"id": "tc-02_odp.01", "props": [{"name": "alt-identifier", "value": "tc-2_prm_1"}], "label": "tasters"},
                {"id": "tc-2_prm_9", "label": "organization-defined pots"},
                {"id": "tc-02_odp.03", "select": {"how-many": "one-or-more", "choice": ["green", " {{ insert: param, tc-02_odp.01 }} "]}},
                {"id": "tc-02_odp.04", "select": {"choice": ["hot", "cold"]}}
             ],
             "props": [{"name": "label", "value": "TC-02", "class": "zero-padded"}, {"name": "label", "value": "TC-2"}, {"name": "label", "value": "TC-02", "class": "sp800-53a"}],
             "links": [{"href": "#aaaa-1", "rel": "reference"}, {"href": "#tc-3", "rel": "related"}, {"href": "#zz-9.4", "rel": "related"}],
             "parts": [
                {"id": "tc-2_smt", "name": "statement", "parts": [
                    {"id": "tc-2_smt.a", "name": "item", "props": [{"name": "label", "value": "a."}], "prose": "Name {{ insert: param, tc-2_prm_1 }} and {{ insert: param, tc-2_prm_9 }}:", "parts": [
                        {"id": "tc-2_smt.a.1", "name": "item", "props": [{"name": "label", "value": "1."}], "prose": "for {{ insert: param, tc-02_odp.03 }} tea; and", "parts": [
                            {"id": "tc-2_smt.a.1.a", "name": "item", "props": [{"name": "label", "value": "(a)"}], "prose": "{{ insert: param, tc-02_odp.04 }} water."}]}]},
                    {"id": "tc-2_smt.b", "name": "item", "props": [{"name": "label", "value": "b."}], "prose": "Keep {{ insert: param, tc-unknown }} as defined in [TC-2a](#tc-2_smt.a)."}]},
                {"id": "tc-2_gdn", "name": "guidance", "prose": "Tea is [TC-03](#tc-3) , see [TEA ACT](#aaaa-1) and [TC](#tc)."},
                {"id": "tc-2_obj", "name": "assessment-objective", "props": [{"name": "label", "value": "TC-02", "class": "sp800-53a"}], "parts": [
                    {"id": "tc-2_obj.a", "name": "assessment-objective", "props": [{"name": "label", "value": "TC-02a.", "class": "sp800-53a"}], "prose": "{{ insert: param, tc-02_odp.01 }} are named;"},
                    {"id": "tc-2_obj.b", "name": "assessment-objective", "props": [{"name": "label", "value": "TC-02b.", "class": "sp800-53a"}], "prose": "pots are kept."}]},
                {"id": "tc-2_asm-examine", "name": "assessment-method", "props": [{"name": "method", "value": "EXAMINE"}], "parts": [
                    {"name": "assessment-objects", "prose": "Tea policy\n\nother records"}]},
                {"id": "tc-2_asm-test", "name": "assessment-method", "props": [{"name": "method", "value": "TEST"}], "parts": [
                    {"name": "assessment-objects", "prose": "Kettles"}]},
                {"id": "tc-2_ex", "name": "example", "prose": "A pot of tea."}
             ],
             "controls": [
                {"id": "tc-2.1", "title": "Automated Tea", "props": [{"name": "label", "value": "TC-2(1)"}], "links": [{"href": "#tc-2", "rel": "required"}],
                 "parts": [{"id": "tc-2.1_smt", "name": "statement", "prose": "Brew when:", "parts": [
                    {"id": "tc-2.1_smt.a", "name": "item", "props": [{"name": "label", "value": "(a)"}], "prose": "Thirsty."}]}]},
                {"id": "tc-2.2", "title": "Old Tea", "props": [{"name": "label", "value": "TC-2(2)"}, {"name": "status", "value": "withdrawn"}],
                 "links": [{"href": "#tc-2_smt.a.1", "rel": "incorporated-into"}, {"href": "#tc-3", "rel": "incorporated-into"}, {"href": "#tc-2.1", "rel": "moved-to"}]}
             ]},
            {"id": "tc-3", "title": "Tea Flow", "parts": [{"name": "statement", "prose": "Let it flow."}]}
        ]}],
        "back-matter": {"resources": [{"uuid": "aaaa-1", "title": "TEA ACT", "citation": {"text": "The tea act of 1773."}}]}
    }}"##;

fn catalogue() -> Value {
    serde_json::from_str(CATALOGUE).unwrap()
}

fn ingested(catalogue: &Value) -> (World, Vec<Paragraph>) {
    let world = World::with(&[("tea_catalog.json", &catalogue.to_string())]);
    let paragraphs = world.base().paragraphs().iter().cloned().collect();
    (world, paragraphs)
}

fn refs(all: &[(&str, &str)]) -> Vec<Reference> {
    all.iter().map(|(to, kind)| Reference { to: (*to).to_owned(), kind: (*kind).to_owned() }).collect()
}

#[test]
fn controls_items_discussion_and_procedures_have_the_ids_as_printed() {
    let (_, all) = ingested(&catalogue());
    let shown: Vec<_> =
        all.iter().map(|one| (one.id.as_str(), one.kind.as_str(), one.text.as_str())).collect();
    assert_eq!(
        shown,
        [
            (
                "TC-2",
                "control",
                "a. Name [Assignment: organization-defined tasters] and [Assignment: organization-defined pots]:\n\
                 1. for [Selection (one or more): green; [Assignment: organization-defined tasters] ] tea; and\n\
                 (a) [Selection (one): hot; cold] water.\n\
                 b. Keep {{ insert: param, tc-unknown }} as defined in TC-2a."
            ),
            (
                "TC-2a",
                "item",
                "Name [Assignment: organization-defined tasters] and [Assignment: organization-defined pots]:"
            ),
            (
                "TC-2a1",
                "item",
                "for [Selection (one or more): green; [Assignment: organization-defined tasters] ] tea; and"
            ),
            ("TC-2a1a", "item", "[Selection (one): hot; cold] water."),
            ("TC-2b", "item", "Keep {{ insert: param, tc-unknown }} as defined in TC-2a."),
            ("TC-2#D", "guidance", "Tea is TC-03 , see TEA ACT and TC."),
            (
                "TC-2#O",
                "assessment",
                "TC-02a. [Assignment: organization-defined tasters] are named; TC-02b. pots are kept."
            ),
            ("TC-2#M", "assessment", "Examine: Tea policy; other records. Test: Kettles."),
            ("TC-2#example", "example", "A pot of tea."),
            ("TC-2(1)", "enhancement", "Brew when:\n(a) Thirsty."),
            ("TC-2(1)a", "item", "Thirsty."),
            ("TC-2(2)", "enhancement", "[Withdrawn: Incorporated into TC-2a1, TC-3; Moved to TC-2(1).]"),
            ("TC-3", "control", "Let it flow."),
        ]
    );
    let of = |id: &str| all.iter().find(|one| one.id == id).unwrap();
    assert_eq!(of("TC-2").doc, "NIST SP 800-99 r5");
    assert_eq!(of("TC-2").path, ["TC Tea Control"]);
    assert_eq!(of("TC-2(1)").title, "Tea Management | Automated Tea");
    assert_eq!(of("TC-2a1").part_of.as_deref(), Some("TC-2"));
    assert!(of("TC-2(2)").withdrawn);
    assert_eq!(of("TC-2(2)").superseded_by, ["TC-2a1", "TC-3", "TC-2(1)"]);
}

#[test]
fn links_become_references_with_their_kinds() {
    let (_, all) = ingested(&catalogue());
    let of = |id: &str| all.iter().find(|one| one.id == id).unwrap().refs.clone();
    assert_eq!(
        of("TC-2"),
        refs(&[
            ("doc:TEA ACT", "reference"),
            ("TC-3", "related"),
            ("ZZ-9(4)", "related"),
            ("TC-2a", "mentions")
        ])
    );
    assert_eq!(
        of("TC-2#D"),
        refs(&[("TC-2", "discusses"), ("TC-3", "mentions"), ("doc:TEA ACT", "mentions")])
    );
    assert_eq!(of("TC-2#O"), refs(&[("TC-2", "assesses")]));
    assert_eq!(of("TC-2(1)"), refs(&[("TC-2", "required")]));
}

#[test]
fn what_the_catalogue_does_not_define_is_reported() {
    let world = World::with(&[("tea.json", &catalogue().to_string())]);
    let report = world.ingest();
    let problems: Vec<&str> = report.files[0].problems.iter().map(|one| one.what.as_str()).collect();
    assert_eq!(problems, ["1 parameters that the catalogue does not define, left as written: tc-unknown"]);
}

#[test]
fn other_models_and_damaged_catalogues_are_told_apart() {
    let problem = |text: &str| world_problem(&[("x.json", text)]);
    let profile = json!({"profile": {"uuid": "0", "metadata": {"title": "Tea"}}}).to_string();
    assert!(problem(&profile).contains("an OSCAL profile, not a catalogue"), "{}", problem(&profile));
    let whole = catalogue().to_string();
    assert!(problem(&whole[..whole.len() / 2]).contains("not an OSCAL catalogue"));
    let deep = format!("{{\"catalog\":{{\"groups\":{}", "[{\"groups\":".repeat(5_000));
    assert!(problem(&deep).contains("recursion limit"), "{}", problem(&deep));
    let long = format!("{{\"catalog\":{{\"remarks\":\"{}\"}}}}", "x".repeat(33 << 20));
    assert!(problem(&long).contains("bytes: not read as a catalogue"), "{}", problem(&long));
}

fn world_problem(files: &[(&str, &str)]) -> String {
    World::with(files).try_ingest().unwrap_err().to_string()
}

#[test]
fn parameters_that_contain_each_other_end() {
    let choice = |id: &str| format!("{{{{ insert: param, {id} }}}}").repeat(40);
    let control = json!({"id": "tc-1", "title": "Loop",
        "params": [{"id": "a", "select": {"choice": [choice("b")]}}, {"id": "b", "select": {"choice": [choice("a")]}}],
        "parts": [{"name": "statement", "prose": "{{ insert: param, a }}"}]});
    let (_, all) = ingested(&json!({"catalog": {"metadata": {"title": "Loops"}, "controls": [control]}}));
    // Choices of choices would fill the memory: left as written.
    assert_eq!(all[0].text, "{{ insert: param, a }}");
    let choice = |id: &str| json!([format!("{{{{ insert: param, {id} }}}}")]);
    let control = json!({"id": "tc-1", "title": "Loop",
        "params": [{"id": "a", "select": {"choice": choice("b")}}, {"id": "b", "select": {"choice": choice("a")}}],
        "parts": [{"name": "statement", "prose": "{{ insert: param, a }}"}]});
    let (_, all) = ingested(&json!({"catalog": {"metadata": {"title": "Loops"}, "controls": [control]}}));
    assert!(all[0].text.starts_with("[Selection (one): [Selection (one): "), "{}", all[0].text);
}

#[test]
fn damage_gives_a_report_and_never_a_panic() {
    let whole = catalogue().to_string();
    for at in (0..whole.len()).step_by(whole.len() / 60) {
        let mut flipped = whole.clone().into_bytes();
        flipped[at] = b'#';
        for damaged in [whole.as_bytes()[..at].to_vec(), flipped] {
            let world = World::new();
            world.write("tea.json", &damaged);
            if let Err(error) = world.try_ingest() {
                assert!(error.to_string().contains("tea.json"), "{error}");
            }
        }
    }
}
