//! The two models, and reading a picture with them.

use std::path::Path;
use std::sync::Arc;

use rten::{Model, RunOptions, ThreadPool};
use rten_tensor::NdTensorView;
use rten_tensor::prelude::*;

use crate::{Area, FILES, Line, Picture, Reading, RecognitionError, areas, signs};

/// Pixels of the longer side of what the detector sees, whose sides are multiples of [`STEP`].
const MAX_DETECTOR_PIXELS: f32 = 1_760.0;
const STEP: f32 = 32.0;
/// A small picture is made at most so many times as large.
const LARGER: f32 = 2.0;
/// What the recogniser sees of a line: its height, and the least and the most width.
const HEIGHT: usize = 48;
const NARROWEST: usize = 320;
const WIDEST: usize = 4_800;
/// Below this score a line is too unclear to be text.
const CLEAR: f32 = 0.5;
/// From this score on a page is taken to stand upright.
const UPRIGHT: f32 = 0.85;
/// Lines by which it is told how a page stands.
const SAMPLE: usize = 8;
/// Threads: more give little on one page.
const THREADS: usize = 4;

/// Starts the threads that models run on, which a process may not be allowed to do later.
pub fn prepare() -> Arc<ThreadPool> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    Arc::new(ThreadPool::with_num_threads(cores.min(THREADS)))
}

/// A detector of lines and a recogniser of signs.
pub struct Recogniser {
    detector: Model,
    reader: Model,
    list: Vec<String>,
    threads: Arc<ThreadPool>,
}

impl std::fmt::Debug for Recogniser {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Recogniser").field("signs", &self.list.len()).finish_non_exhaustive()
    }
}

impl Recogniser {
    /// Opens the models in `folder`, which holds [`FILES`].
    ///
    /// # Errors
    /// A file is missing, damaged or another model.
    pub fn open(folder: &Path, threads: Arc<ThreadPool>) -> Result<Self, RecognitionError> {
        let model = |file: &'static str| {
            Model::load_file(folder.join(file))
                .map_err(|error| RecognitionError::Model { file, what: error.to_string() })
        };
        let [detector, reader] = FILES;
        let (detector, recogniser) = (model(detector)?, model(reader)?);
        let list = recogniser.metadata().get("character").unwrap_or_default();
        let mut list: Vec<String> = list.lines().map(str::to_owned).collect();
        if list.is_empty() {
            return Err(RecognitionError::Model { file: reader, what: "it names no signs".into() });
        }
        list.push(" ".into());
        Ok(Self { detector, reader: recogniser, list, threads })
    }

    /// Reads a picture, whichever way up. `beat` is called whenever a part is done.
    ///
    /// # Errors
    /// A model failed on it.
    pub fn read(&self, picture: &Picture, beat: &mut dyn FnMut()) -> Result<Reading, RecognitionError> {
        let mut best: Option<(f32, u8, Picture, Vec<Area>)> = None;
        let areas = self.areas(picture)?;
        beat();
        // Lines of a page that lies on its side are found as towers.
        let tower = |area: &Area| if area.height > area.width { area.height } else { -area.width };
        let lying = areas.iter().map(tower).sum::<f32>() > 0.0;
        let turns: [u8; 4] = if lying { [1, 3, 0, 2] } else { [0, 2, 1, 3] };
        let mut upright = Some(areas);
        for turn in turns {
            let turned = picture.turned(turn);
            let known = if turn == 0 { upright.take() } else { None };
            let areas = match known {
                Some(areas) => areas,
                None => self.areas(&turned)?,
            };
            if areas.is_empty() && turn == turns[0] {
                return Ok(Reading::default());
            }
            let mut sample = areas.clone();
            sample.sort_by(|a, b| b.width.total_cmp(&a.width));
            sample.truncate(SAMPLE);
            let score = Reading { lines: self.lines(&turned, &sample, beat)?, ..Reading::default() }.score();
            if best.as_ref().is_none_or(|best| score > best.0) {
                best = Some((score, turn, turned, areas));
            }
            if score >= UPRIGHT {
                break;
            }
        }
        let Some((_, turn, turned, areas)) = best else { return Ok(Reading::default()) };
        let mut lines = self.lines(&turned, &areas, beat)?;
        let all = lines.len();
        lines.retain(|line| line.score() >= CLEAR);
        Ok(Reading { turn, unclear: all - lines.len(), lines })
    }

    /// Where text stands on a picture.
    fn areas(&self, picture: &Picture) -> Result<Vec<Area>, RecognitionError> {
        let longer = picture.width().max(picture.height()) as f32;
        let scale = (MAX_DETECTOR_PIXELS / longer).min(LARGER);
        let side = |side: usize| ((side as f32 * scale / STEP).round().max(1.0) * STEP) as usize;
        let (width, height) = (side(picture.width()), side(picture.height()));
        let planes = picture.scaled(width, height);
        let map = self.run(&self.detector, &planes, [1, 3, height, width])?;
        let (_, map) = map;
        if map.len() != width * height {
            return Err(RecognitionError::Failed("the detector's map has another size".into()));
        }
        let scale = (picture.width() as f32 / width as f32, picture.height() as f32 / height as f32);
        Ok(areas::areas(&map, width, scale))
    }

    /// What stands in `areas`; those without a sign are left out.
    fn lines(
        &self,
        picture: &Picture,
        areas: &[Area],
        beat: &mut dyn FnMut(),
    ) -> Result<Vec<Line>, RecognitionError> {
        let mut lines = Vec::with_capacity(areas.len());
        for area in areas {
            let line = self.line(picture, area)?;
            beat();
            if !line.signs.is_empty() {
                lines.push(line);
            }
        }
        Ok(lines)
    }

    fn line(&self, picture: &Picture, area: &Area) -> Result<Line, RecognitionError> {
        let width = (area.width / area.height.max(1.0) * HEIGHT as f32).round() as usize;
        let width = width.clamp(HEIGHT / 4, WIDEST);
        let padded = width.max(NARROWEST).next_multiple_of(8);
        let planes = picture.cut(area, width, HEIGHT, padded);
        let ([_, steps, count], scores) = self.run(&self.reader, &planes, [1, 3, HEIGHT, padded])?;
        if count != self.list.len() + 1 || steps == 0 {
            return Err(RecognitionError::Failed("the recogniser's signs are not those of its list".into()));
        }
        let step = padded as f32 / width as f32 / steps as f32;
        let found = signs::decode(&scores, &self.list, step);
        let ink = signs::ink(&planes[..padded * HEIGHT], padded, width);
        Ok(Line { area: *area, signs: signs::with_blanks(found, &ink) })
    }

    /// The last three sides and the values of what a model makes of a picture.
    fn run(
        &self,
        model: &Model,
        planes: &[f32],
        shape: [usize; 4],
    ) -> Result<([usize; 3], Vec<f32>), RecognitionError> {
        let failed = |what: String| RecognitionError::Failed(what);
        let input = NdTensorView::from_data(shape, planes);
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(&self.threads)));
        let output = model.run_one(input.into(), Some(options)).map_err(|error| failed(error.to_string()))?;
        let output: rten_tensor::Tensor<f32> =
            output.try_into().map_err(|_| failed("an output of another kind".into()))?;
        let sides = output.shape().to_vec();
        let last = |back: usize| sides.len().checked_sub(back).map_or(1, |at| sides[at]);
        Ok(([last(3), last(2), last(1)], output.to_vec()))
    }
}
