//! Paths and colours: what lies under white text, and the lines that tables and strikes are made of.

use hayro_font::hayro_syntax::content::ops::TypedInstruction as Op;
use hayro_font::hayro_syntax::object::Number;
use hayro_font::kurbo::{Point, Rect};

use super::{MAX_GROUNDS, Run};
use crate::pdf::rules;

impl Run<'_, '_> {
    /// Operators that colour and draw.
    pub(super) fn paint(&mut self, op: Op<'_, '_>) {
        match op {
            Op::NonStrokeColorDeviceGray(c) => self.state.white = c.0.as_f64() > 0.98,
            Op::NonStrokeColorDeviceRgb(c) => self.state.white = is_white(&[c.0, c.1, c.2], true),
            Op::NonStrokeColorCmyk(c) => self.state.white = is_white(&[c.0, c.1, c.2, c.3], true),
            Op::ColorSpaceNonStroke(space) => {
                self.state.white = false;
                self.state.grey = matches!(space.0.as_str(), "DeviceGray" | "CalGray" | "G");
            }
            Op::NonStrokeColor(c) => self.state.white = is_white(&c.0, self.state.grey),
            Op::NonStrokeColorNamed(c) => self.state.white = c.1.is_none() && is_white(&c.0, self.state.grey),
            Op::StrokeColorDeviceGray(c) => self.state.pale = c.0.as_f64() > 0.98,
            Op::StrokeColorDeviceRgb(c) => self.state.pale = is_white(&[c.0, c.1, c.2], true),
            Op::StrokeColorCmyk(c) => self.state.pale = is_white(&[c.0, c.1, c.2, c.3], true),
            Op::ColorSpaceStroke(_) => self.state.pale = false,
            Op::StrokeColor(c) => self.state.pale = is_white(&c.0, true),
            Op::StrokeColorNamed(c) => self.state.pale = c.1.is_none() && is_white(&c.0, true),
            Op::LineWidth(width) => self.state.stroke = width.0.as_f64(),
            Op::RectPath(r) => {
                let (x, y) = (r.0.as_f64(), r.1.as_f64());
                let (right, top) = (x + r.2.as_f64(), y + r.3.as_f64());
                self.path.move_to(self.at(x, y));
                for (x, y) in [(right, y), (right, top), (x, top)] {
                    self.path.line_to(self.at(x, y));
                }
                self.path.close();
            }
            Op::MoveTo(p) => self.path.move_to(self.at(p.0.as_f64(), p.1.as_f64())),
            Op::LineTo(p) => self.path.line_to(self.at(p.0.as_f64(), p.1.as_f64())),
            Op::CubicTo(p) => self.path.curve_to(self.at(p.4.as_f64(), p.5.as_f64())),
            Op::CubicStartTo(p) => self.path.curve_to(self.at(p.2.as_f64(), p.3.as_f64())),
            Op::CubicEndTo(p) => self.path.curve_to(self.at(p.2.as_f64(), p.3.as_f64())),
            Op::ClosePath(_) => self.path.close(),
            Op::FillPathNonZero(_) | Op::FillPathNonZeroCompatibility(_) | Op::FillPathEvenOdd(_) => {
                self.finish(true, false);
            }
            Op::FillAndStrokeNonZero(_)
            | Op::FillAndStrokeEvenOdd(_)
            | Op::CloseFillAndStrokeNonZero(_)
            | Op::CloseFillAndStrokeEvenOdd(_) => self.finish(true, true),
            Op::StrokePath(_) => self.finish(false, true),
            Op::CloseAndStrokePath(_) => {
                self.path.close();
                self.finish(false, true);
            }
            Op::EndPath(_) => self.finish(false, false),
            Op::Shading(_) => self.ground(self.area),
            _ => {}
        }
    }

    fn at(&self, x: f64, y: f64) -> Point {
        self.state.ctm * Point::new(x, y)
    }

    /// Paints the path and forgets it.
    fn finish(&mut self, filled: bool, stroked: bool) {
        let path = std::mem::take(&mut self.path);
        let filled = filled && !self.state.white && !self.state.clear;
        let [a, b, ..] = self.state.ctm.as_coeffs();
        let stroked = stroked && !self.state.pale && rules::is_thin(self.state.stroke * a.hypot(b));
        if let Some(bounds) = path.bounds.filter(|_| filled) {
            self.page.outlines = true;
            self.ground(bounds);
        }
        if (filled || stroked) && self.hiding == 0 {
            path.rules(filled, &mut self.page.rules);
        }
    }

    pub(super) fn ground(&mut self, area: Rect) {
        self.page.drawn = true;
        if self.grounds.len() < MAX_GROUNDS {
            self.grounds.push(area);
        }
    }
}

fn is_white(components: &[Number], grey: bool) -> bool {
    match components.len() {
        1 => grey && components[0].as_f64() > 0.98,
        3 => components.iter().all(|c| c.as_f64() > 0.98),
        4 => components.iter().all(|c| c.as_f64() < 0.02),
        _ => false,
    }
}
