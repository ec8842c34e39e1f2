//! Word's mathematics (ECMA-376 part 1, section 22.1) as a formula.

use crate::ReadError;
use crate::formula::{Formula, Scripts, accent, is_brace};
use crate::xml::{Element, Node, Xml};

/// A reading of one formula.
#[derive(Default)]
pub(super) struct Mathematics {
    /// Elements that are not known; their text is read.
    pub(super) unknown: usize,
    /// Around how many arrays of equations this is: `&` marks where they are aligned.
    aligned: usize,
}

/// What an object says of itself, and its arguments.
#[derive(Default)]
struct Object {
    properties: Vec<(String, Option<String>, bool)>,
    arguments: Vec<(String, Formula)>,
    rows: Vec<Vec<Formula>>,
}

impl Object {
    fn argument(&mut self, name: &str) -> Formula {
        let found = self.arguments.iter().position(|(known, _)| known == name);
        found.map_or_else(Formula::default, |at| self.arguments.swap_remove(at).1)
    }

    fn value(&self, name: &str) -> Option<&str> {
        let (_, value, _) = self.properties.iter().find(|(known, ..)| known == name)?;
        Some(value.as_deref().unwrap_or_default())
    }

    fn is_on(&self, name: &str) -> bool {
        self.properties.iter().any(|(known, _, on)| known == name && *on)
    }

    fn sign(&self, name: &str, usual: &str) -> String {
        self.value(name).unwrap_or(usual).to_owned()
    }
}

impl Mathematics {
    /// What stands in the element that was just opened.
    pub(super) fn read(&mut self, xml: &mut Xml<'_>) -> Result<Formula, ReadError> {
        let mut parts = Vec::new();
        loop {
            match xml.next()? {
                Node::Open(element) => parts.extend(self.part(&element, xml)?),
                Node::Text(_) => {}
                Node::Close | Node::End => {
                    return Ok(match parts.len() {
                        1 => parts.swap_remove(0),
                        _ => Formula::Row(parts),
                    });
                }
            }
        }
    }

    fn part(&mut self, element: &Element<'_>, xml: &mut Xml<'_>) -> Result<Option<Formula>, ReadError> {
        let name = element.name().to_owned();
        Ok(Some(match name.as_str() {
            "r" => self.run(xml)?,
            "f" | "sSup" | "sSub" | "sSubSup" | "sPre" | "rad" | "nary" | "d" | "m" | "eqArr" | "func"
            | "limLow" | "limUpp" | "acc" | "bar" | "groupChr" | "box" | "borderBox" | "phant" => {
                self.aligned += usize::from(name == "eqArr");
                let object = self.object(xml)?;
                self.aligned -= usize::from(name == "eqArr");
                built(&name, object)
            }
            "oMath" | "oMathPara" | "ins" | "moveTo" | "sdt" | "sdtContent" | "smartTag" | "customXml"
            | "hyperlink" | "e" => self.read(xml)?,
            "del" => Formula::Struck(Box::new(self.read(xml)?)),
            "t" => Formula::Text(xml.text()?),
            "moveFrom" | "bookmarkStart" | "bookmarkEnd" | "proofErr" | "commentRangeStart"
            | "commentRangeEnd" => {
                xml.skip()?;
                return Ok(None);
            }
            _ if name.ends_with("Pr") => {
                xml.skip()?;
                return Ok(None);
            }
            _ => {
                let text = xml.text()?;
                self.unknown += usize::from(!text.trim().is_empty());
                Formula::Word(text)
            }
        }))
    }

    fn run(&mut self, xml: &mut Xml<'_>) -> Result<Formula, ReadError> {
        let mut text = String::new();
        let (mut struck, mut hidden, mut word) = (false, false, false);
        loop {
            match xml.next()? {
                Node::Open(element) => match element.name() {
                    "t" | "delText" => text.push_str(&xml.text()?),
                    "rPr" => loop {
                        match xml.next()? {
                            Node::Open(element) => {
                                match element.name() {
                                    "strike" | "dstrike" => struck |= element.is_on(),
                                    "vanish" => hidden |= element.is_on(),
                                    "nor" => word |= element.is_on(),
                                    _ => {}
                                }
                                xml.skip()?;
                            }
                            Node::Text(_) => {}
                            Node::Close | Node::End => break,
                        }
                    },
                    "br" | "tab" | "cr" => {
                        text.push(' ');
                        xml.skip()?;
                    }
                    _ => xml.skip()?,
                },
                Node::Text(_) => {}
                Node::Close | Node::End => break,
            }
        }
        if self.aligned > 0 {
            text.retain(|c| c != '&');
        }
        text.retain(|c| !('\u{2061}'..='\u{2064}').contains(&c));
        let text = match () {
            () if hidden => Formula::default(),
            () if word => Formula::Word(text),
            () => Formula::Text(text),
        };
        Ok(if struck { Formula::Struck(Box::new(text)) } else { text })
    }

    fn object(&mut self, xml: &mut Xml<'_>) -> Result<Object, ReadError> {
        let mut object = Object::default();
        loop {
            match xml.next()? {
                Node::Open(element) if element.name().ends_with("Pr") => loop {
                    match xml.next()? {
                        Node::Open(element) => {
                            let name = element.name().to_owned();
                            object.properties.push((name, element.attr("val"), element.is_on()));
                            xml.skip()?;
                        }
                        Node::Text(_) => {}
                        Node::Close | Node::End => break,
                    }
                },
                Node::Open(element) if element.name() == "mr" => {
                    let mut row = Vec::new();
                    loop {
                        match xml.next()? {
                            Node::Open(_) => row.push(self.read(xml)?),
                            Node::Text(_) => {}
                            Node::Close | Node::End => break,
                        }
                    }
                    object.rows.push(row);
                }
                Node::Open(element) => {
                    let name = element.name().to_owned();
                    object.arguments.push((name, self.read(xml)?));
                }
                Node::Text(_) => {}
                Node::Close | Node::End => return Ok(object),
            }
        }
    }
}

fn built(name: &str, mut object: Object) -> Formula {
    let none = Formula::default;
    match name {
        "f" => {
            let parts = Box::new([object.argument("num"), object.argument("den")]);
            match object.value("type") {
                Some("noBar") => Formula::Stack(parts),
                _ => Formula::Fraction(parts),
            }
        }
        "sSup" | "sSub" | "sSubSup" => Formula::Scripts(Box::new(Scripts {
            base: object.argument("e"),
            below: object.argument("sub"),
            above: object.argument("sup"),
            before: [none(), none()],
        })),
        "sPre" => Formula::Scripts(Box::new(Scripts {
            base: object.argument("e"),
            below: none(),
            above: none(),
            before: [object.argument("sub"), object.argument("sup")],
        })),
        "rad" => {
            let degree = if object.is_on("degHide") { none() } else { object.argument("deg") };
            Formula::Root(Box::new([degree, object.argument("e")]))
        }
        "nary" => {
            let sign = Formula::Text(object.sign("chr", "∫"));
            let below = if object.is_on("subHide") { none() } else { object.argument("sub") };
            let above = if object.is_on("supHide") { none() } else { object.argument("sup") };
            Formula::Row(vec![Formula::Limits(Box::new([sign, below, above])), object.argument("e")])
        }
        "d" => Formula::Fenced {
            open: object.sign("begChr", "("),
            close: object.sign("endChr", ")"),
            separator: object.sign("sepChr", "|"),
            parts: object.arguments.into_iter().map(|(_, part)| part).collect(),
        },
        "m" => Formula::Matrix(object.rows),
        "eqArr" => {
            let mut lines: Vec<Formula> = Vec::new();
            for (_, line) in object.arguments {
                if !lines.is_empty() {
                    lines.push(Formula::Text("; ".into()));
                }
                lines.push(line);
            }
            Formula::Row(lines)
        }
        "func" => Formula::Function(Box::new([object.argument("fName"), object.argument("e")])),
        "limLow" => Formula::Limits(Box::new([object.argument("e"), object.argument("lim"), none()])),
        "limUpp" => Formula::Limits(Box::new([object.argument("e"), none(), object.argument("lim")])),
        "acc" | "bar" | "groupChr" => {
            let below = object.value("pos") != Some("top");
            let usual = match name {
                "acc" => "\u{302}",
                "bar" => "¯",
                _ => "⏟",
            };
            let sign = object.sign("chr", usual);
            let base = object.argument("e");
            match accent(&sign) {
                Some('\u{305}') if name == "bar" && below => Formula::Accent(Box::new(base), '\u{332}'),
                Some(sign) if name != "groupChr" => Formula::Accent(Box::new(base), sign),
                _ if is_brace(&sign) || sign.is_empty() => base,
                _ if below && name == "groupChr" => {
                    Formula::Limits(Box::new([base, Formula::Text(sign), none()]))
                }
                _ => Formula::Limits(Box::new([base, none(), Formula::Text(sign)])),
            }
        }
        "phant" if object.value("show").is_some() && !object.is_on("show") => none(),
        "borderBox" => {
            let strikes = ["strikeH", "strikeV", "strikeBLTR", "strikeTLBR"];
            let struck = strikes.iter().any(|name| object.is_on(name));
            let inner = object.argument("e");
            if struck { Formula::Struck(Box::new(inner)) } else { inner }
        }
        _ => object.argument("e"),
    }
}
