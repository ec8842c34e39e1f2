//! Pictures, and cutting and scaling them.

use crate::Area;

/// A picture of a page: red, green and blue, a byte each, row by row from the upper left corner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    width: usize,
    height: usize,
    colours: Vec<[u8; 3]>,
}

impl Picture {
    /// A picture of these pixels; none where their number is not the product of the sides, or is zero.
    pub fn new(width: usize, height: usize, colours: Vec<[u8; 3]>) -> Option<Self> {
        let whole = width.checked_mul(height).is_some_and(|count| count > 0 && count == colours.len());
        whole.then_some(Self { width, height, colours })
    }

    /// Its width in pixels.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Its height in pixels.
    pub fn height(&self) -> usize {
        self.height
    }

    /// The same, turned clockwise by quarter turns.
    #[must_use]
    pub fn turned(&self, quarters: u8) -> Self {
        let (width, height) = (self.width, self.height);
        let at = |x: usize, y: usize| self.colours[y * width + x];
        let (new_width, new_height) = if quarters.is_multiple_of(2) { (width, height) } else { (height, width) };
        let mut colours = Vec::with_capacity(self.colours.len());
        for y in 0..new_height {
            for x in 0..new_width {
                colours.push(match quarters % 4 {
                    0 => at(x, y),
                    1 => at(y, height - 1 - x),
                    2 => at(width - 1 - x, height - 1 - y),
                    _ => at(width - 1 - y, x),
                });
            }
        }
        Self { width: new_width, height: new_height, colours }
    }

    /// The picture at another size, as planes of blue, green and red from -1 to 1.
    pub(crate) fn scaled(&self, width: usize, height: usize) -> Vec<f32> {
        let mut planes = vec![0.0; 3 * width * height];
        let (across, down) = (self.width as f32 / width as f32, self.height as f32 / height as f32);
        for y in 0..height {
            for x in 0..width {
                let middle = ((x as f32 + 0.5) * across, (y as f32 + 0.5) * down);
                let colour = self.mean(middle, (across, 0.0), (0.0, down));
                put(&mut planes, width * height, y * width + x, colour);
            }
        }
        planes
    }

    /// What stands in `area`, laid flat at this size, as planes of blue, green and red from -1 to 1; 0 right of `width` up to `padded`.
    pub(crate) fn cut(&self, area: &Area, width: usize, height: usize, padded: usize) -> Vec<f32> {
        let mut planes = vec![0.0; 3 * padded * height];
        let (cos, sin) = (area.slope.cos(), area.slope.sin());
        let (across, down) = (area.width / width as f32, area.height / height as f32);
        for y in 0..height {
            let v = (y as f32 + 0.5) * down - area.height / 2.0;
            for x in 0..width {
                let u = (x as f32 + 0.5) * across - area.width / 2.0;
                let middle = (area.x + u * cos - v * sin, area.y + u * sin + v * cos);
                let colour = self.mean(middle, (across * cos, across * sin), (-down * sin, down * cos));
                put(&mut planes, padded * height, y * padded + x, colour);
            }
        }
        planes
    }

    /// The mean colour of a small parallelogram around a point.
    fn mean(&self, middle: (f32, f32), right: (f32, f32), down: (f32, f32)) -> [f32; 3] {
        let steps = |side: (f32, f32)| (side.0.hypot(side.1).round() as usize).clamp(1, 4);
        let (columns, rows) = (steps(right), steps(down));
        let mut sum = [0.0; 3];
        for row in 0..rows {
            let b = (row as f32 + 0.5) / rows as f32 - 0.5;
            for column in 0..columns {
                let a = (column as f32 + 0.5) / columns as f32 - 0.5;
                let x = middle.0 + a * right.0 + b * down.0;
                let y = middle.1 + a * right.1 + b * down.1;
                let colour = self.between(x - 0.5, y - 0.5);
                sum.iter_mut().zip(colour).for_each(|(sum, part)| *sum += part);
            }
        }
        sum.map(|sum| sum / (rows * columns) as f32)
    }

    /// The colour at a point between pixels; the edge goes on outside.
    fn between(&self, x: f32, y: f32) -> [f32; 3] {
        let x = x.clamp(0.0, (self.width - 1) as f32);
        let y = y.clamp(0.0, (self.height - 1) as f32);
        let (left, top) = (x as usize, y as usize);
        let (right, bottom) = ((left + 1).min(self.width - 1), (top + 1).min(self.height - 1));
        let (fx, fy) = (x - left as f32, y - top as f32);
        let at = |x: usize, y: usize| self.colours[y * self.width + x].map(f32::from);
        let (a, b, c, d) = (at(left, top), at(right, top), at(left, bottom), at(right, bottom));
        let mut out = [0.0; 3];
        for (channel, out) in out.iter_mut().enumerate() {
            let upper = a[channel] + (b[channel] - a[channel]) * fx;
            let lower = c[channel] + (d[channel] - c[channel]) * fx;
            *out = upper + (lower - upper) * fy;
        }
        out
    }
}

fn put(planes: &mut [f32], plane: usize, at: usize, colour: [f32; 3]) {
    for (channel, value) in colour.into_iter().rev().enumerate() {
        planes[channel * plane + at] = value / 127.5 - 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn quarter_turns_are_clockwise() {
        let grey = |value: u8| [value; 3];
        let picture = Picture::new(2, 3, (1..=6).map(grey).collect()).unwrap();
        assert_eq!(picture.turned(0), picture);
        assert_eq!(picture.turned(1), Picture::new(3, 2, [5, 3, 1, 6, 4, 2].map(grey).to_vec()).unwrap());
        assert_eq!(picture.turned(2), Picture::new(2, 3, [6, 5, 4, 3, 2, 1].map(grey).to_vec()).unwrap());
        assert_eq!(picture.turned(1).turned(3), picture);
        assert_eq!(Picture::new(2, 3, vec![[0; 3]; 5]), None);
        assert_eq!(Picture::new(0, 0, Vec::new()), None);
    }

    #[test]
    fn a_sloping_line_is_laid_flat() {
        // A white page with a black bar that falls by a tenth of its length.
        let (width, height) = (200, 80);
        let dark = |x: usize, y: usize| ((y as f32) - (20.0 + x as f32 / 10.0)).abs() < 3.0;
        let pixels =
            (0..height).flat_map(|y| (0..width).map(move |x| if dark(x, y) { [0; 3] } else { [255; 3] }));
        let picture = Picture::new(width, height, pixels.collect()).unwrap();
        let area = Area { x: 100.0, y: 30.0, width: 160.0, height: 16.0, slope: 0.1_f32.atan() };
        let flat = picture.cut(&area, 160, 16, 170);
        let row = |y: usize| flat[y * 170..y * 170 + 160].iter().sum::<f32>() / 160.0;
        assert!(row(8) < -0.8, "the middle row is dark: {}", row(8));
        assert!(row(1) > 0.95 && row(14) > 0.95, "those above and below are light");
        assert!(flat[165].abs() < 1e-6, "what is right of it is neither");
    }
}
