//! Lines of a text, without the headers and footers of printed pages.

/// A line of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub(super) text: &'a str,
    /// From 1.
    pub(super) number: u32,
}

impl Line<'_> {
    pub(super) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Columns before its text; tabs reach to the next multiple of 8.
    pub(super) fn indent(&self) -> usize {
        let mut column = 0;
        for b in self.text.bytes() {
            match b {
                b' ' => column += 1,
                b'\t' => column = (column / 8 + 1) * 8,
                _ => break,
            }
        }
        column
    }
}

/// The lines of a text. Where pages end with `[Page 7]`, footer and following header go, and a paragraph that runs
/// over the break is one again.
pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let mut out: Vec<Line<'_>> = Vec::new();
    let mut number = 0_u32;
    let mut after_break = false;
    let mut header_due = false;
    for line in text.lines() {
        number = number.saturating_add(1);
        let fed = line.starts_with('\x0c');
        let line = Line { text: line.trim_start_matches('\x0c'), number };
        if is_footer(line.text) {
            while out.last().is_some_and(Line::is_blank) {
                out.pop();
            }
            (after_break, header_due) = (true, false);
            continue;
        }
        if fed {
            header_due = after_break;
        }
        if after_break && line.is_blank() {
            continue;
        }
        if header_due {
            header_due = false;
            continue;
        }
        if after_break {
            after_break = false;
            let runs_on = out.last().is_some_and(|last| {
                !last.text.trim_end().ends_with(['.', ':', ';', '?', '!'])
                    && last.indent() == line.indent()
                    && line.text.trim_start().starts_with(char::is_lowercase)
            });
            if !runs_on {
                out.push(Line { text: "", number });
            }
        }
        out.push(line);
    }
    out
}

fn is_footer(line: &str) -> bool {
    let line = line.trim_end();
    let Some(at) = line.strip_suffix(']').and_then(|rest| rest.rfind("[Page ")) else { return false };
    let page = &line[at + "[Page ".len()..line.len() - 1];
    !page.is_empty() && page.len() <= 5 && page.bytes().all(|b| b.is_ascii_alphanumeric())
}
