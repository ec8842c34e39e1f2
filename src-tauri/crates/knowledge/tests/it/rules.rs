//! Rule sets: ids, kinds and cross-references of documents that have the shape of standards, laws and manuals. Every text
//! here was made up for these tests.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use knowledge::rules::{self, RuleError};
use knowledge::{Base, IngestOptions, KnowledgeError, Paragraph, ingest};
use pretty_assertions::assert_eq;

use crate::World;
use crate::typeset::as_pdf;

/// A made-up standard about umbrellas, in the shape of an auditing standard.
const STANDARD: &str = "# International Standard on Auditing 991, Counting the Umbrellas of an Entity

## Introduction

### Scope of this ISA

1. This standard deals with umbrellas that stand in the hall of an entity. It is read together with ISA 990.

2. Umbrellas made of paper are dealt with in paragraph A4.

## Objective

3. The objective is to know how many umbrellas there are, and whether paragraphs 6–8 were followed.

## Definitions

4. For the purposes of this standard, the following terms have the meanings given below:

(a) Umbrella – A device that keeps rain from a person.

(b) Hall – The room behind the door. (Ref: Para. A1)

5. A stand is no umbrella.

## Requirements

### Counting

6. The counter shall: (Ref: Para. A2–A3)

(a) Count each umbrella once;

(b) Note for each umbrella:

(i) Its colour; and

(ii) Its owner; and

(c) Sign the list.

7. If an umbrella is wet, the counter shall wait until it is dry, and apply ISA 990, paragraph 12.

### Reporting

8. The counter shall report the number found in accordance with paragraph 6(b).

## Application and Other Explanatory Material

### Definitions (Ref: Para. 4(b))

A1. A hall may have more than one door.

### Counting (Ref: Para. 6)

A2. Counting may begin at either end of the stand.

A3. An umbrella that is open takes more room:

- it is closed first;
- it is counted then.

A4. Paper umbrellas belong to drinks.

## Appendix 1

(Ref: Para. A2)

### Stands and their Sizes

1. A small stand holds 6 umbrellas.

2. A large stand holds 24 umbrellas, see paragraph 7.

## Appendix 2

### Colours

1. Black is a colour for the purposes of the list.

# International Standard on Auditing 992, Counting Hats

## Introduction

1. This standard deals with hats. Paragraph 6 of ISA 991 applies to wet hats.

## Requirements

2. The counter shall count each hat.
";

/// The same words as a page, marked up as a converter of word processor files does it.
fn as_html(markdown: &str) -> String {
    let mut html = String::from("<!DOCTYPE html><html><head><title>Standards</title></head><body>\n");
    for block in markdown.split("\n\n") {
        let block = block.trim();
        let level = block.bytes().take_while(|&b| b == b'#').count();
        if level > 0 {
            html.push_str(&format!("<h{level}>{}</h{level}>\n", block[level..].trim()));
        } else if block.starts_with("- ") {
            let items: String =
                block.lines().map(|line| format!("<li>{}</li>", line.trim_start_matches("- "))).collect();
            html.push_str(&format!("<ul>{items}</ul>\n"));
        } else {
            html.push_str(&format!("<p>{block}</p>\n"));
        }
    }
    html + "</body></html>\n"
}

/// The same words as plain text: headings are lines like any other.
fn as_text(markdown: &str) -> String {
    markdown.lines().map(|line| format!("{}\n", line.trim_start_matches(['#', ' ']))).collect()
}

fn base_of(world: &World, name: &str, text: &str) -> Base {
    world.write(name, text.as_bytes());
    ingested(world, name)
}

fn ingested(world: &World, name: &str) -> Base {
    let source = world.sources.path().join(name);
    let options = IngestOptions { citation: String::new(), ..world.options(&source) };
    let report = ingest(&options, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    for file in &report.files {
        println!("{} {} {} {:?}", file.name, file.rules, file.confidence, file.problems);
    }
    Base::open(world.home.path(), "primer").unwrap()
}

fn one<'b>(base: &'b Base, id: &str) -> &'b Paragraph {
    base.paragraph(id).unwrap_or_else(|error| {
        let ids: Vec<_> = base.paragraphs().iter().map(|one| one.id.as_str()).collect();
        panic!("{error} among {ids:#?}")
    })
}

fn refs<'p>(paragraph: &'p Paragraph, kind: &str) -> Vec<&'p str> {
    paragraph.refs.iter().filter(|one| one.kind == kind).map(|one| one.to.as_str()).collect()
}

fn is_the_standard(base: &Base) {
    let ids: Vec<&str> = base.paragraphs().iter().map(|one| one.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "ISA 991.1",
            "ISA 991.2",
            "ISA 991.3",
            "ISA 991.4",
            "ISA 991.4(a)",
            "ISA 991.4(b)",
            "ISA 991.5",
            "ISA 991.6",
            "ISA 991.6(a)",
            "ISA 991.6(b)",
            "ISA 991.6(b)(i)",
            "ISA 991.6(b)(ii)",
            "ISA 991.6(c)",
            "ISA 991.7",
            "ISA 991.8",
            "ISA 991.A1",
            "ISA 991.A2",
            "ISA 991.A3",
            "ISA 991.A4",
            "ISA 991 App. 1.1",
            "ISA 991 App. 1.2",
            "ISA 991 App. 2.1",
            "ISA 992.1",
            "ISA 992.2",
        ]
    );
    let requirement = one(base, "ISA 991.6");
    assert_eq!((requirement.kind.as_str(), requirement.section.as_str()), ("requirement", "Requirements"));
    assert!(
        requirement.text.contains("(b) Note for each umbrella:\n(i) Its colour; and"),
        "{}",
        requirement.text
    );
    assert_eq!(one(base, "ISA 991.6(b)").part_of.as_deref(), Some("ISA 991.6"));
    assert!(one(base, "ISA 991.6(b)").text.contains("Its owner"));
    assert_eq!(refs(requirement, "application"), ["ISA 991.A2", "ISA 991.A3"]);
    let application = one(base, "ISA 991.A2");
    assert_eq!((application.kind.as_str(), application.title.as_str()), ("application", "Counting"));
    assert_eq!(refs(application, "explains"), ["ISA 991.6"]);
    assert!(one(base, "ISA 991.A3").text.contains("it is counted then"));
    let definition = one(base, "ISA 991.4(b)");
    assert_eq!(
        (definition.kind.as_str(), definition.tags.as_slice()),
        ("definition", &["Hall".to_owned()][..])
    );
    assert_eq!(definition.part_of, None);
    assert_eq!(refs(definition, "application"), ["ISA 991.A1"]);
    assert_eq!(refs(one(base, "ISA 991.3"), "mentions"), ["ISA 991.6", "ISA 991.7", "ISA 991.8"]);
    assert_eq!(refs(one(base, "ISA 991.8"), "mentions"), ["ISA 991.6(b)"]);
    assert_eq!(refs(one(base, "ISA 992.1"), "mentions"), ["ISA 991.6"]);
    assert_eq!(
        refs(one(base, "ISA 991.7"), "mentions"),
        ["ISA 990.12"],
        "it is kept though it leads outside"
    );
    assert_eq!(refs(one(base, "ISA 991 App. 1.1"), "explains"), ["ISA 991.A2"]);
    assert_eq!(refs(one(base, "ISA 991 App. 1.2"), "mentions"), ["ISA 991.7"]);
    let links = base.neighbours("ISA 991.A3").unwrap();
    assert!(links.iter().any(|link| link.id == "ISA 991.6" && !link.outgoing), "{links:?}");
    assert_eq!(one(base, "ISA 992.2").doc, "ISA 992");
    for written in ["ISA 991, paragraph A2", "paragraph A2 of ISA 991 (Revised 2019)", "(ISA 991.A2)"] {
        assert_eq!(one(base, written).id, "ISA 991.A2", "{written}");
    }
}

#[test]
fn a_standard_in_markdown_has_its_requirements_application_material_definitions_and_appendices() {
    is_the_standard(&base_of(&World::new(), "standards.md", STANDARD));
}

#[test]
fn a_standard_in_html_has_the_same_ids() {
    is_the_standard(&base_of(&World::new(), "standards.html", &as_html(STANDARD)));
}

#[test]
fn a_standard_in_plain_text_has_the_same_ids() {
    is_the_standard(&base_of(&World::new(), "standards.txt", &as_text(STANDARD)));
}

#[test]
fn a_standard_in_pdf_has_the_same_ids() {
    let world = World::new();
    world.write("standards.pdf", &as_pdf(STANDARD, "COUNTING THE UMBRELLAS"));
    is_the_standard(&ingested(&world, "standards.pdf"));
}

const MANUAL: &str = "# 1. About the lamp

The lamp stands in the tower and burns from dusk to dawn, every night of the year.

## 1.1 Oil

Oil is kept in the cellar, in barrels that carry the year of their filling.

- whale oil for winter nights;
- colza oil for the others.

## 1.2 Wicks

A wick is trimmed each day, and replaced once a week, whatever its look.

### 1889. A bad year

In that year the wicks were made of hemp, and none of them lasted for more than a day.

## 1.3 Glass

The glass is cleaned with spirit, as section 1.1 says of the barrels.

# 2. About the keeper

The keeper lives in the house below the tower, and climbs its stairs four times a night.

## 2.1 Leave

Leave is granted in summer, when nights are short and storms are rare.

# 1. Forms

This appendix begins to count anew, which is common where one was a manual of its own.

## 1.1 The log

The log has a line for each hour, and a column for each thing that can go wrong.

## 1.2 The order

An order for oil is written in ink, and signed by the keeper alone.
";

#[test]
fn a_manual_has_the_same_ids_in_every_format() {
    let world = World::new();
    let pdf = as_pdf(MANUAL, "HANDBOOK OF THE LAMP");
    let forms: [(&str, &[u8]); 4] = [
        ("manual.md", MANUAL.as_bytes()),
        ("manual.html", &as_html(MANUAL).into_bytes()),
        ("manual.txt", &underlined(MANUAL).into_bytes()),
        ("manual.pdf", &pdf),
    ];
    for (name, bytes) in forms {
        world.write(name, bytes);
        let base = ingested(&world, name);
        let ids: Vec<&str> = base.paragraphs().iter().map(|one| one.id.as_str()).collect();
        let all = [
            "1 ¶1",
            "1.1 ¶1",
            "1.2 ¶1",
            "1.2 ¶2",
            "1.3 ¶1",
            "2 ¶1",
            "2.1 ¶1",
            "B:1 ¶1",
            "B:1.1 ¶1",
            "B:1.2 ¶1",
        ];
        assert_eq!(ids, all, "{name}");
        assert!(one(&base, "1.1 ¶1").text.contains("whale oil"), "{name}");
        assert_eq!(refs(one(&base, "1.3 ¶1"), "mentions"), ["1.1"], "{name}");
    }
}

/// Headings of plain text have a line below.
fn underlined(markdown: &str) -> String {
    let line = |line: &str| match line.trim_start_matches(['#', ' ']) {
        title if title.len() < line.len() && line.starts_with('#') => {
            format!("{title}\n{}\n", "=".repeat(title.len()))
        }
        _ => format!("{line}\n"),
    };
    markdown.lines().map(line).collect()
}

#[test]
fn a_law_has_recitals_articles_points_and_annexes() {
    let law = "<html><body><p>REGULATION (EU) 2099/7 on the keeping of umbrellas</p><p>Whereas:</p>
<p>(1) Rain falls on all.</p><p>(2) Article 3 of Directive 2098/1/EU does not deal with umbrellas.</p>
<p>HAVE ADOPTED THIS REGULATION:</p>
<p>CHAPTER I</p><p>GENERAL PROVISIONS</p>
<p>Article 1</p><p>Subject matter</p><p>This Regulation lays down rules for umbrellas.</p>
<p>Article 2</p><p>Definitions</p><p>For the purposes of this Regulation:</p>
<p>(1) ‘umbrella’ means a device against rain;</p><p>(2) ‘stand’ means a device for umbrellas.</p>
<p>Article 3</p><p>Duties</p><p>1. Keepers shall:</p><p>(a) keep umbrellas dry;</p><p>(b) number them.</p>
<p>2. Paragraph 1 of this Article applies to stands, and Article 2(1) to parasols. See Annex I, point 2.</p>
<p>3. By way of derogation from Article 3(1), point (b), small stands need no number.</p>
<p>ANNEX I</p><p>Sizes</p><p>1. Small stands.</p><p>2. Large stands.</p></body></html>";
    let base = base_of(&World::new(), "law.html", law);
    let ids: Vec<&str> = base.paragraphs().iter().map(|one| one.id.as_str()).collect();
    assert_eq!(
        ids[1..],
        [
            "Recital 1",
            "Recital 2",
            "Art. 1",
            "Art. 2",
            "Art. 2(1)",
            "Art. 2(2)",
            "Art. 3(1)",
            "Art. 3(1)(a)",
            "Art. 3(1)(b)",
            "Art. 3(2)",
            "Art. 3(3)",
            "Annex I(1)",
            "Annex I(2)",
        ]
    );
    assert_eq!(
        (one(&base, "Art. 2(2)").kind.as_str(), one(&base, "Art. 2(2)").tags[0].as_str()),
        ("definition", "stand")
    );
    assert_eq!(one(&base, "Article 3(1)").title, "Duties");
    let mut mentioned = refs(one(&base, "Art. 3(2)"), "mentions");
    mentioned.sort_unstable();
    assert_eq!(mentioned, ["Annex I(2)", "Art. 2(1)", "Art. 3(1)"]);
    assert_eq!(refs(one(&base, "Art. 3(3)"), "mentions"), ["Art. 3(1)(b)"]);
    assert_eq!(refs(one(&base, "Recital 2"), "mentions"), [""; 0]);
}

#[test]
fn a_regulation_as_xml_has_the_same_ids() {
    let text = "<?xml version=\"1.0\"?><DIV5 N=\"901\" TYPE=\"PART\" hierarchy_metadata=\"{&quot;citation&quot;:&quot;9 CFR Part 901&quot;}\"><HEAD>PART 901—UMBRELLAS OF 9 CFR</HEAD><DIV6 N=\"A\" TYPE=\"SUBPART\"><HEAD>Subpart A—General</HEAD><DIV8 N=\"§ 901.1\" TYPE=\"SECTION\"><HEAD>§ 901.1   Purpose.</HEAD><P>This part sets out rules for umbrellas.</P></DIV8><DIV8 N=\"§ 901.2\" TYPE=\"SECTION\"><HEAD>§ 901.2   Keeping.</HEAD><P>(a) <I>Dry umbrellas.</I> (1) Umbrellas are kept dry.</P><P>(2) Wet umbrellas are dried, see paragraph (b) of this section.</P><P>(b) Owners are named as § 901.1 says.</P></DIV8></DIV6></DIV5>";
    let base = base_of(&World::new(), "title-9.xml", text);
    let ids: Vec<&str> = base.paragraphs().iter().map(|one| one.id.as_str()).collect();
    assert_eq!(ids, ["9 CFR 901.1", "9 CFR 901.2(a)", "9 CFR 901.2(a)(2)", "9 CFR 901.2(b)"]);
    assert_eq!(one(&base, "9 CFR 901.1").path, ["UMBRELLAS OF 9 CFR", "General", "Purpose"]);
    assert_eq!(refs(one(&base, "9 CFR 901.2(a)(2)"), "mentions"), ["9 CFR 901.2(b)"]);
    assert_eq!(refs(one(&base, "9 CFR 901.2(b)"), "mentions"), ["9 CFR 901.1"]);
}

#[test]
fn a_federal_regulation_has_designated_paragraphs() {
    let text = "# PART 901—UMBRELLAS OF 9 CFR\n\n## Subpart A—General\n\n### § 901.1 Purpose.\n\nThis part sets out rules for umbrellas.\n\n### § 901.2 Keeping.\n\n(a) Dry umbrellas. (1) Umbrellas are kept dry.\n\n(2) Wet umbrellas are dried, see paragraph (b) of this section.\n\n(i) In the hall; or\n\n(ii) In the bath.\n\n(b) Owners are named as § 901.1 says.\n\n### § 901.3 Counting.\n\nUmbrellas are counted under 9 CFR 901.2(a)(1).\n";
    let base = base_of(&World::new(), "rules.md", text);
    let ids: Vec<&str> = base.paragraphs().iter().map(|one| one.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "9 CFR 901.1",
            "9 CFR 901.2(a)",
            "9 CFR 901.2(a)(2)",
            "9 CFR 901.2(a)(2)(i)",
            "9 CFR 901.2(a)(2)(ii)",
            "9 CFR 901.2(b)",
            "9 CFR 901.3",
        ]
    );
    assert_eq!(refs(one(&base, "9 CFR 901.2(a)(2)"), "mentions"), ["9 CFR 901.2(b)"]);
    assert_eq!(refs(one(&base, "9 CFR 901.2(a)(2)(i)"), "part-of"), ["9 CFR 901.2(a)(2)"]);
    assert_eq!(refs(one(&base, "9 CFR 901.2(b)"), "mentions"), ["9 CFR 901.1"]);
}

#[test]
fn controls_in_prose_have_parts_discussion_and_enhancements() {
    let text = "# Control catalogue (NIST SP 800-999)\n\n## UM-1 UMBRELLA POLICY\n\nControl:\n\na. Write a policy; and\n\nb. Review it:\n\n1. Each year; and\n\n2. After storms.\n\nDiscussion: A policy helps. Related Controls: UM-2.\n\nControl Enhancements:\n\n(1) UMBRELLA POLICY | AUTOMATED REVIEW\n\nReview the policy by machine.\n\nDiscussion: Machines stay dry.\n\n## UM-2 UMBRELLA STANDS\n\nControl: Keep a stand as UM-1(1) says.\n\nDiscussion: Stands drip.\n";
    let base = base_of(&World::new(), "controls.md", text);
    let ids: Vec<&str> = base.paragraphs().iter().map(|one| one.id.as_str()).collect();
    assert_eq!(
        ids,
        ["UM-1", "UM-1a", "UM-1b", "UM-1b1", "UM-1b2", "UM-1#D", "UM-1(1)", "UM-1(1)#D", "UM-2", "UM-2#D",]
    );
    assert_eq!(refs(one(&base, "UM-1#D"), "related"), ["UM-2"]);
    assert_eq!(refs(one(&base, "UM-2"), "mentions"), ["UM-1(1)"]);
}

#[test]
fn an_rfc_counts_paragraphs_below_its_sections() {
    let text = "Internet Engineering Task Force\nRequest for Comments: 9900\n\n                Umbrella Transfer Protocol\n\nAbstract\n\n   This document describes umbrellas.\n\n1.  Introduction\n\n   Rain falls on all who transfer umbrellas,\n   whatever the transport, and on others.\n\n   It falls from above, and from the side in a storm,\n   and then umbrellas do not help, and hats help less.\n\n   See Section 2.1 and RFC 9901, Section 4.\n\n2.  Protocol\n\n2.1.  Opening\n\n   The umbrella is opened.\n\n   It is held above the head.\n";
    let base = base_of(&World::new(), "rfc9900.txt", text);
    assert_eq!(one(&base, "RFC 9900 §2.1 ¶2").text, "It is held above the head.");
    assert_eq!(one(&base, "RFC 9900, Section 2.1 ¶1").text, "The umbrella is opened.");
    let introduction = one(&base, "RFC 9900 §1 ¶3");
    assert_eq!(refs(introduction, "mentions"), ["RFC 9901 §4", "RFC 9900 §2.1"]);
}

/// An RFC as they are published: pages with feet and heads, and a table of contents.
fn published_rfc() -> String {
    let (mut contents, mut body) = (String::new(), String::new());
    for section in 1..=9 {
        contents += &format!(
            "   {section}. Umbrellas of sort {section} ...................................{section}\n"
        );
        body += &format!(
            "{section}.  Umbrellas of Sort {section}\n\n   An umbrella of this sort is opened upwards.\n\n"
        );
        for inner in 1..=3 {
            contents += &format!(
                "      {section}.{inner}. Opening Them ........................................{section}\n"
            );
            body += &format!(
                "{section}.{inner}.  Opening Them\n\n   The handle MUST be held in {inner} hands of sort {section},\n   and the cloth SHOULD be dry before it is folded.\n\n   Whoever walks beside the holder MAY walk below it.\n\n"
            );
        }
        body += &format!(
            "\n\nBrolly                       Standards Track                    [Page {section}]\n\u{c}\nRFC 9900                 Umbrella Transfer Protocol          June 2031\n\n\n"
        );
    }
    format!(
        "\n\n\n\nInternet Engineering Task Force (IETF)                         B. Brolly\nRequest for Comments: 9900                                Rain Institute\nCategory: Standards Track                                      June 2031\nISSN: 2070-1721\n\n\n                       Umbrella Transfer Protocol\n\nAbstract\n\n   This document describes how umbrellas are handed over.\n\nStatus of This Memo\n\n   This is an Internet Standards Track document.\n\nTable of Contents\n\n{contents}\n\n\n{body}Authors' Addresses\n\n   Berta Brolly\n   Rain Institute\n"
    )
}

#[test]
fn a_published_rfc_keeps_the_sections_behind_its_table_of_contents() {
    let world = World::new();
    let base = base_of(&world, "rfc9900.txt", &published_rfc());
    for section in 1..=9 {
        for inner in 1..=3 {
            let text = &one(&base, &format!("RFC 9900 §{section}.{inner} ¶1")).text;
            assert!(text.contains(&format!("in {inner} hands of sort {section}")), "{text}");
        }
    }
    assert!(base.paragraphs().iter().all(|one| !one.text.contains("....") && !one.text.contains("[Page")));
}

#[test]
fn a_file_that_loses_most_of_its_words_is_reported_with_the_share_that_is_kept() {
    let world = World::new();
    let folder = world.home.path().join("rules");
    fs::create_dir_all(&folder).unwrap();
    let greedy = r#"{ "name": "greedy", "title": "Greedy", "description": "Skips too much",
        "headings": [ { "pattern": "Contents", "level": 1, "unmarked": true, "skip": true } ],
        "unnumbered": ["{stem}/p{count}"] }"#;
    fs::write(folder.join("greedy.json"), greedy).unwrap();
    let text = format!(
        "Rain falls on ten people of this town.\n\nContents\n\n{}",
        "Hats help less than cloth does. ".repeat(40)
    );
    world.write("rain.txt", text.as_bytes());
    let mut options = world.options(&world.sources.path().join("rain.txt"));
    options.rules = Some("greedy".into());
    let report = ingest(&options, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    let problems: Vec<&str> = report.files[0].problems.iter().map(|one| one.what.as_str()).collect();
    assert!(
        problems.iter().any(|what| what.starts_with("only 3 % of the words read are kept")),
        "{problems:?}"
    );
    options.rules = None;
    let report = ingest(&options, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    assert_eq!(report.files[0].problems, []);
}

#[test]
fn a_row_of_a_numbered_table_is_a_paragraph_of_that_number() {
    let text = "# V6 Umbrellas\n\n## V6.2 Handles\n\nHandles are held.\n\n| # | Requirement | Level |\n|---|---|---|\n| **6.2.1** | Verify that each handle is at least 8 thumbs long. | 1 |\n| **6.2.2** | Verify that the holder can change the handle. | 2 |\n\nHandles end here.\n\n## V6.3 Cloth\n\nCloth is wide.\n\n| Width | Price |\n|---|---|\n| 1.5 | 20 |\n| 2.5 | 30 |\n";
    let base = base_of(&World::new(), "umbrellas.md", text);
    assert_eq!(one(&base, "6.2.1").text, "Verify that each handle is at least 8 thumbs long. | 1");
    assert_eq!(one(&base, "6.2.2").section, "6.2");
    assert_eq!(one(&base, "V6.2 ¶1").text, "Handles are held.");
    assert_eq!(one(&base, "V6.2 ¶1").title, "Handles");
    let texts: Vec<&str> = base.paragraphs().iter().map(|one| one.text.as_str()).collect();
    assert!(texts.contains(&"Handles end here.") && texts.contains(&"# | Requirement | Level"), "{texts:?}");
    assert!(base.paragraph("1.5").is_err(), "a table of figures stays one: {texts:?}");
}

#[test]
fn a_no_break_space_alone_is_no_paragraph() {
    let base = base_of(
        &World::new(),
        "page.html",
        "<html><body><h1>Rain</h1><p>It falls.</p><p>&#160;</p><p>\u{a0}\u{2003}</p></body></html>",
    );
    assert_eq!(base.paragraphs().len(), 1);
}

#[test]
fn a_person_s_own_rules_are_used_by_name_and_by_detection() {
    let world = World::new();
    let folder = world.home.path().join("rules");
    fs::create_dir_all(&folder).unwrap();
    let own = r#"{ "name": "house", "title": "House rules", "description": "Ours", "citation": "[{id}]",
        "detect": [ { "pattern": "House rule [0-9]+", "in": "heading", "points": 50, "most": 2 } ],
        "headings": [ { "pattern": "House rule (?P<rule>[0-9]+)", "level": 1, "opens": ["HR {rule}"] } ],
        "unnumbered": ["HR {rule} ¶{count}", "{stem}/p{count}"] }"#;
    fs::write(folder.join("house.json"), own).unwrap();
    let base = base_of(&world, "house.md", "# House rule 1\n\nKeep dry.\n\n# House rule 2\n\nStay in.\n");
    assert_eq!(one(&base, "HR 2").text, "Stay in.");
    assert_eq!(base.citation("HR 2"), "[HR 2]");
    let mut options = world.options(&world.sources.path().join("house.md"));
    options.rules = Some("plain".into());
    ingest(&options, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    let base = Base::open(world.home.path(), "primer").unwrap();
    assert_eq!(one(&base, "house:house-rule-2/p1").text, "Stay in.");
    options.rules = Some("none".into());
    let error = ingest(&options, &mut |_| {}, &AtomicBool::new(false)).unwrap_err();
    assert!(matches!(error, KnowledgeError::Rules(RuleError::Unknown { .. })), "{error}");
}

#[test]
fn a_faulty_rule_file_is_refused_with_its_place() {
    let faults = [
        (r#"{ "name": "x" "#, ""),
        (r#"{ "name": "x", "title": "", "description": "", "unnumbered": ["{stem}"] }"#, "/unnumbered/0"),
        (r#"{ "name": "X", "title": "", "description": "", "unnumbered": ["{count}"] }"#, "/name"),
        (r#"{ "name": "isa", "title": "", "description": "", "unnumbered": ["{count}"] }"#, "/name"),
        (
            r#"{ "name": "x", "title": "", "description": "", "unnumbered": ["{count}"], "facts": ["a", "("] }"#,
            "/facts/1",
        ),
        (
            r#"{ "name": "x", "title": "", "description": "", "unnumbered": ["{count}"], "numbers": [{ "pattern": "(?:a{1000}){1000}", "id": ["{n}"] }] }"#,
            "/numbers/0/pattern",
        ),
        (
            r#"{ "name": "x", "title": "", "description": "", "unnumbered": ["{count}"], "headings": [{ "pattern": "a", "levle": 1 }] }"#,
            "/headings/0",
        ),
        (
            r#"{ "name": "x", "title": "", "description": "", "unnumbered": ["{count}"], "items": [{ "marks": ["q"], "as": "parts", "id": ["{whole}"] }] }"#,
            "/items/0/marks/0",
        ),
        (
            r#"{ "name": "x", "title": "", "description": "", "unnumbered": ["{count}"], "references": [{ "pattern": "a", "to": ["{a"] }] }"#,
            "/references/0/to/0",
        ),
    ];
    for (text, place) in faults {
        let world = World::with(&[("a.md", "Some text.\n")]);
        let folder = world.home.path().join("rules");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("faulty.json"), text).unwrap();
        match world.try_ingest() {
            Err(KnowledgeError::Rules(RuleError::Value { pointer, file, .. })) => {
                assert_eq!(pointer, place, "{text}");
                assert!(file.ends_with("faulty.json"));
            }
            Err(KnowledgeError::Rules(RuleError::File { .. })) => assert_eq!(place, "", "{text}"),
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn the_shipped_rule_sets_follow_the_schema_in_the_repository() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../sources/knowledge-base/rules");
    let mut text = serde_json::to_string_pretty(&rules::schema()).unwrap();
    text.push('\n');
    let path = folder.join("rules.schema.json");
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        fs::write(&path, &text).unwrap();
    }
    let shipped = fs::read_to_string(&path).unwrap_or_default();
    assert!(shipped == text, "rules.schema.json is stale: UPDATE_SCHEMAS=1 cargo test -p knowledge");
    let sets = rules::rule_sets(World::new().home.path()).unwrap();
    let names: Vec<&str> = sets.iter().map(|set| set.name.as_str()).collect();
    assert_eq!(names, ["isa", "nist", "cfr", "eu-law", "rfc", "numbered-manual", "plain"]);
    assert!(sets.iter().all(|set| set.schema.as_deref() == Some("./rules.schema.json")));
}
