//! Headings that a source wrote in capitals.

use docx::HeadingCase;
use pretty_assertions::assert_eq;

const TEXT: &str = "The buyer ACME and TelemetryWorks sign. Northwind Logistics Software, Inc. sells to ACME under the GDPR.\n\
    IN NO EVENT SHALL THE PROVIDER BE LIABLE FOR ANY LOSS. The change of control is a term; rights of the parties.\n";

#[test]
fn a_heading_in_capitals_is_shown_as_a_title() {
    let case = HeadingCase::learn(TEXT);
    for (heading, shown) in [
        ("ASSIGNMENT; CHANGE OF CONTROL", "Assignment; Change of Control"),
        ("DEFINITIONS", "Definitions"),
        ("ARTICLE IV \u{2014} THE RIGHTS OF THE PARTIES", "Article IV \u{2014} The Rights of the Parties"),
        (
            "SHARE PURCHASE AGREEMENT BETWEEN ACME AND TELEMETRYWORKS",
            "Share Purchase Agreement Between ACME and TelemetryWorks",
        ),
        ("NORTHWIND LOGISTICS SOFTWARE, INC.", "Northwind Logistics Software, Inc."),
        ("SUB-PROCESSOR REGISTER & DATA-FLOW INVENTORY", "Sub-Processor Register & Data-Flow Inventory"),
        ("EXHIBIT A: STATEMENT OF WORK NO. 2024-RE-01", "Exhibit A: Statement of Work No. 2024-RE-01"),
        ("8. LIMITATION OF LIABILITY", "8. Limitation of Liability"),
        ("SERIES B PREFERRED STOCK OF A U.S. COMPANY", "Series B Preferred Stock of a U.S. Company"),
        (
            "PROVIDER'S LIABILITY UNDER THE GDPR AND THE UK DPA",
            "Provider's Liability Under the GDPR and the UK DPA",
        ),
        ("CIVIL LIABILITY", "Civil Liability"),
        ("TERM", "Term"),
        ("LOSS OF ARTICLE XIV RIGHTS", "Loss of Article XIV Rights"),
    ] {
        assert_eq!(case.display(heading), shown);
    }
}

#[test]
fn other_headings_and_quotations_stay() {
    let case = HeadingCase::learn(TEXT);
    for heading in [
        "GDPR",
        "ACME",
        "AC-2(1)",
        "ISA 315",
        "What is an NMU?",
        "THE WORD \u{201c}AFFILIATE\u{201d}",
        "IV.G.",
    ] {
        assert_eq!(case.display(heading), heading);
    }
}

#[test]
fn roman_numbers_are_told_from_words() {
    let case = HeadingCase::default();
    for number in ["I", "IV", "IX", "XIV", "XL", "MCMXC"] {
        let heading = format!("ARTICLE {number} TERMS");
        assert_eq!(case.display(&heading), format!("Article {number} Terms"));
    }
    for (word, shown) in [("IIII", "Iiii"), ("CIVIL", "Civil"), ("VX", "VX"), ("IC", "Ic")] {
        let heading = format!("ARTICLE {word} TERMS");
        assert_eq!(case.display(&heading), format!("Article {shown} Terms"));
    }
}
