//! A file opened again: its parts by name, each as a tree.

use std::collections::BTreeMap;
use std::io::{Cursor, Read as _};

use docx::{MarkdownOptions, WordDocument, from_markdown, write};
use quick_xml::Reader;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};

/// An element.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Node {
    /// With its prefix.
    pub name: String,
    pub attributes: BTreeMap<String, String>,
    pub children: Vec<Node>,
    /// Its own text.
    pub text: String,
}

impl Node {
    fn of(start: &BytesStart<'_>) -> Self {
        let attributes = start.attributes().map(|one| {
            let one = one.unwrap();
            (
                one.key.into_inner().to_owned(),
                one.normalized_value(XmlVersion::Implicit1_0).unwrap().into_owned(),
            )
        });
        Self {
            name: start.name().into_inner().to_owned(),
            attributes: attributes.collect(),
            ..Self::default()
        }
    }

    /// Parses a part and sees that everything that opens is closed.
    pub fn parse(xml: &str) -> Self {
        let mut reader = Reader::from_str(xml);
        let mut stack = vec![Self::default()];
        loop {
            match reader.read_event().unwrap_or_else(|error| panic!("{error} in {xml:.2000}")) {
                Event::Start(start) => stack.push(Self::of(&start)),
                Event::Empty(start) => stack.last_mut().unwrap().children.push(Self::of(&start)),
                Event::End(_) => {
                    let node = stack.pop().unwrap();
                    stack.last_mut().unwrap().children.push(node);
                }
                Event::Text(text) => stack.last_mut().unwrap().text.push_str(&text),
                Event::GeneralRef(name) => {
                    let text = match &*name {
                        "amp" => "&",
                        "lt" => "<",
                        "gt" => ">",
                        "quot" => "\"",
                        "apos" => "'",
                        other => panic!("the entity {other}"),
                    };
                    stack.last_mut().unwrap().text.push_str(text);
                }
                Event::Decl(_) => {}
                Event::Eof => break,
                other => panic!("{other:?}"),
            }
        }
        let mut root = stack.pop().unwrap();
        assert!(stack.is_empty() && root.children.len() == 1, "one element holds everything");
        root.children.pop().unwrap()
    }

    /// All elements of a name below this one, in order.
    pub fn all(&self, name: &str) -> Vec<&Node> {
        let mut out = Vec::new();
        let mut rest: Vec<&Node> = self.children.iter().rev().collect();
        while let Some(node) = rest.pop() {
            if node.name == name {
                out.push(node);
            }
            rest.extend(node.children.iter().rev());
        }
        out
    }

    /// The only element of a name.
    pub fn one(&self, name: &str) -> &Node {
        let all = self.all(name);
        assert_eq!(all.len(), 1, "{name}");
        all[0]
    }

    /// Its words as a reader sees them.
    pub fn words(&self) -> String {
        match self.name.as_str() {
            "w:t" => self.text.clone(),
            "w:br" => "\n".to_owned(),
            "w:tab" => "\t".to_owned(),
            "w:pPr" => String::new(),
            _ => self.children.iter().map(Self::words).collect(),
        }
    }

    /// The value of a property below it.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.all(name).first()?.attributes.get("w:val").map(String::as_str)
    }

    pub fn attribute(&self, name: &str) -> &str {
        self.attributes.get(name).map_or_else(|| panic!("{} has no {name}", self.name), String::as_str)
    }
}

/// A file opened again.
pub struct File {
    pub bytes: Vec<u8>,
    pub names: Vec<String>,
    pub parts: BTreeMap<String, String>,
}

impl File {
    pub fn of(document: &WordDocument) -> Self {
        let bytes = write(document).unwrap();
        let mut zip = zip::ZipArchive::new(Cursor::new(bytes.clone())).unwrap();
        let (mut names, mut parts) = (Vec::new(), BTreeMap::new());
        for index in 0..zip.len() {
            let mut entry = zip.by_index(index).unwrap();
            let mut text = String::new();
            entry.read_to_string(&mut text).unwrap();
            names.push(entry.name().unwrap().into_owned());
            parts.insert(entry.name().unwrap().into_owned(), text);
        }
        Self { bytes, names, parts }
    }

    pub fn markdown(text: &str) -> Self {
        Self::of(&from_markdown(text, &MarkdownOptions::default()))
    }

    pub fn part(&self, name: &str) -> Node {
        Node::parse(&self.parts[name])
    }

    pub fn text(&self) -> Node {
        self.part("word/document.xml")
    }

    pub fn notes(&self) -> Node {
        self.part("word/footnotes.xml")
    }

    /// The paragraphs of the text: style and words.
    pub fn lines(&self) -> Vec<(String, String)> {
        let text = self.text();
        let lines = text
            .all("w:p")
            .into_iter()
            .map(|one| (one.value("w:pStyle").unwrap_or_default().to_owned(), one.words()));
        lines.collect()
    }
}

/// A pair of texts.
pub fn line(style: &str, words: &str) -> (String, String) {
    (style.to_owned(), words.to_owned())
}

/// One of everything.
pub const SAMPLE: &str = "\
# How rules change

A rule is **bold**, *slanted*, `code` and ~~gone~~, with [a page](https://example.org/a?b=1&c=2#d \"t\") and a note[^one].

## Kinds

- first
  - deeper
    1. numbered
    2. again
- second

  goes on

3. third
4. fourth

> A quotation
> - with a list

### Table

| Name | Count | Middle |
|---|---:|:---:|
| a [link](mailto:eva@example.org) | 1 | x[^two] |
| b | 2 | |

```rust
fn main() {
    println!(\"<&>\");
}
```

---

![a picture](x.png) and <b>raw</b>. See the first note again[^one].

[^one]: The first note with *words* and [a page](https://example.org/n).

    A second paragraph of it.
[^two]: In a table.
";
