//! A program that runs a command by the shell tool, to be killed by a test:
//! `tools-host <guard> confined|free background|foreground <folder> <command>`.

use std::sync::Arc;

use serde_json::json;
use tools::shell::{Setup, Shells, tools};
use tools::{CallContext, Run};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [guard, confined, background, folder, command] = &words[..] else {
        return eprintln!("five words are needed");
    };
    let folder = std::path::PathBuf::from(folder);
    let shells = Shells::new(Setup {
        guard: guard.into(),
        data: folder.join("app"),
        search_path: None,
        deny_read: None,
        confinement: tools::confine::available().clone(),
    });
    let at = CallContext {
        session: "s1".into(),
        run: "r1".into(),
        call: "c1".into(),
        mode: domain::Mode::Ask,
        folders: vec![folder.clone()],
        own: folder.join("app/sessions/s1"),
    };
    let run = Run {
        cancel: Default::default(),
        confined: if confined == "confined" { domain::Walls::Confined } else { domain::Walls::Open },
        report: Arc::new(|_| {}),
    };
    let arguments = json!({"command": command, "background": background == "background"});
    if let Some(shell) = tools(&shells).first() {
        let result = shell.run(&arguments, &at, run).await;
        println!("{result:?}");
    }
    std::future::pending::<()>().await;
}
