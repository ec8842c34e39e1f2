//! Struck-out text: a line drawn through letters, or an area that a person struck out.

use super::glyphs::Glyph;
use super::rules::Rule;

/// Where the line lies above the baseline, as shares of the letters' size.
const HEIGHT: (f32, f32) = (0.15, 0.45);
/// A line is at most so much longer than the letters that it goes through.
const LONGER: f32 = 1.4;
/// Most letters that are looked at for one page.
const MAX_WORK: usize = 20_000_000;
/// Lines this close are at the same height.
const SAME: f32 = 1.0;

/// An area of the page: left, top, right, bottom.
pub(super) type Area = [f32; 4];

/// Marks the struck ones of `glyphs`. No line of a grid strikes: `level` are the others.
pub(super) fn mark(glyphs: &mut [Glyph], level: &[Rule], areas: &[Area]) {
    if glyphs.is_empty() || level.is_empty() && areas.is_empty() {
        return;
    }
    let mut order: Vec<usize> = (0..glyphs.len()).collect();
    order.sort_by(|a, b| glyphs[*a].y.total_cmp(&glyphs[*b].y));
    let largest = glyphs.iter().fold(0.0_f32, |most, glyph| most.max(glyph.size)).min(200.0);
    let mut work = 0;
    // Letters between two heights.
    let mut between = |top: f32, bottom: f32| -> Vec<usize> {
        let from = order.partition_point(|at| glyphs[*at].y < top);
        let to = order.partition_point(|at| glyphs[*at].y <= bottom).max(from);
        work += to - from;
        if work > MAX_WORK { Vec::new() } else { order[from..to].to_vec() }
    };
    let mut struck: Vec<usize> = Vec::new();
    for [left, top, right, bottom] in areas {
        let inside = |glyph: &Glyph| {
            let (x, y) = ((glyph.x0 + glyph.x1) / 2.0, glyph.y - 0.3 * glyph.size);
            x >= *left && x <= *right && y >= *top && y <= *bottom
        };
        struck.extend(between(*top, bottom + largest).into_iter().filter(|at| inside(&glyphs[*at])));
    }
    let mut rules: Vec<(Rule, Vec<usize>)> = level
        .iter()
        .map(|rule| {
            let through = |glyph: &Glyph| {
                let (x, up) = ((glyph.x0 + glyph.x1) / 2.0, (glyph.y - rule.at) / glyph.size);
                x >= rule.from && x <= rule.to && up >= HEIGHT.0 && up <= HEIGHT.1
            };
            let letters = between(rule.at, rule.at + HEIGHT.1 * largest);
            (*rule, letters.into_iter().filter(|at| through(&glyphs[*at])).collect())
        })
        .collect();
    rules.sort_by(|a, b| a.0.at.total_cmp(&b.0.at));
    // Pieces at one height strike together or, as the lines of a table do, not at all.
    let mut start = 0;
    while start < rules.len() {
        let at = rules[start].0.at;
        let end = start + rules[start..].iter().take_while(|(rule, _)| rule.at - at <= SAME).count();
        if rules[start..end].iter().all(|(rule, letters)| covers(rule, letters, glyphs)) {
            struck.extend(rules[start..end].iter().flat_map(|(_, letters)| letters));
        }
        start = end;
    }
    for at in struck {
        glyphs[at].struck = true;
    }
}

fn covers(rule: &Rule, letters: &[usize], glyphs: &[Glyph]) -> bool {
    let seen = || letters.iter().map(|at| &glyphs[*at]).filter(|glyph| !glyph.c.is_whitespace());
    let left = seen().fold(f32::MAX, |x, glyph| x.min(glyph.x0));
    let right = seen().fold(f32::MIN, |x, glyph| x.max(glyph.x1));
    let inked: f32 = seen().map(|glyph| glyph.x1 - glyph.x0).sum();
    seen().next().is_some() && rule.length() <= LONGER * (right - left) && rule.length() <= 1.8 * inked
}
