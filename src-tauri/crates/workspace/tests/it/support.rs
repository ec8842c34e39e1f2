use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;
use workspace::{Agent, ConfigProblem, Workspace, WorkspaceError};

pub const AGENT_MD: &str =
    "---\nname: Reader\ndescription: Reads.\nsources: [knowledge-base]\n---\n\n# Reader\n";
pub const PROMPT: &str =
    "Answer from the text.\n{% for item in outputs.find.hits %}{{ item.id }}\n{% endfor %}";

/// A data directory with one agent of the person's own, `reader`, which is sound until a test breaks it.
pub struct Home {
    dir: TempDir,
}

impl Home {
    pub fn new() -> Self {
        let home = Self { dir: TempDir::new().unwrap() };
        home.write("AGENT.md", AGENT_MD);
        home.config(&config());
        home.write("prompts/answer.md", PROMPT);
        home.write("prompts/mend.md", "Mend {{ unsupported | length }} statements.\n");
        home.write("schemas/answer.json", answer_schema().to_string());
        home
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The agent's folder.
    pub fn folder(&self) -> PathBuf {
        self.path().join("workspaces/default/agents/reader")
    }

    /// Writes a file of the agent.
    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        self.write_at(&format!("agents/reader/{name}"), contents);
    }

    /// Writes a file of the workspace.
    pub fn write_at(&self, name: &str, contents: impl AsRef<[u8]>) {
        let path = self.path().join("workspaces/default").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }

    pub fn config(&self, config: &Value) {
        self.write("config.json", serde_json::to_string_pretty(config).unwrap());
    }

    pub fn workspace(&self) -> Workspace {
        Workspace::open(self.path())
    }

    pub fn load(&self) -> Result<Agent, Vec<ConfigProblem>> {
        self.workspace().agent("reader").map_err(|error| match error {
            WorkspaceError::Broken { problems, .. } => problems,
            other => panic!("{other}"),
        })
    }

    /// Problems with file names relative to the agent's folder.
    pub fn problems(&self) -> Vec<ConfigProblem> {
        let root = self.folder();
        let mut problems = self.load().err().unwrap_or_default();
        for problem in &mut problems {
            if let Ok(file) = Path::new(&problem.file).strip_prefix(&root) {
                problem.file = file.display().to_string();
            }
        }
        problems
    }
}

pub fn answer_schema() -> Value {
    json!({"type": "object", "additionalProperties": false, "required": ["text"],
        "properties": {"text": {"type": "string"}, "quotes": {"type": "array", "items": {"type": "string"}},
            "about": {"type": "object", "properties": {"topic": {"type": "string"}}}}})
}

/// A small sound agent: find, answer, check, write.
pub fn config() -> Value {
    json!({
        "$schema": "../../../../agents/agent.schema.json",
        "slug": "reader",
        "name": "Reader",
        "description": "Reads.",
        "sources": [{"slug": "knowledge-base"}],
        "depthModes": {"standard": {"topK": 8, "hops": 1}, "quick": {"topK": 4}},
        "verification": {"thresholds": {"citation": 0.9}},
        "controlFlow": {
            "pauseAfterStages": ["find"],
            "repairUnits": [{"stages": ["answer", "check"], "maxIterations": 2}],
            "stages": [
                {"id": "find", "name": "find", "title": "Find", "kind": "tools",
                    "steps": [
                        {"tool": "knowledge-base/search", "args": {"query": "{{ request }}", "limit": "{{ depth.topK }}"},
                            "collect": "hits", "dedupeBy": "id", "sortBy": "-score", "limit": 20},
                        {"tool": "knowledge-base/hop", "forEach": "collected.hits[:5]", "args": {"id": "{{ item.id }}"},
                            "collect": "hits"}
                    ],
                    "pause": {"questions": "outputs.find.hits", "choices": [
                        {"id": "go", "label": "Go on", "action": "proceed", "matches": ["^go( on)?$"]},
                        {"id": "skip", "label": "Skip the check", "action": "skip", "skips": "check"}
                    ]}
                },
                {"id": "answer", "name": "answer", "title": "Answer", "kind": "model", "prompt": "answer.md",
                    "context": [{"section": "HITS", "value": "outputs.find.hits", "form": "paragraphs"}],
                    "outputSchema": "schemas/answer.json"},
                {"id": "check", "name": "check", "title": "Check", "kind": "verify",
                    "steps": [{"tool": "knowledge-base/verify", "args": {"quotes": "{{ outputs.answer.quotes }}"}, "collect": "checks"}],
                    "pass": {"when": "scores.citation >= verification.citation", "scores": {"citation": "collected.checks.score"},
                        "feedback": "mend.md"}},
                {"id": "write", "name": "write", "title": "Write", "kind": "render",
                    "document": {"answer": "outputs.answer", "verification": "outputs.check"}}
            ]
        }
    })
}
