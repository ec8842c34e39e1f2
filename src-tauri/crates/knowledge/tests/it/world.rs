//! A data directory with a base made of a few paragraphs.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use knowledge::{Base, IngestOptions, IngestReport, KnowledgeError, Tier, ingest};
use tempfile::TempDir;

/// A data directory and a folder of sources.
pub(crate) struct World {
    pub(crate) home: TempDir,
    pub(crate) sources: TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        Self { home: TempDir::new().unwrap(), sources: TempDir::new().unwrap() }
    }

    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let world = Self::new();
        for (name, text) in files {
            world.write(name, text.as_bytes());
        }
        world
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.sources.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn options(&self, source: &Path) -> IngestOptions {
        IngestOptions {
            title: "Audit primer".into(),
            tier: Tier::Primer,
            citation: "(Primer {id})".into(),
            ..IngestOptions::new(self.home.path(), "primer", vec![source.to_owned()])
        }
    }

    pub(crate) fn try_ingest(&self) -> Result<IngestReport, KnowledgeError> {
        ingest(&self.options(self.sources.path()), &mut |_| {}, &AtomicBool::new(false))
    }

    pub(crate) fn ingest(&self) -> IngestReport {
        self.try_ingest().unwrap()
    }

    pub(crate) fn base(&self) -> Base {
        self.ingest();
        Base::open(self.home.path(), "primer").unwrap()
    }
}

/// Paragraphs written for these tests, rich in numbers, modals and negations.
pub(crate) const CORPUS: &str = r#"{"id":"1.1","doc":"Primer","chapter":1,"title":"What an audit gives","standards":["ISA 200"],"text":"An audit gives reasonable assurance, which is a high but not an absolute level of comfort. The auditor shall plan and perform the work so that the risk of a wrong opinion falls to a level that a careful reader would accept. Nothing in this chapter promises that every error will be found.","refs":["2.1"]}
{"id":"1.2","doc":"Primer","chapter":1,"title":"Doubt","standards":["ISA 200"],"text":"A sceptical mind asks what else could explain the figure. It should neither assume that managers are dishonest nor take their honesty for granted. Evidence that contradicts other evidence must not be set aside because the deadline is near.","refs":["1.1"]}
{"id":"2.1","doc":"Primer","chapter":2,"title":"Materiality","standards":["ISA 320"],"text":"Materiality is the size at which an error begins to matter to the people who rely on the statements. A team may start from 5 percent of profit before tax, or from 1 percent of revenue when profit swings between years. The chosen amount shall be written down together with at least 2 reasons that a colleague could challenge.","refs":[{"to":"2.2","kind":"related"}]}
{"id":"2.2","doc":"Primer","chapter":2,"title":"Performance materiality","standards":["ISA 320"],"text":"Performance materiality is lower, often between 50 and 75 percent of the whole, so that several small errors together do not pass unseen. It cannot be higher than materiality itself. When the client has a history of late adjustments the team should go to the lower end of that range.","refs":["2.1"]}
{"id":"3.1","doc":"Primer","chapter":3,"title":"Fraud risks","standards":["ISA 240"],"text":"Managers can override controls that otherwise appear to work, and for that reason the risk is never ruled out. The team shall test journal entries made near the end of the period, and it must understand the business reason for unusual transactions above 10,000 euros. Teams may not rely on the size of a firm as proof of its integrity.","refs":["1.2"]}
{"id":"3.2","doc":"Primer","chapter":3,"title":"Talking about fraud","standards":["ISA 240"],"text":"Early in the work the team meets to talk about where fraud could hide. The partner must attend this meeting and should speak last, so that the youngest voice is heard before the oldest. Notes of the meeting are kept for 10 years unless the law asks for more.","refs":["3.1"]}
{"id":"4.1","doc":"Primer","chapter":4,"title":"Estimates","standards":["ISA 540"],"text":"An estimate is a figure that nobody can read off an invoice. The auditor may develop a range of its own, test the method that managers used, or wait for events after the year end that settle the question. A range wider than 3 times materiality will rarely persuade anyone.","refs":["2.1"]}
{"id":"4.2","doc":"Primer","chapter":4,"title":"Going concern","standards":["ISA 570"],"text":"The question looks at least 12 months ahead from the date of approval. If doubt remains and the notes describe it well, the opinion does not change, but a separate section must draw the reader’s attention to it. If the notes stay silent the auditor shall not give a clean opinion.","refs":["4.1"]}
{"id":"5.1","doc":"Primer","chapter":5,"title":"Group work","standards":["ISA 600"],"text":"The group team decides how much work each part of the group needs. It should visit the parts that carry the greatest risk, and it must read the reports of the other teams — including those that arrive late — before it signs. No report is filed unread.","refs":["4.2"]}
{"id":"5.2","doc":"Primer","chapter":5,"title":"Old paragraph","standards":["ISA 600"],"text":"This paragraph has been replaced by a better one about group work.","refs":[{"to":"5.1","kind":"moved-to"}],"withdrawn":true}
"#;
