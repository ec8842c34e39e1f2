//! Drawn lines: strokes, thin filled boxes and the edges of larger ones, if they are level or upright.

use hayro_font::kurbo::{Point, Rect};

/// A filled box at most so thick, or a stroke, is a line.
const THICK: f64 = 3.0;
/// Shortest line that is kept.
const SHORT: f64 = 4.0;
/// Most lines of one page, and most pieces of one path.
const MAX_RULES: usize = 6_000;
const MAX_PIECES: usize = 6_000;
/// Pieces this close belong to one line.
const NEAR: f32 = 2.0;

/// A level or upright line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rule {
    pub level: bool,
    /// Its y if it is level, else its x.
    pub at: f32,
    pub from: f32,
    pub to: f32,
}

impl Rule {
    fn between(a: Point, b: Point) -> Option<Self> {
        let area = Rect::from_points(a, b);
        let (width, height) = (area.width(), area.height());
        if width >= SHORT && height <= 0.5 {
            Some(Self::level(area))
        } else if height >= SHORT && width <= 0.5 {
            Some(Self::upright(area))
        } else {
            None
        }
    }

    fn of_box(area: Rect) -> Option<Self> {
        let (width, height) = (area.width(), area.height());
        if height <= THICK && width >= SHORT && width > height {
            Some(Self::level(area))
        } else if width <= THICK && height >= SHORT {
            Some(Self::upright(area))
        } else {
            None
        }
    }

    fn level(area: Rect) -> Self {
        let at = (area.y0 + area.y1) / 2.0;
        Self { level: true, at: at as f32, from: area.x0 as f32, to: area.x1 as f32 }
    }

    fn upright(area: Rect) -> Self {
        let at = (area.x0 + area.x1) / 2.0;
        Self { level: false, at: at as f32, from: area.y0 as f32, to: area.y1 as f32 }
    }

    pub fn length(&self) -> f32 {
        self.to - self.from
    }

    /// The line on a page that is turned so that text in this direction is level.
    pub fn turned(self, turn: u8, width: f32, height: f32) -> Self {
        let ends = if self.level {
            [(self.from, self.at), (self.to, self.at)]
        } else {
            [(self.at, self.from), (self.at, self.to)]
        };
        let [a, b] = ends.map(|end| turned(end, turn, width, height));
        let level = self.level == turn.is_multiple_of(2);
        let (at, from, to) = if level { (a.1, a.0, b.0) } else { (a.0, a.1, b.1) };
        Self { level, at, from: from.min(to), to: from.max(to) }
    }
}

/// A point of a page that is turned so that text in this direction is level.
pub(super) fn turned((x, y): (f32, f32), turn: u8, width: f32, height: f32) -> (f32, f32) {
    match turn {
        0 => (x, y),
        1 => (y, width - x),
        2 => (width - x, height - y),
        _ => (height - y, x),
    }
}

/// The path that is being drawn.
#[derive(Debug, Default)]
pub(super) struct Path {
    shapes: Vec<Shape>,
    here: Option<Point>,
    pieces: usize,
    /// All of it.
    pub bounds: Option<Rect>,
}

#[derive(Debug)]
struct Shape {
    start: Point,
    bounds: Rect,
    edges: Vec<Rule>,
    curved: bool,
}

impl Path {
    fn extend(&mut self, point: Point) {
        let spot = Rect::from_points(point, point);
        self.bounds = Some(self.bounds.map_or(spot, |bounds| bounds.union(spot)));
        if let Some(shape) = self.shapes.last_mut() {
            shape.bounds = shape.bounds.union(spot);
        }
    }

    pub fn move_to(&mut self, point: Point) {
        if self.pieces < MAX_PIECES {
            self.pieces += 1;
            let bounds = Rect::from_points(point, point);
            self.shapes.push(Shape { start: point, bounds, edges: Vec::new(), curved: false });
        }
        self.here = Some(point);
        self.extend(point);
    }

    pub fn line_to(&mut self, point: Point) {
        if let (Some(here), Some(shape)) = (self.here, self.shapes.last_mut())
            && self.pieces < MAX_PIECES
        {
            self.pieces += 1;
            shape.edges.extend(Rule::between(here, point));
        }
        self.here = Some(point);
        self.extend(point);
    }

    pub fn curve_to(&mut self, point: Point) {
        if let Some(shape) = self.shapes.last_mut() {
            shape.curved = true;
        }
        self.here = Some(point);
        self.extend(point);
    }

    pub fn close(&mut self) {
        if let Some(start) = self.shapes.last().map(|shape| shape.start) {
            self.line_to(start);
        }
    }

    /// The lines that it makes, filled or stroked.
    pub fn rules(&self, filled: bool, out: &mut Vec<Rule>) {
        for shape in &self.shapes {
            let thin = Rule::of_box(shape.bounds).filter(|_| filled && !shape.curved);
            let edges = if thin.is_some() { &[] } else { shape.edges.as_slice() };
            let room = MAX_RULES.saturating_sub(out.len());
            out.extend(thin.into_iter().chain(edges.iter().copied()).take(room));
        }
    }
}

/// Widest stroke that is a line.
pub(super) fn is_thin(width: f64) -> bool {
    width <= THICK
}

/// Lines of one direction: those at nearly the same place are at the same, and touching pieces are one.
pub(super) fn joined(rules: impl Iterator<Item = Rule>) -> Vec<Rule> {
    let mut all: Vec<Rule> = rules.collect();
    all.sort_by(|a, b| a.at.total_cmp(&b.at));
    let mut place = f32::MIN;
    for rule in &mut all {
        if rule.at - place > NEAR {
            place = rule.at;
        }
        rule.at = place;
    }
    all.sort_by(|a, b| a.at.total_cmp(&b.at).then(a.from.total_cmp(&b.from)));
    let mut out: Vec<Rule> = Vec::new();
    for rule in all {
        match out.last_mut() {
            Some(last) if last.at == rule.at && rule.from <= last.to + NEAR => last.to = last.to.max(rule.to),
            _ => out.push(rule),
        }
    }
    out
}
