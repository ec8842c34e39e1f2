//! From text to tree, in one pass. The grammar and its levels are filtrex 3's.

use super::token::{Token, Word, tokens};
use super::tree::{Arithmetic, Kind, Node, Relation};
use crate::mistake::{Mistake, Span};

/// The longest expression, in bytes.
pub const MAX_EXPRESSION_BYTES: usize = 4 * 1024;
/// How deep one may be nested; every further term of a sum or product counts, too.
pub const MAX_EXPRESSION_DEPTH: usize = 64;
/// The most parts of one.
pub const MAX_PARTS: usize = 1_000;
/// How deep the text may be nested: parentheses around every part, and what is written out stays readable.
const MAX_TEXT_DEPTH: usize = 2 * MAX_EXPRESSION_DEPTH + 2;

type Parsed = Result<Node, Mistake>;

pub(crate) fn parse(text: &str) -> Parsed {
    let end = Span::new(text.len(), text.len());
    if text.len() > MAX_EXPRESSION_BYTES {
        let message =
            format!("an expression of {} bytes; at most {MAX_EXPRESSION_BYTES} are read", text.len());
        return Err(Mistake::new(Span::new(0, text.len()), message));
    }
    if text.trim().is_empty() {
        return Err(Mistake::new(end, "an empty expression").hint("write one like `hasUnread == true`"));
    }
    let (tokens, mistake) = tokens(text);
    let mut parser = Parser { tokens, broken: mistake, next: 0, depth: 0, parts: 0, end };
    let node = parser.conditional()?;
    match parser.peek() {
        None if parser.broken.is_none() => Ok(node),
        _ => Err(parser.unexpected("an operator such as `and`, or the end")),
    }
}

struct Parser {
    tokens: Vec<(Token, Span)>,
    /// What ended the reading of tokens early.
    broken: Option<Mistake>,
    next: usize,
    /// Calls under way that nest.
    depth: usize,
    parts: usize,
    end: Span,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next).map(|(token, _)| token)
    }

    fn at(&self) -> Span {
        let broken = self.broken.as_ref().map_or(self.end, |mistake| mistake.at);
        self.tokens.get(self.next).map_or(broken, |(_, at)| *at)
    }

    fn take_sign(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Sign(next)) if *next == sign);
        self.next += usize::from(found);
        found
    }

    fn take_word(&mut self, word: Word) -> bool {
        let found = self.peek() == Some(&Token::Word(word));
        self.next += usize::from(found);
        found
    }

    fn unexpected(&self, wanted: &str) -> Mistake {
        if self.next >= self.tokens.len()
            && let Some(mistake) = &self.broken
        {
            return mistake.clone();
        }
        let found = match self.peek() {
            None => "the end".to_owned(),
            Some(Token::Number(number)) => format!("`{number}`"),
            Some(Token::Text(_)) => "a text".to_owned(),
            Some(Token::Name(name) | Token::Quoted(name)) => format!("`{name}`"),
            Some(Token::Word(word)) => {
                let name = Word::ALL.iter().find(|(_, known)| known == word);
                format!("`{}`", name.map_or("", |(name, _)| name))
            }
            Some(Token::Sign(sign)) => format!("`{sign}`"),
        };
        Mistake::new(self.at(), format!("expected {wanted}, found {found}"))
    }

    fn expect_sign(&mut self, sign: &str, wanted: &str) -> Result<Span, Mistake> {
        let at = self.at();
        if self.take_sign(sign) { Ok(at) } else { Err(self.unexpected(wanted)) }
    }

    fn node(&mut self, at: Span, deepest: usize, kind: Kind) -> Parsed {
        self.parts += 1;
        if self.parts > MAX_PARTS {
            return Err(Mistake::new(at, format!("more than {MAX_PARTS} parts")));
        }
        let depth = deepest + 1;
        if depth > MAX_EXPRESSION_DEPTH {
            return Err(Self::too_deep(at));
        }
        Ok(Node { at, depth, kind })
    }

    fn too_deep(at: Span) -> Mistake {
        Mistake::new(at, format!("nested more than {MAX_EXPRESSION_DEPTH} deep"))
            .hint("terms of `and`, of `or` and of a list in parentheses do not nest")
    }

    /// Everything that nests passes here, so that no text can use up the stack.
    fn nested(&mut self, parse: impl FnOnce(&mut Self) -> Parsed) -> Parsed {
        if self.depth >= MAX_TEXT_DEPTH {
            return Err(Self::too_deep(self.at()));
        }
        self.depth += 1;
        let node = parse(self);
        self.depth -= 1;
        node
    }

    fn conditional(&mut self) -> Parsed {
        self.nested(|parser| {
            if parser.peek() == Some(&Token::Word(Word::If)) {
                return parser.if_then_else();
            }
            let condition = parser.or()?;
            if !parser.take_sign("?") {
                return Ok(condition);
            }
            let then = parser.conditional()?;
            parser.expect_sign(":", "`:` and what holds otherwise")?;
            let otherwise = parser.conditional()?;
            parser.choice(condition.at, condition, then, otherwise)
        })
    }

    fn if_then_else(&mut self) -> Parsed {
        let at = self.at();
        self.next += 1;
        let condition = self.conditional()?;
        if !self.take_word(Word::Then) {
            return Err(self.unexpected("`then`"));
        }
        let then = self.conditional()?;
        if !self.take_word(Word::Else) {
            return Err(self.unexpected("`else`"));
        }
        let otherwise = self.conditional()?;
        self.choice(at, condition, then, otherwise)
    }

    fn choice(&mut self, at: Span, condition: Node, then: Node, otherwise: Node) -> Parsed {
        let deepest = condition.depth.max(then.depth).max(otherwise.depth);
        let at = at.to(otherwise.at);
        self.node(at, deepest, Kind::If(Box::new([condition, then, otherwise])))
    }

    fn or(&mut self) -> Parsed {
        self.joined(Word::Or, Self::and, Kind::Or)
    }

    fn and(&mut self) -> Parsed {
        self.joined(Word::And, Self::membership, Kind::And)
    }

    fn joined(&mut self, word: Word, term: fn(&mut Self) -> Parsed, kind: fn(Vec<Node>) -> Kind) -> Parsed {
        let first = term(self)?;
        if self.peek() != Some(&Token::Word(word)) {
            return Ok(first);
        }
        let (at, mut end, mut deepest) = (first.at, first.at, first.depth);
        let mut terms = vec![first];
        while self.take_word(word) {
            let term = term(self)?;
            end = term.at;
            deepest = deepest.max(term.depth);
            terms.push(term);
        }
        self.node(at.to(end), deepest, kind(terms))
    }

    fn membership(&mut self) -> Parsed {
        let mut item = self.comparison()?;
        loop {
            let negated = matches!(
                (self.peek(), self.tokens.get(self.next + 1)),
                (Some(Token::Word(Word::Not)), Some((Token::Word(Word::In), _)))
            );
            if !negated && self.peek() != Some(&Token::Word(Word::In)) {
                return Ok(item);
            }
            self.next += 1 + usize::from(negated);
            let list = self.comparison()?;
            let (at, deepest) = (item.at.to(list.at), item.depth.max(list.depth));
            item =
                self.node(at, deepest, Kind::In { item: Box::new(item), list: Box::new(list), negated })?;
        }
    }

    fn relation(&mut self) -> Option<Relation> {
        let Some(Token::Sign(sign)) = self.peek() else { return None };
        let relation = Relation::ALL.into_iter().find(|relation| relation.sign() == *sign)?;
        self.next += 1;
        Some(relation)
    }

    fn comparison(&mut self) -> Parsed {
        let first = self.sum()?;
        let (mut end, mut deepest, mut rest) = (first.at, first.depth, Vec::new());
        while let Some(relation) = self.relation() {
            let node = self.sum()?;
            end = node.at;
            deepest = deepest.max(node.depth);
            rest.push((relation, node));
        }
        if rest.is_empty() {
            return Ok(first);
        }
        self.node(first.at.to(end), deepest, Kind::Compare(Box::new(first), rest))
    }

    fn sum(&mut self) -> Parsed {
        let mut left = self.product()?;
        loop {
            let sign = if self.take_sign("+") {
                Arithmetic::Add
            } else if self.take_sign("-") {
                Arithmetic::Subtract
            } else {
                return Ok(left);
            };
            let right = self.product()?;
            left = self.arithmetic(left, sign, right)?;
        }
    }

    fn product(&mut self) -> Parsed {
        let mut left = self.unary()?;
        loop {
            let sign = if self.take_sign("*") {
                Arithmetic::Multiply
            } else if self.take_sign("/") {
                Arithmetic::Divide
            } else if self.take_sign("%") || self.take_word(Word::Mod) {
                Arithmetic::Modulo
            } else {
                return Ok(left);
            };
            let right = self.unary()?;
            left = self.arithmetic(left, sign, right)?;
        }
    }

    fn arithmetic(&mut self, left: Node, sign: Arithmetic, right: Node) -> Parsed {
        let (at, deepest) = (left.at.to(right.at), left.depth.max(right.depth));
        self.node(at, deepest, Kind::Arithmetic(Box::new(left), sign, Box::new(right)))
    }

    fn unary(&mut self) -> Parsed {
        let at = self.at();
        let kind: fn(Box<Node>) -> Kind = if self.take_sign("-") {
            Kind::Negate
        } else if self.take_word(Word::Not) {
            Kind::Not
        } else {
            return self.power();
        };
        let operand = self.nested(Self::unary)?;
        let deepest = operand.depth;
        self.node(at.to(operand.at), deepest, kind(Box::new(operand)))
    }

    fn power(&mut self) -> Parsed {
        let base = self.atom()?;
        if !self.take_sign("^") {
            return Ok(base);
        }
        let exponent = self.nested(Self::unary)?;
        self.arithmetic(base, Arithmetic::Power, exponent)
    }

    fn atom(&mut self) -> Parsed {
        let at = self.at();
        let Some(token) = self.peek().cloned() else {
            return Err(self.unexpected("a field, a value or a function"));
        };
        match token {
            Token::Number(number) => {
                self.next += 1;
                self.node(at, 0, Kind::Number(number))
            }
            Token::Text(text) => {
                self.next += 1;
                self.node(at, 0, Kind::Text(text))
            }
            Token::Name(name) => self.name(at, name, false),
            Token::Quoted(name) => self.name(at, name, true),
            Token::Sign("(") => self.parentheses(at),
            // An `if` reaches as far as it can, wherever it begins.
            Token::Word(Word::If) => self.nested(Self::if_then_else),
            Token::Sign(_) | Token::Word(_) => Err(self.unexpected("a field, a value or a function")),
        }
    }

    fn name(&mut self, at: Span, name: String, quoted: bool) -> Parsed {
        self.next += 1;
        if self.take_sign("(") {
            let mut args = Vec::new();
            let mut deepest = 0;
            let mut last = self.at();
            if !self.take_sign(")") {
                loop {
                    let arg = self.conditional()?;
                    deepest = deepest.max(arg.depth);
                    args.push(arg);
                    last = self.at();
                    if self.take_sign(")") {
                        break;
                    }
                    self.expect_sign(",", "`,` or `)`")?;
                }
            }
            return self.node(at.to(last), deepest, Kind::Call { name, args });
        }
        if self.take_word(Word::Of) {
            let of = self.nested(Self::atom)?;
            let deepest = of.depth;
            return self.node(at.to(of.at), deepest, Kind::Of { name, quoted, of: Box::new(of) });
        }
        self.node(at, 0, Kind::Name { name, quoted })
    }

    fn parentheses(&mut self, at: Span) -> Parsed {
        self.next += 1;
        let first = self.conditional()?;
        if self.take_sign(")") {
            return Ok(first);
        }
        let mut deepest = first.depth;
        let mut items = vec![first];
        loop {
            self.expect_sign(",", "`)`, or `,` and another value")?;
            let item = self.conditional()?;
            deepest = deepest.max(item.depth);
            items.push(item);
            let last = self.at();
            if self.take_sign(")") {
                return self.node(at.to(last), deepest, Kind::List(items));
            }
        }
    }
}
