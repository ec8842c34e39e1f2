//! The document as a file of Word.

use answers::{Document, DocumentPreface, Exhibit, Exhibits, build, to_html, to_word_of_all};
use docx::{Block, Link, Run, RunContent, WordDocument};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::document::{assert_is_file, sample, with_records};

/// The file of a document of which nothing else is known.
fn to_word(document: &Document) -> WordDocument {
    answers::to_word(document, &Exhibits::default())
}

/// A line as words with what they lead to: `{words -> place}` and `^1` for the footnote of index 0.
fn shown(runs: &[Run]) -> String {
    let mut out = String::new();
    for run in runs {
        let words = match &run.content {
            RunContent::Text(words) => words.clone(),
            RunContent::Break => "\n".to_owned(),
            RunContent::NoteMark(index) => format!("^{}", index + 1),
            RunContent::NoteNumber(index) => format!("{}", index + 1),
        };
        let words = if run.format.highlight { format!("<<{words}>>") } else { words };
        match &run.link {
            Some(Link::Web(address)) => out.push_str(&format!("{{{words} -> {}}}", address.as_str())),
            Some(Link::Place(place)) => out.push_str(&format!("{{{words} -> #{place}}}")),
            None => out.push_str(&words),
        }
    }
    out
}

fn outline(blocks: &[Block], indent: usize, out: &mut String) {
    let at = |place: &Option<String>| place.iter().map(|place| format!(" #{place}")).collect::<String>();
    for block in blocks {
        let mut line = |text: String| out.push_str(&format!("{}{text}\n", "  ".repeat(indent)));
        match block {
            Block::Heading { level, runs, place } => {
                line(format!("{} {}{}", "=".repeat(level.number().into()), shown(runs), at(place)));
            }
            Block::Paragraph(one) => line(format!("{:?}: {}{}", one.style, shown(&one.runs), at(&one.place))),
            Block::List(list) => list.items.iter().for_each(|item| {
                out.push_str(&format!("{}*\n", "  ".repeat(indent)));
                outline(item, indent + 1, out);
            }),
            Block::Changed(change, inner) => {
                line(format!("{change:?}"));
                outline(inner, indent + 1, out);
            }
            Block::Quote(inner) => {
                line("quote".to_owned());
                outline(inner, indent + 1, out);
            }
            Block::Table(table) => {
                for row in std::iter::once(&table.header).chain(&table.rows) {
                    let cells = row.iter().map(|cell| format!("{}{}", shown(&cell.runs), at(&cell.place)));
                    line(format!("| {} |", cells.collect::<Vec<_>>().join(" | ")));
                }
            }
            Block::Code(code) => line(format!("code {code}")),
            Block::Contents(contents) => line(format!("contents {:?}", contents.depth)),
            Block::Rule | Block::PageBreak => line(format!("{block:?}")),
        }
    }
}

fn whole(word: &WordDocument) -> String {
    let mut out = format!("title {}\nheader {}\n", word.title, word.header);
    for runs in &word.subtitle {
        out.push_str(&format!("subtitle {}\n", shown(runs)));
    }
    outline(&word.blocks, 0, &mut out);
    for (index, note) in word.notes.iter().enumerate() {
        out.push_str(&format!("note {}\n", index + 1));
        outline(&note.blocks, 1, &mut out);
    }
    out
}

#[test]
fn the_file_of_word_is_exactly_this() {
    assert_is_file("document.word.txt", &whole(&to_word(&build(&sample()))));
}

#[test]
fn with_records_each_footnote_says_the_state_of_its_statement() {
    let mut input = with_records();
    input.answer["synthesis"] =
        json!("Sentence 1 (ISA 315.12). Sentence 2 (ISA 315.12).\n\n## More\n\nSentence 3 (ISA 315.12).");
    let word = to_word(&build(&input));
    let text = whole(&word);
    let notes: Vec<&str> = text.lines().filter(|line| line.contains("{Statement ")).map(str::trim).collect();
    assert_eq!(
        notes,
        [
            "Body: {Statement 1 -> #statement-1}: \u{2713} quoted word for word",
            "Body: {Statement 2 -> #statement-2}: ? unverified",
            "Body: {Statement 3 -> #statement-3}: \u{2717} not supported by the source",
        ]
    );
    assert!(
        text.contains("| 3 #statement-3 | Sentence 3. | \u{2717} not supported by the source | why |"),
        "{text}"
    );
    assert!(text.contains("Caption: Cited in the text: notes 1, 2, 3"), "{text}");
}

#[test]
fn a_footnote_names_file_and_page_and_quotes_word_for_word() {
    let mut input = sample();
    input.verification.as_mut().unwrap()["source_texts"][0]["file"] = json!("isa315.pdf");
    input.verification.as_mut().unwrap()["source_texts"][0]["page"] = json!(7);
    let word = to_word(&build(&input));
    let Block::Paragraph(head) = &word.notes[0].blocks[0] else { panic!("{:?}", word.notes[0]) };
    assert_eq!(shown(&head.runs), "{ISA 315.12 -> #cite-1} (isa315.pdf, page 7): verified");
    let Block::Paragraph(quote) = &word.notes[0].blocks[1] else { panic!("{:?}", word.notes[0]) };
    assert_eq!(shown(&quote.runs), "\u{201c}shall perform risk procedures\u{201d}");
}

#[test]
fn documents_have_numbers_that_footnotes_name() {
    let mut input = sample();
    let checks = input.verification.as_mut().unwrap();
    checks["source_texts"][0]["file"] = json!("isa315.pdf");
    checks["source_texts"][0]["page"] = json!(7);
    let other = Exhibit { file: "deal/lease.pdf".to_owned(), ..Exhibit::default() };
    let cited = Exhibit {
        file: "isa315.pdf".to_owned(),
        title: "IDENTIFYING THE RISKS OF AN ENTITY".to_owned(),
        date: "1 May 2026".to_owned(),
        pages: Some(90),
        sha256: "0123456789abcdef".to_owned(),
        ..Exhibit::default()
    };
    input.answer["synthesis"] = json!(
        "\u{201c}shall perform risk procedures\u{201d} (ISA 315.12)\n\n## THE RISKS\n\nThey do (ISA 315.12).\n"
    );
    let word = answers::to_word(&build(&input), &Exhibits::all(vec![other, cited]));
    let text = whole(&word);
    // A quotation alone does not say whose words it has.
    assert!(text.contains("Body: \u{201c}shall perform risk procedures\u{201d} (Ex.\u{a0}2)^1\n"), "{text}");
    assert!(text.contains("= The Risks\nBody: They do^2.\n"), "{text}");
    let heads: Vec<&str> = text.lines().filter(|line| line.contains("-> #cite-1}:")).map(str::trim).collect();
    assert_eq!(
        heads,
        [
            "Body: {Ex.\u{a0}2 (Identifying the Risks of an Entity, isa315.pdf), ISA 315.12, page 7 -> #cite-1}: verified",
            "Body: {Ex.\u{a0}2, ISA 315.12, page 7 -> #cite-1}: verified",
        ]
    );
    assert!(
        text.contains(
            "| Ex.\u{a0}2 | Identifying the Risks of an Entity (isa315.pdf) | 1 May 2026 | 90 | 0123456789ab |"
        ),
        "{text}"
    );
}

#[test]
fn what_the_page_of_html_says_stands_in_the_file_of_word() {
    for input in [sample(), with_records(), answers::DocumentInput::default()] {
        let document = build(&input);
        let bare = |text: &str| {
            let letters = text.chars().filter(|c| c.is_alphanumeric());
            letters.collect::<String>()
        };
        let text = bare(&whole(&to_word(&document)));
        let html = to_html(&document);
        let (_, main) = html.split_once("<header>").unwrap();
        for piece in main.split(['<', '>']).step_by(2) {
            let piece =
                piece.replace("&quot;", "").replace("&#39;", "").replace("&amp;", "").replace("&lt;", "");
            // How a citation leads back has other words here; numbers stand in them.
            let own = ["Cited in the text:", "Skip to the answer", "Contents", "Sources"];
            if own.contains(&piece.trim()) || piece.trim().parse::<u32>().is_ok() {
                continue;
            }
            assert!(text.contains(&bare(&piece)), "{piece:?} is missing");
        }
    }
}

#[test]
fn the_same_document_gives_the_same_file() {
    let document = build(&with_records());
    let file = docx::write(&to_word(&document)).unwrap();
    assert!(file.starts_with(b"PK"));
    assert_eq!(file, docx::write(&to_word(&build(&with_records()))).unwrap());
}

#[test]
fn several_documents_stand_in_one_file_with_places_apart() {
    let document = build(&sample());
    let paragraphs = ["Decided: yes".to_owned(), " ".to_owned()];
    let before = DocumentPreface { heading: "First question", paragraphs: &paragraphs };
    let parts = || [(before, Some(&document)), (before, None), (before, Some(&document))].into_iter();
    let word = to_word_of_all("A session", parts());
    let text = whole(&word);
    assert!(
        text.starts_with("title A session\nheader A session\n= First question\nBody: Decided: yes\nNotice: "),
        "{text}"
    );
    for place in ["#d1-cite-1", "#d3-cite-1", "{[W1] -> #d1-web-1}", "{[W1] -> #d3-web-1}"] {
        assert!(text.contains(place), "{place} in {text}");
    }
    assert!(text.contains("\n== Identification\n") && text.contains("\n=== Gaps\n"), "{text}");
    assert_eq!(word.notes.len(), 2 * to_word(&document).notes.len());
    assert!(docx::write(&to_word_of_all("A session", parts())).is_ok());
}

#[test]
fn hostile_words_stay_words() {
    let mut input = sample();
    let nasty = "<w:t>\u{0}\u{202e}]]>& [x](javascript:alert(1)) {\u{fffe}}";
    input.title = nasty.into();
    input.question = nasty.into();
    input.answer = json!({
        "synthesis": format!("## {nasty}\n\n{nasty} (ISA 315.12) [a](#cite-99) [b](#statement-99) [^1]\n\n[^1]: x\n"),
        "citations": [{ "source_ref": "ISA 315.12", "claim": nasty, "quote": nasty }],
        "gaps": [nasty],
    });
    let document = build(&input);
    let text = whole(&to_word(&document));
    assert!(
        !text.contains("javascript:alert(1)}") && !text.contains("-> #cite-99") && !text.contains('\u{202e}'),
        "{text}"
    );
    assert!(docx::write(&to_word(&document)).is_ok());
}

#[test]
fn contents_come_with_the_fourth_section() {
    let mut input = sample();
    let has = |input: &answers::DocumentInput| {
        to_word(&build(input)).blocks.iter().any(|block| matches!(block, Block::Contents(_)))
    };
    input.answer["synthesis"] = json!("a\n\n## A\n\na\n\n## B\n\nb\n");
    assert!(!has(&input));
    input.answer["synthesis"] = json!("a\n\n## A\n\na\n\n## B\n\nb\n\n## C\n\nc\n");
    assert!(has(&input));
}
