//! Markdown set as a PDF the way that standards are printed: bold headings, hanging numbers, running heads.

use crate::paper::{Font, Page, Paper};

const LEFT: f32 = 72.0;
const INDENT: f32 = 24.0;
const FIRST: f32 = 90.0;
const LAST: f32 = 330.0;
/// Characters of a line of 10 points.
const LINE: usize = 88;

/// Sets the text; each page has `head` above it and its number below.
pub(crate) fn as_pdf(markdown: &str, head: &str) -> Vec<u8> {
    let mut sheets = Sheets { head, pages: Vec::new(), page: Page::default(), y: FIRST };
    for line in markdown.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let hashes = line.chars().take_while(|&c| c == '#').count();
        if hashes > 0 {
            let size = [10.0, 18.0, 14.0, 12.0][hashes.min(3)];
            sheets.block(&wrapped(line[hashes..].trim(), 50), Font::Bold, size, (LEFT, LEFT));
            continue;
        }
        let depth = match line.split(' ').next().unwrap_or_default() {
            "(i)" | "(ii)" => 2.0,
            mark if mark.starts_with('(') && mark.ends_with(')') || mark == "-" => 1.0,
            mark if mark.ends_with('.') && mark.len() <= 6 => 0.0,
            _ => {
                sheets.block(&wrapped(line, LINE), Font::Plain, 10.0, (LEFT, LEFT));
                continue;
            }
        };
        let (mark, text) = line.split_once(' ').unwrap_or((line, ""));
        let x = LEFT + INDENT * depth;
        let mark = mark.replace('-', "•");
        sheets.marked(&mark, &wrapped(text, LINE - 6 * depth as usize), x);
    }
    sheets.finish()
}

fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last_mut().unwrap();
        if !last.is_empty() && last.len() + word.len() >= width {
            lines.push(word.to_owned());
        } else {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines
}

struct Sheets<'h> {
    head: &'h str,
    pages: Vec<Page>,
    page: Page,
    y: f32,
}

impl Sheets<'_> {
    fn block(&mut self, lines: &[String], font: Font, size: f32, (first, rest): (f32, f32)) {
        self.y += size;
        for (at, line) in lines.iter().enumerate() {
            let x = if at == 0 { first } else { rest };
            self.line(x, font, size, line);
        }
    }

    fn marked(&mut self, mark: &str, lines: &[String], x: f32) {
        self.y += 8.0;
        for (at, line) in lines.iter().enumerate() {
            if at == 0 {
                self.make_room(12.0);
                self.page = std::mem::take(&mut self.page).text(x, self.y, Font::Plain, 10.0, mark);
            }
            self.line(x + INDENT, Font::Plain, 10.0, line);
        }
    }

    fn line(&mut self, x: f32, font: Font, size: f32, text: &str) {
        self.make_room(1.2 * size);
        self.page = std::mem::take(&mut self.page).text(x, self.y, font, size, text);
        self.y += 1.2 * size;
    }

    fn make_room(&mut self, height: f32) {
        if self.y + height > LAST {
            self.turn();
        }
    }

    fn turn(&mut self) {
        let number = (self.pages.len() + 1).to_string();
        let page = std::mem::take(&mut self.page).text(LEFT, 50.0, Font::Plain, 9.0, self.head).text(
            300.0,
            760.0,
            Font::Plain,
            9.0,
            &number,
        );
        self.pages.push(page);
        self.y = FIRST;
    }

    fn finish(mut self) -> Vec<u8> {
        self.turn();
        Paper::new(self.pages).bytes()
    }
}
