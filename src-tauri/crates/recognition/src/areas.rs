//! From the detector's map to boxes around lines.

/// Where text may stand: the map's values above this.
const TEXT: f32 = 0.3;
/// Mean of the map over an area from which it counts.
const MIN_MEAN: f32 = 0.5;
/// Fewest pixels of the map that are a line.
const MIN_PIXELS: usize = 12;
/// The detector paints lines thinner than they are; a box is wider by this, times its area, by its circumference.
const WIDEN: f32 = 1.6;
/// An area is long enough to tell its slope if it is so many times as wide as high.
const LONG: f32 = 5.0;
/// Steepest slope of a line.
const MAX_SLOPE: f32 = 0.35;
/// Most lines of one picture.
const MAX_AREAS: usize = 4_000;

/// A box around a line, in pixels of the picture; it may slope.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    /// Its middle.
    pub x: f32,
    /// Its middle.
    pub y: f32,
    /// Its length along the line.
    pub width: f32,
    /// Its height across the line.
    pub height: f32,
    /// How far the line falls to the right, in radians.
    pub slope: f32,
}

impl Area {
    /// The upright box around it: left, top, right, bottom.
    pub fn bounds(&self) -> [f32; 4] {
        let (cos, sin) = (self.slope.cos().abs(), self.slope.sin().abs());
        let across = (self.width * cos + self.height * sin) / 2.0;
        let down = (self.width * sin + self.height * cos) / 2.0;
        [self.x - across, self.y - down, self.x + across, self.y + down]
    }

    /// The part of it from one share of its length to another.
    pub fn part(&self, from: f32, to: f32) -> Self {
        let along = ((from + to) / 2.0 - 0.5) * self.width;
        let (cos, sin) = (self.slope.cos(), self.slope.sin());
        Self { x: self.x + along * cos, y: self.y + along * sin, width: (to - from) * self.width, ..*self }
    }
}

/// A connected area of the map.
#[derive(Debug, Default)]
struct Component {
    pixels: Vec<(u16, u16)>,
    sum: f32,
}

/// The boxes on a map of `width` columns, from the top down; a pixel of the map is `scale` pixels of the picture.
pub(crate) fn areas(map: &[f32], width: usize, scale: (f32, f32)) -> Vec<Area> {
    let components: Vec<Component> = components(map, width)
        .into_iter()
        .filter(|one| one.pixels.len() >= MIN_PIXELS && one.sum >= MIN_MEAN * one.pixels.len() as f32)
        .take(MAX_AREAS)
        .collect();
    let usual = usual_slope(&components);
    let mut areas: Vec<Area> = components.iter().map(|one| one.area(usual, scale)).collect();
    areas.sort_by(|a, b| a.y.total_cmp(&b.y).then(a.x.total_cmp(&b.x)));
    areas
}

/// Areas whose pixels touch at their sides.
fn components(map: &[f32], width: usize) -> Vec<Component> {
    let height = map.len() / width.max(1);
    let mut seen = vec![false; map.len()];
    let mut found = Vec::new();
    let mut open = Vec::new();
    for start in 0..width * height {
        if seen[start] || map[start] <= TEXT {
            continue;
        }
        let mut component = Component::default();
        seen[start] = true;
        open.push(start);
        while let Some(at) = open.pop() {
            let (x, y) = (at % width, at / width);
            component.pixels.push((x as u16, y as u16));
            component.sum += map[at];
            let mut visit = |next: usize| {
                if !seen[next] && map[next] > TEXT {
                    seen[next] = true;
                    open.push(next);
                }
            };
            if x > 0 {
                visit(at - 1);
            }
            if x + 1 < width {
                visit(at + 1);
            }
            if y > 0 {
                visit(at - width);
            }
            if y + 1 < height {
                visit(at + width);
            }
        }
        found.push(component);
    }
    found
}

/// The slope of most text of a page, by the long lines: a scan that lies aslant.
fn usual_slope(components: &[Component]) -> f32 {
    let mut slopes: Vec<(f32, usize)> =
        components.iter().filter_map(|one| Some((one.slope()?, one.pixels.len()))).collect();
    slopes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = slopes.iter().map(|(_, weight)| weight).sum::<usize>() / 2;
    let mut so_far = 0;
    let middle = slopes.iter().find(|(_, weight)| {
        so_far += weight;
        so_far > half
    });
    middle.map_or(0.0, |(slope, _)| *slope)
}

impl Component {
    fn extent(&self) -> (f32, f32) {
        let side = |of: fn(&(u16, u16)) -> u16| {
            let (least, most) =
                self.pixels.iter().map(of).fold((u16::MAX, 0), |(a, b), v| (a.min(v), b.max(v)));
            f32::from(most.saturating_sub(least)) + 1.0
        };
        (side(|at| at.0), side(|at| at.1))
    }

    /// The slope by least squares, of an area that is long enough.
    fn slope(&self) -> Option<f32> {
        let (width, height) = self.extent();
        let count = self.pixels.len() as f32;
        // A long line that slopes is much higher than its text.
        if width * width < LONG * count || width < height {
            return None;
        }
        let mean =
            |of: fn(&(u16, u16)) -> u16| self.pixels.iter().map(|at| f32::from(of(at))).sum::<f32>() / count;
        let (x, y) = (mean(|at| at.0), mean(|at| at.1));
        let (mut both, mut along) = (0.0, 0.0);
        for (px, py) in &self.pixels {
            let dx = f32::from(*px) - x;
            both += dx * (f32::from(*py) - y);
            along += dx * dx;
        }
        Some((both / along.max(1.0)).clamp(-MAX_SLOPE, MAX_SLOPE).atan())
    }

    fn area(&self, usual: f32, scale: (f32, f32)) -> Area {
        let slope = self.slope().unwrap_or(usual);
        let (cos, sin) = (slope.cos(), slope.sin());
        let (mut u, mut v) = ((f32::MAX, f32::MIN), (f32::MAX, f32::MIN));
        for (x, y) in &self.pixels {
            let (x, y) = (f32::from(*x) + 0.5, f32::from(*y) + 0.5);
            let (along, across) = (x * cos + y * sin, y * cos - x * sin);
            u = (u.0.min(along), u.1.max(along));
            v = (v.0.min(across), v.1.max(across));
        }
        let (width, height) = (u.1 - u.0 + 1.0, v.1 - v.0 + 1.0);
        let more = WIDEN * width * height / (2.0 * (width + height));
        let (along, across) = ((u.0 + u.1) / 2.0, (v.0 + v.1) / 2.0);
        Area {
            x: (along * cos - across * sin) * scale.0,
            y: (along * sin + across * cos) * scale.1,
            width: (width + 2.0 * more) * scale.0,
            height: (height + 2.0 * more) * scale.1,
            slope,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    /// A map of 100 columns whose text is where `is` says.
    fn map(height: usize, is: impl Fn(usize, usize) -> bool) -> Vec<f32> {
        (0..height)
            .flat_map(|y| (0..100).map(move |x| (x, y)))
            .map(|(x, y)| if is(x, y) { 0.9 } else { 0.1 })
            .collect()
    }

    #[test]
    fn each_connected_area_is_a_box_that_is_wider_than_what_the_detector_paints() {
        let map = map(40, |x, y| {
            (10..60).contains(&x) && (5..9).contains(&y) || (20..90).contains(&x) && (20..24).contains(&y)
        });
        let areas = areas(&map, 100, (2.0, 2.0));
        assert_eq!(areas.len(), 2);
        let [left, top, right, bottom] = areas[0].bounds();
        // 1.6 · 50 · 4 / 108 = 3 on each side, two pixels of the picture for each of the map.
        for (found, wanted) in [(left, 14.0), (top, 4.0), (right, 126.0), (bottom, 24.0)] {
            assert!((found - wanted).abs() < 1.0, "{found} is near {wanted}");
        }
        assert!(areas[1].y > areas[0].y, "from the top down");
    }

    #[test]
    fn specks_and_faint_areas_are_no_lines() {
        assert_eq!(areas(&map(40, |x, y| x == 50 && y < 11), 100, (1.0, 1.0)), Vec::new());
        let faint: Vec<f32> = map(40, |x, y| y == 20 && x < 50).iter().map(|v| v * 0.5).collect();
        assert_eq!(areas(&faint, 100, (1.0, 1.0)), Vec::new());
        assert_eq!(areas(&[], 0, (1.0, 1.0)), Vec::new());
    }

    #[test]
    fn areas_that_touch_at_a_corner_alone_are_two() {
        let map = map(40, |x, y| x < 20 && y < 4 || (20..40).contains(&x) && (4..8).contains(&y));
        assert_eq!(areas(&map, 100, (1.0, 1.0)).len(), 2);
    }

    #[test]
    fn a_short_word_slopes_as_its_page_does() {
        let falls = |x: usize, y: usize, from: usize| (y as f32 - from as f32 - x as f32 * 0.05).abs() < 2.5;
        let map = map(60, |x, y| falls(x, y, 10) || (80..88).contains(&x) && falls(x, y, 40));
        let areas = areas(&map, 100, (1.0, 1.0));
        assert_eq!(areas.len(), 2);
        assert!((areas[0].slope - 0.05).abs() < 0.01, "{}", areas[0].slope);
        assert!((areas[1].slope - areas[0].slope).abs() < 1e-6);
    }
}
