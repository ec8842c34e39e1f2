//! A line as bash's grammar reads it.

use std::cell::RefCell;

use tree_sitter::{Node, Parser};

use super::{Command, Line, Word};

/// How deep a tree is followed.
const MAX_DEPTH: u32 = 200;

thread_local! {
    static PARSER: RefCell<Option<Parser>> = RefCell::new(parser());
}

fn parser() -> Option<Parser> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    Some(parser)
}

/// Every simple command of a line, wherever it stands, and why the line is not a plain one.
pub(super) fn read(text: &str) -> (Line, Option<String>) {
    let tree = PARSER.with_borrow_mut(|parser| parser.as_mut().and_then(|parser| parser.parse(text, None)));
    let mut reader = Reader { text, line: Line::default(), refused: None };
    match tree {
        Some(tree) => reader.node(tree.root_node(), 0),
        None => reader.refuse("it can't be parsed", true),
    }
    (reader.line, reader.refused)
}

struct Reader<'a> {
    text: &'a str,
    line: Line,
    refused: Option<String>,
}

impl<'a> Reader<'a> {
    fn refuse(&mut self, reason: &str, opaque: bool) {
        self.line.opaque |= opaque;
        if self.refused.is_none() {
            self.refused = Some(reason.to_owned());
        }
    }

    fn text(&self, node: Node<'_>) -> &'a str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    fn children(&mut self, node: Node<'_>, depth: u32) {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            self.node(child, depth + 1);
        }
    }

    fn node(&mut self, node: Node<'_>, depth: u32) {
        if depth > MAX_DEPTH {
            return self.refuse("it is nested too deeply", true);
        }
        if node.is_error() || node.is_missing() {
            self.refuse("its syntax is not understood", true);
        }
        match node.kind() {
            "program" => {
                if node.has_error() {
                    self.refuse("its syntax is not understood", true);
                }
                self.children(node, depth);
            }
            "list" | "pipeline" | "comment" => self.children(node, depth),
            "redirected_statement" => {
                self.children(node, depth);
            }
            "command" => self.command(node, depth),
            // Judged by the scanner, which takes none that writes.
            "file_redirect" => self.redirect(node, depth),
            "file_descriptor" => self.inside(node, depth),
            "word" | "string" | "raw_string" | "number" | "concatenation" | "string_content" => {
                self.inside(node, depth);
            }
            kind => {
                let reason = match kind {
                    "subshell" | "compound_statement" => "it groups commands",
                    "command_substitution" | "process_substitution" => {
                        "it puts a command's output in a command"
                    }
                    "variable_assignment"
                    | "variable_assignments"
                    | "declaration_command"
                    | "unset_command" => "it sets a variable",
                    "function_definition" => "it defines a function",
                    "negated_command" => "it negates a command",
                    "heredoc_redirect" | "herestring_redirect" => "it gives a command a text of its own",
                    "simple_expansion" | "expansion" | "arithmetic_expansion" => "it uses a variable",
                    _ => "it is more than simple commands",
                };
                self.refuse(reason, false);
                self.children(node, depth);
            }
        }
    }

    /// Commands that stand inside of a word.
    fn inside(&mut self, node: Node<'_>, depth: u32) {
        self.children(node, depth);
    }

    /// Where a redirection leads.
    fn redirect(&mut self, node: Node<'_>, depth: u32) {
        let mut cursor = node.walk();
        let mut reads = false;
        for child in node.children(&mut cursor) {
            match child.kind() {
                "<" => reads = true,
                "file_descriptor" => {}
                _ if child.is_named() => {
                    let target = self.word(child, depth + 1);
                    self.line.writes_unknown |= !reads && (target.dynamic || target.text.contains('{'));
                    let list = if reads { &mut self.line.inputs } else { &mut self.line.outputs };
                    list.push(target.text);
                }
                _ => {}
            }
        }
    }

    fn command(&mut self, node: Node<'_>, depth: u32) {
        let mut command = Command::default();
        let place = self.line.commands.len();
        self.line.commands.push(Command::default());
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "command_name" => {
                    let word = self.word(child, depth);
                    self.line.opaque |= word.dynamic;
                    command.words.push(word);
                }
                "file_redirect" => self.redirect(child, depth),
                "variable_assignment" | "herestring_redirect" | "heredoc_redirect" => {
                    self.node(child, depth + 1)
                }
                _ => {
                    let word = self.word(child, depth);
                    command.words.push(word);
                }
            }
        }
        self.line.commands[place] = command;
    }

    fn word(&mut self, node: Node<'_>, depth: u32) -> Word {
        let mut word = Word::default();
        self.spell(node, depth, &mut word);
        word
    }

    fn spell(&mut self, node: Node<'_>, depth: u32, word: &mut Word) {
        if depth > MAX_DEPTH || node.is_error() || node.is_missing() {
            word.dynamic = true;
            return self.refuse("its syntax is not understood", true);
        }
        match node.kind() {
            "word" | "number" | "extglob_pattern" | "regex" if node.named_child_count() == 0 => {
                unescape(self.text(node), &mut word.text);
            }
            "raw_string" => {
                let text = self.text(node);
                word.text.push_str(
                    text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')).unwrap_or(text),
                );
            }
            "string" => self.string(node, depth, word),
            "command_name" | "concatenation" => self.pieces(node, depth, word),
            _ => {
                word.dynamic = true;
                self.node(node, depth + 1);
            }
        }
    }

    /// The children of a node and what stands between them.
    fn pieces(&mut self, node: Node<'_>, depth: u32, word: &mut Word) {
        let mut at = node.start_byte();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            unescape(self.text.get(at..child.start_byte()).unwrap_or_default(), &mut word.text);
            self.spell(child, depth + 1, word);
            at = child.end_byte();
        }
        unescape(self.text.get(at..node.end_byte()).unwrap_or_default(), &mut word.text);
    }

    fn string(&mut self, node: Node<'_>, depth: u32, word: &mut Word) {
        let mut cursor = node.walk();
        let plain = node.named_children(&mut cursor).all(|child| child.kind() == "string_content");
        if !plain {
            word.dynamic = true;
            let mut cursor = node.walk();
            for child in node.named_children(&mut cursor) {
                if child.kind() == "string_content" {
                    word.text.push_str(self.text(child));
                } else {
                    self.node(child, depth + 1);
                }
            }
            return;
        }
        // All between the quotes: the grammar leaves blanks at its ends out of the content.
        let text = self.text(node);
        let Some(text) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) else {
            word.dynamic = true;
            return;
        };
        let mut rest = text.chars().peekable();
        while let Some(c) = rest.next() {
            match (c, rest.peek()) {
                ('\\', Some(next @ ('"' | '\\' | '$' | '`'))) => {
                    word.text.push(*next);
                    rest.next();
                }
                _ => word.text.push(c),
            }
        }
    }
}

fn unescape(text: &str, out: &mut String) {
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => out.extend(rest.next()),
            c => out.push(c),
        }
    }
}
