//! Markdown as a document.

use docx::{Block, HeadingLevel, MarkdownOptions, blocks_from_markdown, from_markdown};
use pretty_assertions::assert_eq;

use crate::support::{File, line};

fn levels(blocks: &[Block]) -> Vec<HeadingLevel> {
    blocks
        .iter()
        .filter_map(|block| if let Block::Heading { level, .. } = block { Some(*level) } else { None })
        .collect()
}

#[test]
fn the_first_heading_is_the_title_unless_one_is_given() {
    let text = "# Title *here*\n\nx\n\n## A\n\n### B\n";
    let document = from_markdown(text, &MarkdownOptions::default());
    assert_eq!((document.title.as_str(), document.header.as_str()), ("Title here", "Title here"));
    assert_eq!(levels(&document.blocks), [HeadingLevel::First, HeadingLevel::Second]);
    let given =
        from_markdown(text, &MarkdownOptions { title: Some("Own".into()), ..MarkdownOptions::default() });
    assert_eq!(given.title, "Own");
    assert_eq!(levels(&given.blocks), [HeadingLevel::First, HeadingLevel::Second, HeadingLevel::Third]);
}

#[test]
fn levels_begin_at_the_level_that_is_asked_for_and_end_at_the_fourth() {
    let blocks = blocks_from_markdown("# a\n## b\n### c\n###### d\n", 2);
    assert_eq!(
        levels(&blocks),
        [HeadingLevel::First, HeadingLevel::First, HeadingLevel::Second, HeadingLevel::Fourth]
    );
}

#[test]
fn raw_html_is_shown_as_text_and_a_picture_as_its_description() {
    let lines =
        File::markdown("<script>\nalert(1)\n</script>\n\na <i>b</i> ![alt *x*](y.png) ![](z.png)").lines();
    assert_eq!(
        lines,
        [line("BodyText", "<script>\nalert(1)\n</script>"), line("BodyText", "a <i>b</i> [alt x] [picture]"),]
    );
}

#[test]
fn breaks_in_a_line_are_kept_where_they_are_meant() {
    assert_eq!(File::markdown("a\nb\\\nc").lines(), [line("BodyText", "a b\nc")]);
}

#[test]
fn blocks_of_a_section_know_no_footnotes() {
    let blocks = blocks_from_markdown("x[^a]\n\n[^a]: y\n", 1);
    assert!(!format!("{blocks:?}").contains("NoteMark"));
}

#[test]
fn items_with_and_without_blank_lines_read_alike() {
    let words = |text: &str| File::markdown(text).lines();
    assert_eq!(words("- a\n- b\n"), words("- a\n\n- b\n"));
}
