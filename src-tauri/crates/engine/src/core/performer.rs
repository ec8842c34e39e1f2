//! The loop of runs, turns and missions: decisions and local effects until there are none; one durable commit; then the
//! external effects whose intent is now in the log; wait; repeat.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use domain::{ErrorCode, Machine, Problem};
use tokio::sync::{mpsc, oneshot};
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

use crate::core::journal::{Journal, Logged};

/// What calls may tell in a row before the driver looks.
const MAX_NEWS: usize = 1_024;

/// The answer to a command, waiting for what it caused to be durable.
pub(crate) type Due = Box<dyn FnOnce(Result<(), Problem>) + Send>;
/// Where an answer goes that says no more than whether.
pub(crate) type Done = oneshot::Sender<Result<(), Problem>>;
/// How a task came to its end.
pub(crate) type TaskEnd<O> = Result<(Id, O), JoinError>;
/// What a machine decides on, and what it wants done.
pub(crate) type EventOf<P> = <<P as Performer>::Machine as Machine>::Event;
pub(crate) type EffectOf<P> = <<P as Performer>::Machine as Machine>::Effect;

/// The answer that goes there.
pub(crate) fn due(done: Done) -> Due {
    Box::new(move |stored| {
        let _ = done.send(stored);
    })
}

/// What performs the effects of a machine.
pub(crate) trait Performer: Sized {
    /// What it drives, in a word.
    const NAME: &'static str;
    type Machine: Logged;
    /// What surfaces ask of it.
    type Command;
    /// An external effect that is ready to be started.
    type Step;
    /// How an external effect ended.
    type Outcome: Send + 'static;
    /// What a call tells while it is under way, such as that its provider goes on with it by itself.
    type News;
    /// What came from outside, where it is driven over its log again.
    type Input;

    fn journal(&mut self) -> &mut Journal<Self::Machine>;

    fn work(&mut self) -> &mut Work<Self>;

    /// Takes up what a log was left with.
    async fn recover(&mut self) -> Result<(), Problem>;

    /// What has to be there before the loop begins.
    async fn begin(&mut self) -> Result<(), Problem> {
        Ok(())
    }

    /// Takes in what happened elsewhere, before anything is decided.
    async fn refresh(&mut self) -> Result<(), Problem> {
        Ok(())
    }

    /// Loads what local effects, commands and recorded input may read.
    async fn load(&mut self) -> Result<(), Problem> {
        Ok(())
    }

    /// Takes in what the machine decided.
    fn decided(&mut self, event: EventOf<Self>) -> Result<(), Problem> {
        self.journal().push(event)
    }

    /// Performs a local effect, here and now.
    async fn local(&mut self, effect: EffectOf<Self>) -> Result<(), Problem>;

    /// The external effects to start. `None` where something was told to the machine instead.
    async fn ready(&mut self) -> Result<Option<Vec<Self::Step>>, Problem>;

    /// Whether what is pending has to be durable now.
    fn must_commit(&self, ready: &[Self::Step]) -> bool;

    /// Stores what is pending, and tells of it.
    async fn commit(&mut self) -> Result<(), Problem>;

    /// Commits before external effects start.
    async fn commit_first(&mut self) -> Result<(), Problem> {
        self.commit().await
    }

    /// Starts an external effect.
    async fn start(&mut self, step: Self::Step) -> Result<(), Problem>;

    /// Whether it has come as far as it can without the user. Surfaces are told first what they don't know.
    async fn leaves(&mut self) -> Result<bool, Problem>;

    /// Whether it waits for nobody, so that nothing under way means a defect.
    fn is_stuck(&self) -> bool;

    /// Takes in what a call tells while it is under way.
    fn take_in(&mut self, news: Self::News) -> Result<(), Problem>;

    /// An external effect ended.
    async fn ended(&mut self, ended: TaskEnd<Self::Outcome>) -> Result<(), Problem>;

    /// A surface asks for something.
    async fn command(&mut self, command: Self::Command) -> Result<(), Problem>;

    /// What is under way had its time to end by itself.
    fn late(&mut self) {
        self.work().stop.cancel();
        self.work().stop_at = None;
    }

    /// Something comes from outside again.
    async fn again(&mut self, input: Self::Input) -> Result<(), Problem>;

    /// What is said where more would have to come from outside than is recorded.
    fn unrecorded() -> Problem;

    /// Ends what is under way: nothing may outlive the performer.
    async fn release(&mut self);
}

/// What a performer has under way.
pub(crate) struct Work<P: Performer> {
    /// External effects.
    pub(crate) tasks: JoinSet<P::Outcome>,
    /// What calls tell while they are under way.
    pub(crate) news: (mpsc::Sender<P::News>, mpsc::Receiver<P::News>),
    /// Answers that are being ended at the provider.
    pub(crate) endings: JoinSet<()>,
    /// Ends what is under way.
    pub(crate) stop: CancellationToken,
    /// When what is under way has had its time.
    pub(crate) stop_at: Option<Instant>,
    /// Answers to commands.
    replies: Vec<Due>,
    /// What came from outside, each with its number in the log; nothing else comes then.
    pub(crate) recorded: Option<VecDeque<(u64, P::Input)>>,
}

impl<P: Performer> Default for Work<P> {
    fn default() -> Self {
        Self {
            tasks: JoinSet::new(),
            news: mpsc::channel(MAX_NEWS),
            endings: JoinSet::new(),
            stop: CancellationToken::new(),
            stop_at: None,
            replies: Vec::new(),
            recorded: None,
        }
    }
}

impl<P: Performer> Work<P> {
    /// Whether nothing is under way and nothing that is recorded has yet to come.
    pub(crate) fn is_over(&self) -> bool {
        self.tasks.is_empty() && self.recorded.as_ref().is_none_or(VecDeque::is_empty)
    }

    /// Starts a wait, which ends at once where what is under way is ended.
    pub(crate) fn sleep(&mut self, ms: u64, over: P::Outcome) -> AbortHandle {
        let stop = self.stop.clone();
        self.tasks.spawn(async move {
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(Duration::from_millis(ms)) => {}
            }
            over
        })
    }

    /// Whether a command waits for its answer.
    pub(crate) fn owes_answers(&self) -> bool {
        !self.replies.is_empty()
    }

    /// Answers a command: at once where it was not taken, else when what it caused is durable.
    pub(crate) fn acknowledge(&mut self, taken: Result<(), Problem>, due: Due) {
        match taken {
            Ok(()) => self.replies.push(due),
            Err(problem) => due(Err(problem)),
        }
    }

    /// Answers the commands that wait.
    pub(crate) fn answer(&mut self, stored: &Result<(), Problem>) {
        for reply in self.replies.drain(..) {
            reply(stored.clone());
        }
    }
}

/// Drives as far as the machine comes without the user. Commands that come later are not taken.
pub(crate) async fn drive<P: Performer>(
    performer: &mut P,
    first: Option<P::Command>,
    commands: &mut mpsc::Receiver<P::Command>,
) -> Result<(), Problem> {
    let left = cycle(performer, first, commands).await;
    performer.release().await;
    commands.close();
    if left.is_err() {
        // What was paid or decided before the error stays, where it can still be stored.
        let _ = performer.commit().await;
        performer.work().answer(&left);
    }
    left
}

async fn cycle<P: Performer>(
    performer: &mut P,
    first: Option<P::Command>,
    commands: &mut mpsc::Receiver<P::Command>,
) -> Result<(), Problem> {
    performer.recover().await?;
    if let Some(command) = first {
        performer.load().await?;
        performer.command(command).await?;
    }
    performer.begin().await?;
    loop {
        performer.refresh().await?;
        advance(performer).await?;
        let Some(ready) = performer.ready().await? else { continue };
        if performer.must_commit(&ready) {
            performer.commit_first().await?;
        }
        for step in ready {
            performer.start(step).await?;
        }
        if performer.leaves().await? {
            return Ok(());
        }
        wait(performer, commands).await?;
    }
}

/// Decisions and local effects until there are none.
async fn advance<P: Performer>(performer: &mut P) -> Result<(), Problem> {
    loop {
        let decided = performer.journal().state.decide();
        if !decided.is_empty() {
            for event in decided {
                performer.decided(event)?;
            }
            continue;
        }
        let Some(effect) = performer.journal().state.local_effect() else { return Ok(()) };
        performer.load().await?;
        performer.local(effect).await?;
    }
}

/// Waits for something to happen, and takes in everything else that has happened by then.
async fn wait<P: Performer>(
    performer: &mut P,
    commands: &mut mpsc::Receiver<P::Command>,
) -> Result<(), Problem> {
    if performer.work().recorded.is_some() {
        performer.load().await?;
        return take_recorded(performer).await;
    }
    if performer.work().tasks.is_empty() && performer.is_stuck() {
        let what = format!("the {} can't go on: nothing is under way and nothing is decided", P::NAME);
        return Err(Problem::new(ErrorCode::Internal, what));
    }
    let work = performer.work();
    let grace = work.stop_at.map(|at| at.saturating_duration_since(Instant::now()));
    tokio::select! {
        Some(news) = work.news.1.recv() => performer.take_in(news)?,
        Some(ended) = work.tasks.join_next_with_id() => take_ended(performer, ended).await?,
        Some(command) = commands.recv() => {
            performer.load().await?;
            performer.command(command).await?;
        }
        () = tokio::time::sleep(grace.unwrap_or(Duration::from_secs(3_600))), if grace.is_some() => {
            performer.late();
        }
    }
    while let Some(ended) = performer.work().tasks.try_join_next_with_id() {
        take_ended(performer, ended).await?;
    }
    Ok(())
}

/// What calls have told by now stands in the log before what came of them.
async fn take_ended<P: Performer>(performer: &mut P, ended: TaskEnd<P::Outcome>) -> Result<(), Problem> {
    while let Ok(news) = performer.work().news.1.try_recv() {
        performer.take_in(news)?;
    }
    performer.ended(ended).await
}

/// What came from outside next, with everything that came at once with it.
async fn take_recorded<P: Performer>(performer: &mut P) -> Result<(), Problem> {
    let mut before = None;
    loop {
        // Whatever the engine did in between stands between them in the log.
        let at_once = |(seq, _): &mut (u64, P::Input)| before.is_none_or(|before| *seq == before + 1);
        let next = performer.work().recorded.as_mut().and_then(|inputs| inputs.pop_front_if(at_once));
        let Some((seq, input)) = next else { break };
        before = Some(seq);
        performer.again(input).await?;
    }
    before.map(|_: u64| ()).ok_or_else(P::unrecorded)
}
