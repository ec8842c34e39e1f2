//! The command that sets two runs beside each other.

use answers::{DocumentComparison, MatchKind};
use domain::Problem;
use engine::WrittenDocument;
use protocol::{
    ComparedRun, ComparedStatement, PairKind, RunComparison, RunPair, SourcePair, StatementPair, WordRow,
    WordSpan,
};

use crate::Conversations;
use crate::documents::{headline, statement_state};

impl Conversations {
    /// What two runs have in common and what they do not.
    pub async fn run_compare(&self, pair: &RunPair) -> Result<RunComparison, Problem> {
        let left = self.find_for(&pair.left, "stages to compare").await?;
        let right = self.find_for(&pair.right, "stages to compare").await?;
        let found = run_comparison::compare(&self.env.engine, &left, &right).await?;
        let same = found.is_same();
        let compared = match (&found.left, &found.right) {
            (Some(left), Some(right)) => {
                answers::compare((&left.document, &left.markdown), (&right.document, &right.markdown))
            }
            // What only one of them has stands on its side.
            (Some(left), None) => answers::compare((&left.document, &left.markdown), (&nothing(), "")),
            (None, Some(right)) => answers::compare((&nothing(), ""), (&right.document, &right.markdown)),
            (None, None) => DocumentComparison { same: true, ..DocumentComparison::default() },
        };
        Ok(RunComparison {
            same,
            left: self.side(&left, found.left.as_ref()).await?,
            right: self.side(&right, found.right.as_ref()).await?,
            pins: found.pins,
            stages: found.stages,
            statements: compared.statements.into_iter().map(pair_of).collect(),
            sources: compared.sources.into_iter().map(source).collect(),
            rows: compared.rows.into_iter().map(row).collect(),
        })
    }

    async fn side(
        &self,
        run: &domain::RunId,
        written: Option<&WrittenDocument>,
    ) -> Result<ComparedRun, Problem> {
        let loaded = self.env.engine.load(run).await?;
        let state = self.run_state(&loaded, None, false).await?;
        Ok(ComparedRun {
            run: state.run,
            session: state.session,
            agent: state.agent,
            request: state.request,
            depth: state.depth,
            connection: state.connection,
            model: state.model,
            corpus: state.corpus,
            status: state.status,
            created_at: state.created_at,
            cost: state.cost,
            equivalent: state.equivalent,
            usage: state.usage,
            active_ms: state.active_ms,
            document: written.map(|written| written.document.title.clone()),
            headline: written.and_then(|written| written.document.headline.as_ref()).map(headline),
        })
    }
}

/// A document with nothing in it.
fn nothing() -> answers::Document {
    answers::build(&answers::DocumentInput::default())
}

fn pair_of(one: answers::StatementMatch) -> StatementPair {
    let same = one.is_same();
    let (left_words, right_words) = one.words.unwrap_or_default();
    StatementPair {
        kind: match one.kind {
            MatchKind::Same => PairKind::Same,
            MatchKind::Reworded => PairKind::Reworded,
            MatchKind::LeftOnly => PairKind::LeftOnly,
            MatchKind::RightOnly => PairKind::RightOnly,
        },
        same,
        left: one.left.map(statement),
        right: one.right.map(statement),
        left_words: left_words.into_iter().map(span).collect(),
        right_words: right_words.into_iter().map(span).collect(),
    }
}

fn statement(side: answers::StatementSide) -> ComparedStatement {
    ComparedStatement {
        n: u32::try_from(side.n).unwrap_or(u32::MAX),
        text: side.text,
        state: side.state.map(statement_state),
        word: side.state.map(|state| state.as_str().to_owned()).unwrap_or_default(),
        sources: side.sources,
        names: side.names,
    }
}

fn source(one: answers::SourceMatch) -> SourcePair {
    let same = one.is_same();
    SourcePair {
        id: one.id,
        reference: one.reference,
        left: one.left.map(str::to_owned),
        right: one.right.map(str::to_owned),
        text_differs: one.text_differs,
        same,
    }
}

fn row(row: answers::WordRow) -> WordRow {
    let same = row.is_same();
    let spans =
        |side: Option<Vec<answers::WordSpan>>| side.map(|spans| spans.into_iter().map(span).collect());
    WordRow { same, left: spans(row.left), right: if same { None } else { spans(row.right) } }
}

fn span(span: answers::WordSpan) -> WordSpan {
    WordSpan { text: span.text, changed: span.changed }
}
