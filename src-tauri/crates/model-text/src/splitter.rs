//! Text cut into what is said, what is thought and what is called, piece by piece as it comes.

use crate::call::{OfferedTool, WrittenCall, bare, read};

/// A part of a text.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    /// What is said.
    Text(String),
    /// What is thought.
    Thought(String),
    /// A call of a tool.
    Call(WrittenCall),
}

/// Marks around thinking: they count at the beginning of a line.
const THOUGHTS: [(&str, &str); 8] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<seed:think>", "</seed:think>"),
    ("<reasoning>", "</reasoning>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
];
/// Marks around calls; an empty end is the end of the text.
const CALLS: [(&str, &str); 12] = [
    ("<tool_call>", "</tool_call>"),
    ("<tool_calls>", "</tool_calls>"),
    ("<function_call>", "</function_call>"),
    ("<function_calls>", "</function_calls>"),
    ("<minimax:tool_call>", "</minimax:tool_call>"),
    ("<function=", "</function>"),
    ("<invoke name=", "</invoke>"),
    ("[TOOL_CALLS]", ""),
    ("<|python_tag|>", ""),
    ("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
    ("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
    ("<|tool_call|>", "<|/tool_call|>"),
];
/// The mark before a channel of an answer, and the end of its header.
const CHANNEL: (&str, &str) = ("<|channel|>", "<|message|>");
/// Tokens between channels: no part of any.
const BETWEEN: [&str; 5] = ["<|start|>assistant", "<|end|>", "<|return|>", "<|call|>", "<|start|>"];
/// What ends the thinking in a channel.
const CHANNEL_ENDS: [&str; 3] = ["<|end|>", "<|start|>", "<|channel|>"];
/// What ends a call in a channel.
const CALL_ENDS: [&str; 3] = ["<|call|>", "<|end|>", "<|start|>"];

/// Where the text stands.
#[derive(Debug, Default)]
enum State {
    #[default]
    Text,
    /// In thinking. `text`: what was thought so far, after its mark; `late`: whether something was said before.
    Thought { text: String, late: bool, ends: Vec<&'static str> },
    /// In a call; the text of it with its mark waits.
    Call { open: String, ends: Vec<&'static str> },
    /// In the header of a channel.
    Header,
}

/// Cuts a text that comes in pieces.
#[derive(Debug, Default)]
pub struct Splitter {
    pending: String,
    state: State,
    line: Line,
    /// Whether anything but blanks was said.
    spoke: bool,
    /// Whether the text has channels.
    channels: bool,
}

/// What is known of the line so far.
#[derive(Debug)]
struct Line {
    /// Whether only blanks have come.
    blank: bool,
    backticks: usize,
    last: char,
    /// The sign of the code fence around the line.
    fence: Option<char>,
}

impl Default for Line {
    fn default() -> Self {
        Self { blank: true, backticks: 0, last: '\n', fence: None }
    }
}

impl Line {
    fn pass(&mut self, c: char) {
        match c {
            '\n' => {
                (self.blank, self.backticks) = (true, 0);
            }
            '`' => (self.blank, self.backticks) = (false, self.backticks + 1),
            c if c.is_whitespace() => {}
            _ => self.blank = false,
        }
        self.last = c;
    }
}

/// What a mark begins.
#[derive(Debug, Clone, Copy)]
enum Mark {
    Thought(&'static str),
    Call(&'static str),
    Channel,
    Between,
    Fence(char),
}

enum Found {
    /// A mark of some bytes begins here.
    Mark(usize, usize, Mark),
    /// What begins here may become one.
    Maybe(usize),
    Nothing,
}

impl Splitter {
    /// The next piece of the text.
    pub fn push(&mut self, piece: &str, tools: &[OfferedTool]) -> Vec<Piece> {
        self.pending.push_str(piece);
        let mut out = Vec::new();
        self.run(tools, false, &mut out);
        out
    }

    /// The text has ended; `cut`: before it was complete.
    pub fn finish(&mut self, tools: &[OfferedTool], cut: bool) -> Vec<Piece> {
        let mut out = Vec::new();
        self.run(tools, true, &mut out);
        match std::mem::take(&mut self.state) {
            State::Text | State::Header | State::Thought { .. } => {}
            State::Call { open, .. } => {
                let body = std::mem::take(&mut self.pending);
                // Many models end their answer with the call instead of its mark.
                let calls = read(&format!("{}{body}", inner(&open)), tools, !cut);
                let usable = calls.filter(|calls| cut || calls.iter().all(|call| call.raw.is_none()));
                match usable {
                    Some(calls) => out.extend(calls.into_iter().map(Piece::Call)),
                    None => out.push(Piece::Text(format!("{open}{body}"))),
                }
            }
        }
        out
    }

    fn run(&mut self, tools: &[OfferedTool], last: bool, out: &mut Vec<Piece>) {
        loop {
            let goes_on = match std::mem::take(&mut self.state) {
                State::Text => self.text(tools, last, out),
                State::Thought { text, late, ends } => self.thought(text, late, ends, last, out),
                State::Call { open, ends } => self.call(open, ends, tools, out),
                State::Header => self.header(last, out),
            };
            if !goes_on {
                return;
            }
        }
    }

    /// Says so many bytes of what waits.
    fn say(&mut self, bytes: usize, out: &mut Vec<Piece>) {
        if bytes == 0 {
            return;
        }
        let rest = self.pending.split_off(bytes);
        let said = std::mem::replace(&mut self.pending, rest);
        self.spoke |= !said.trim().is_empty();
        out.push(Piece::Text(said));
    }

    fn text(&mut self, tools: &[OfferedTool], last: bool, out: &mut Vec<Piece>) -> bool {
        match self.next_mark(tools, last) {
            Found::Nothing => {
                self.say(self.pending.len(), out);
                false
            }
            Found::Maybe(at) => {
                self.say(at, out);
                false
            }
            Found::Mark(at, length, Mark::Fence(sign)) => {
                self.line.fence = if self.line.fence.is_some() { None } else { Some(sign) };
                self.line.blank = false;
                self.say(at + length, out);
                true
            }
            Found::Mark(at, length, mark) => {
                self.say(at, out);
                let open: String = self.pending.drain(..length).collect();
                match mark {
                    Mark::Thought(end) => {
                        let late = self.spoke;
                        self.state = State::Thought { text: open, late, ends: vec![end] };
                    }
                    Mark::Call(end) => self.state = State::Call { open, ends: vec![end] },
                    Mark::Channel => {
                        self.channels = true;
                        self.state = State::Header;
                    }
                    Mark::Between | Mark::Fence(_) => {}
                }
                true
            }
        }
    }

    /// The next mark in what waits; the line before it counts as passed.
    fn next_mark(&mut self, tools: &[OfferedTool], last: bool) -> Found {
        for (at, c) in self.pending.char_indices() {
            let rest = &self.pending[at..];
            let quoted =
                self.line.backticks % 2 == 1 || matches!(self.line.last, '"' | '\'' | '`' | '“' | '‘' | '«');
            let code = self.line.fence.is_some();
            if self.line.blank && matches!(c, '`' | '~') {
                let fence: String = [c; 3].iter().collect();
                if rest.starts_with(&fence) && self.line.fence.is_none_or(|sign| sign == c) {
                    return Found::Mark(at, 3, Mark::Fence(c));
                }
                if !last && fence.starts_with(rest) {
                    return Found::Maybe(at);
                }
            }
            if !code && !quoted && matches!(c, '<' | '[' | '◁') {
                let mut maybe = false;
                let mut test = |mark: &str| {
                    maybe |= !last && mark.starts_with(rest);
                    rest.starts_with(mark)
                };
                if self.line.blank
                    && let Some(&(open, end)) = THOUGHTS.iter().find(|(open, _)| test(open))
                {
                    return Found::Mark(at, open.len(), Mark::Thought(end));
                }
                if !tools.is_empty()
                    && let Some(&(open, end)) = CALLS.iter().find(|(open, _)| test(open))
                {
                    return Found::Mark(at, open.len(), Mark::Call(end));
                }
                let begins = !self.spoke && self.line.blank;
                if (begins || self.channels) && test(CHANNEL.0) {
                    return Found::Mark(at, CHANNEL.0.len(), Mark::Channel);
                }
                if (begins || self.channels)
                    && let Some(mark) = BETWEEN.iter().find(|mark| test(mark))
                {
                    // The longer of two may still come.
                    let longer =
                        BETWEEN.iter().any(|other| other.len() > mark.len() && other.starts_with(rest));
                    if last || !longer {
                        return Found::Mark(at, mark.len(), Mark::Between);
                    }
                }
                // An end of thinking that has no beginning here, right at the start of what is said.
                if begins && let Some((_, end)) = THOUGHTS.iter().find(|(_, end)| test(end)) {
                    return Found::Mark(at, end.len(), Mark::Between);
                }
                if maybe {
                    return Found::Maybe(at);
                }
            }
            self.line.pass(c);
        }
        Found::Nothing
    }

    fn thought(
        &mut self,
        mut text: String,
        late: bool,
        ends: Vec<&'static str>,
        last: bool,
        out: &mut Vec<Piece>,
    ) -> bool {
        match first_of(&self.pending, &ends) {
            Some((at, end)) => {
                let thought: String = self.pending.drain(..at).collect();
                // The mark of the next channel is read as one.
                if !CHANNEL_ENDS.contains(&end) {
                    self.pending.drain(..end.len());
                }
                out.push(Piece::Thought(thought));
                self.line = Line::default();
                true
            }
            None => {
                let keep = if last { 0 } else { held(&self.pending, &ends) };
                let rest = self.pending.split_off(self.pending.len() - keep);
                let thought = std::mem::replace(&mut self.pending, rest);
                text.push_str(&thought);
                if last && late {
                    // In the middle of an answer a mark without an end is one that is written about.
                    out.push(Piece::Text(text));
                } else {
                    out.push(Piece::Thought(thought));
                    self.state = State::Thought { text, late, ends };
                }
                false
            }
        }
    }

    fn call(
        &mut self,
        open: String,
        ends: Vec<&'static str>,
        tools: &[OfferedTool],
        out: &mut Vec<Piece>,
    ) -> bool {
        let found = first_of(&self.pending, &ends).filter(|(_, end)| !end.is_empty());
        let Some((at, end)) = found else {
            self.state = State::Call { open, ends };
            return false;
        };
        let body: String = self.pending.drain(..at).collect();
        self.pending.drain(..end.len());
        // The elements around a call are part of it.
        let close = if matches!(open.as_str(), "<function=" | "<invoke name=") { end } else { "" };
        let block = format!("{}{body}{close}", inner(&open));
        match read(&block, tools, true) {
            Some(calls) => {
                out.extend(calls.into_iter().map(Piece::Call));
                self.line = Line::default();
            }
            None => {
                self.spoke = true;
                out.push(Piece::Text(format!("{open}{body}{end}")));
            }
        }
        true
    }

    /// The header of a channel says what stands in it.
    fn header(&mut self, last: bool, out: &mut Vec<Piece>) -> bool {
        let Some((at, end)) = first_of(&self.pending, &[CHANNEL.1]) else {
            if last {
                let rest = std::mem::take(&mut self.pending);
                out.push(Piece::Text(rest));
            } else {
                self.state = State::Header;
            }
            return false;
        };
        let header: String = self.pending.drain(..at).collect();
        self.pending.drain(..end.len());
        self.line = Line::default();
        if header.contains("to=") {
            self.state =
                State::Call { open: format!("{}{header}{end}", CHANNEL.0), ends: CALL_ENDS.to_vec() };
        } else if header.trim_start().starts_with("analysis") {
            let (text, late) = (String::new(), false);
            self.state = State::Thought { text, late, ends: CHANNEL_ENDS.to_vec() };
        }
        true
    }
}

/// The part of a mark that belongs to the call: an element's name, a header.
fn inner(open: &str) -> &str {
    match open {
        "<function=" | "<invoke name=" => open,
        open if open.starts_with(CHANNEL.0) => &open[CHANNEL.0.len()..],
        _ => "",
    }
}

/// The first of some marks, and where it stands.
fn first_of(text: &str, marks: &[&'static str]) -> Option<(usize, &'static str)> {
    marks.iter().filter_map(|mark| Some((text.find(mark)?, *mark))).min_by_key(|(at, _)| *at)
}

/// Bytes at the end of a text that one of some marks may begin with.
fn held(text: &str, marks: &[&'static str]) -> usize {
    let longest = marks.iter().map(|mark| mark.len()).max().unwrap_or_default().saturating_sub(1);
    let from = text.len().saturating_sub(longest);
    let mut ends = (from..text.len()).filter(|at| text.is_char_boundary(*at)).map(|at| &text[at..]);
    ends.find(|end| marks.iter().any(|mark| mark.starts_with(end))).map_or(0, str::len)
}

/// A whole text. Besides what comes piece by piece this sees thinking whose beginning the server's template swallowed,
/// and a call that is the whole text.
pub fn split(text: &str, tools: &[OfferedTool], cut: bool) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut rest = text;
    if let Some((thought, after)) = headless(text) {
        out.push(Piece::Thought(thought.to_owned()));
        rest = after;
    }
    let mut splitter = Splitter { pending: rest.to_owned(), ..Splitter::default() };
    for piece in splitter.finish(tools, cut) {
        match (piece, out.last_mut()) {
            (Piece::Text(more), Some(Piece::Text(text)))
            | (Piece::Thought(more), Some(Piece::Thought(text))) => {
                text.push_str(&more);
            }
            (piece, _) => out.push(piece),
        }
    }
    out.retain(|piece| !matches!(piece, Piece::Thought(text) if text.is_empty()));
    let said: Vec<&str> = out
        .iter()
        .filter_map(|piece| match piece {
            Piece::Text(text) if !text.trim().is_empty() => Some(text.as_str()),
            Piece::Text(_) | Piece::Thought(_) | Piece::Call(_) => None,
        })
        .collect();
    if let [text] = said.as_slice()
        && let Some(calls) = bare(text, tools)
    {
        out.retain(|piece| matches!(piece, Piece::Thought(_)));
        out.extend(calls.into_iter().map(Piece::Call));
    }
    out
}

/// Thinking at the beginning of a text that only its end marks, and what follows.
fn headless(text: &str) -> Option<(&str, &str)> {
    if let Some(rest) = text.trim_start().strip_prefix("analysis")
        && let Some((thought, after)) = rest.split_once("assistantfinal")
        && rest.starts_with(|c: char| c.is_uppercase())
    {
        return Some((thought, after));
    }
    let (at, end, open) =
        THOUGHTS.iter().filter_map(|(open, end)| Some((text.find(end)?, *end, *open))).min()?;
    let (before, after) = (&text[..at], &text[at + end.len()..]);
    if before.trim().is_empty() || before.contains(open) {
        return None;
    }
    // A line of its own, outside code.
    let alone = before.ends_with('\n') && after.starts_with(['\n', '\r']) || after.starts_with("\n\n");
    let fences = before.lines().filter(|line| line.trim_start().starts_with("```")).count();
    let line = before.rsplit('\n').next().unwrap_or_default();
    let quoted = line.matches('`').count() % 2 == 1;
    (alone && fences % 2 == 0 && !quoted).then_some((before, after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use serde_json::json;

    fn tools() -> Vec<OfferedTool> {
        let parameters =
            json!({ "properties": { "path": { "type": "string" }, "limit": { "type": "integer" } } });
        vec![OfferedTool { name: "read".into(), parameters }]
    }

    /// Text, thinking and calls, whole and cut at every character.
    fn parts(text: &str) -> (String, String, Vec<String>) {
        let join = |pieces: Vec<Piece>| {
            let (mut said, mut thought, mut calls) = (String::new(), String::new(), Vec::new());
            for piece in pieces {
                match piece {
                    Piece::Text(text) => said.push_str(&text),
                    Piece::Thought(text) => thought.push_str(&text),
                    Piece::Call(call) => calls.push(format!("{} {}", call.name, call.arguments)),
                }
            }
            (said.trim().to_owned(), thought.trim().to_owned(), calls)
        };
        let whole = join(split(text, &tools(), false));
        let mut splitter = Splitter::default();
        let mut pieces: Vec<Piece> =
            text.chars().flat_map(|c| splitter.push(&c.to_string(), &tools())).collect();
        pieces.extend(splitter.finish(&tools(), false));
        let (said, thought, calls) = join(pieces);
        // What only the end tells is told by the whole.
        if headless(text).is_none() && bare(text, &tools()).is_none() && !text.contains("unclosed") {
            assert_eq!((said, thought, calls), whole.clone(), "{text}");
        }
        whole
    }

    #[test]
    fn thinking_is_no_part_of_what_is_said() {
        for (text, said, thought) in [
            ("<think>a</think>b", "b", "a"),
            ("\n<thinking>\na\n</thinking>\n\nb", "b", "a"),
            ("[THINK]a[/THINK]b", "b", "a"),
            ("a\nb\n</think>\n\nc", "c", "a\nb"),
            (
                "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b<|return|>",
                "b",
                "a",
            ),
            ("analysisWe see.assistantfinalb", "b", "We see."),
            ("x\n<think>a</think>\ny", "x\n\ny", "a"),
            ("<think>a", "", "a"),
            ("</think>\nb", "b", ""),
        ] {
            assert_eq!(parts(text), (said.to_owned(), thought.to_owned(), Vec::new()), "{text}");
        }
    }

    #[test]
    fn an_answer_about_such_marks_stays_text() {
        for text in [
            "The mark `<think>` opens, `</think>` closes.",
            "Models write <think> before </think>.",
            "Example:\n```\n<think>a</think>\n<tool_call>{\"name\":\"read\",\"arguments\":{}}</tool_call>\n```\nDone.",
            "A call is `<tool_call>{\"name\":\"read\",\"arguments\":{}}</tool_call>`.",
            "He wrote \"<tool_call>{\"name\":\"read\"}</tool_call>\".",
            "<tool_call>{\"name\":\"other\",\"arguments\":{}}</tool_call>",
            "First this.\n<think> is unclosed",
            "{\"name\":\"read\",\"colour\":1}",
            "a < b, [1] and ``` in one line",
        ] {
            assert_eq!(parts(text), (text.to_owned(), String::new(), Vec::new()), "{text}");
        }
    }

    #[test]
    fn calls_are_read_in_the_forms_of_many_models() {
        let call = "read {\"path\":\"a\"}";
        for text in [
            "<tool_call>{\"name\":\"read\",\"arguments\":{\"path\":\"a\"}}</tool_call>",
            "<tool_call>\n{\"name\":\"functions.read\",\"arguments\":\"{\\\"path\\\":\\\"a\\\"}\"}\n</tool_call>",
            "<tool_call>\n<function=read>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>",
            "<function=read>{\"path\":\"a\"}</function>",
            "<function=read>\n<parameter=path>a</parameter>\n</function>",
            "<invoke name=\"read\"><parameter name=\"path\">a</parameter></invoke>",
            "<function_calls><invoke name=\"read\"><parameter name=\"path\">a</parameter></invoke></function_calls>",
            "<tool_call>read\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n</tool_call>",
            "[TOOL_CALLS][{\"name\":\"read\",\"arguments\":{\"path\":\"a\"}}]",
            "[TOOL_CALLS]read[ARGS]{\"path\":\"a\"}",
            "<|python_tag|>{\"name\":\"read\",\"parameters\":{\"path\":\"a\"}}",
            "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read\n```json\n{\"path\":\"a\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
            "<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{\"path\":\"a\"}<|tool_call_end|><|tool_calls_section_end|>",
            "<|channel|>commentary to=functions.read <|constrain|>json<|message|>{\"path\":\"a\"}<|call|>",
            "{\"name\":\"read\",\"arguments\":{\"path\":\"a\"}}",
            "<tool_call>{\"name\":\"read\",\"arguments\":{\"path\":\"a\"}}",
        ] {
            assert_eq!(parts(text), (String::new(), String::new(), vec![call.to_owned()]), "{text}");
        }
        let two = "I look. <tool_call>{\"name\":\"read\",\"arguments\":{\"limit\":2}}</tool_call>\n<tool_call>{\"name\":\"read\"}</tool_call>";
        let (said, _, calls) = parts(two);
        assert_eq!(
            (said.as_str(), calls),
            ("I look.", vec!["read {\"limit\":2}".to_owned(), "read {}".to_owned()])
        );
    }

    #[test]
    fn a_call_that_was_cut_is_one_that_was_cut() {
        for text in [
            "<tool_call>{\"name\":\"read\",\"arguments\":{\"path\":\"a",
            "<function=read>\n<parameter=path>a",
        ] {
            let pieces = split(text, &tools(), true);
            assert!(
                matches!(&pieces[..], [Piece::Call(call)] if call.cut && call.name == "read"),
                "{pieces:?}"
            );
            assert!(matches!(&split(text, &tools(), false)[..], [Piece::Text(_)]), "{text}");
        }
    }
}
