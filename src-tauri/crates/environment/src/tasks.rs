//! What is done in the background while the program runs.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::task::JoinHandle;

/// What is done by itself while the program runs.
#[derive(Debug, Clone, Default)]
pub struct Tasks(Arc<Mutex<Vec<JoinHandle<()>>>>);

impl Tasks {
    /// Keeps a task until it or the program ends.
    pub fn keep(&self, task: JoinHandle<()>) {
        let mut tasks = self.0.lock();
        tasks.retain(|task| !task.is_finished());
        tasks.push(task);
    }

    /// Ends it: what was begun of it is begun again when the program starts next.
    pub async fn end(&self) {
        let tasks = std::mem::take(&mut *self.0.lock());
        for task in tasks {
            task.abort();
            // It was stopped, or had ended.
            let _ = task.await;
        }
    }
}
