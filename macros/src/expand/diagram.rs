//! The graph as a small diagram for the recipe's page.
//!
//! Steps form a column in the order of declaration. Arrows to the next step go straight down,
//! jumps ahead bend to the right, jumps back bend to the left, and exits are beside their step,
//! where there is room for their evidence. The colours are those of the surrounding page, so it is
//! readable in every theme.

use std::fmt::Write as _;

use super::Expansion;
use super::entry::times;
use crate::model::{Next, Step};

const CHARACTER: usize = 8;
const BOX_HEIGHT: usize = 28;
const LINE: usize = 17;
const BEND: usize = 22;

/// An arrow that bends around the boxes in between.
struct Bend<'a> {
    from: usize,
    to: usize,
    label: &'a str,
    level: usize,
    /// Whether a limit leads there, and not an outcome.
    dashed: bool,
}

impl<'a> Bend<'a> {
    fn new(from: usize, to: usize, label: &'a str) -> Self {
        Self { from, to, label, level: 0, dashed: false }
    }
}

impl Expansion<'_> {
    pub(super) fn diagram(&self) -> String {
        let steps = &self.shape.steps;
        let (mut back, mut ahead, mut down) = (Vec::new(), Vec::new(), Vec::new());
        let mut ends = vec![Vec::new(); steps.len()];
        let limits: Vec<_> = steps.iter().map(limits).collect();
        for (from, step) in steps.iter().enumerate() {
            for outcome in &step.outcomes {
                let label = outcome.wire.as_str();
                match outcome.next {
                    Next::Step(to) if to == from + 1 => down.push((from, label)),
                    Next::Step(to) if to <= from => back.push(Bend::new(from, to, label)),
                    Next::Step(to) => ahead.push(Bend::new(from, to, label)),
                    // Every step has the implied `other`; drawing it would only hide the rest.
                    Next::Exit(exit) if self.shape.exits[exit].is_implied() => {}
                    Next::Exit(exit) => {
                        let label = outcome.label();
                        ends[from].push(format!("{label} → ■ {}", self.shape.exits[exit].name()));
                    }
                    Next::Restart(restart) => {
                        let label = outcome.label();
                        ends[from]
                            .push(format!("{label} → ↻ {}", self.shape.restarts[restart].name));
                    }
                }
            }
            for (label, next) in &limits[from] {
                match *next {
                    Next::Step(to) => {
                        let bends = if to < from { &mut back } else { &mut ahead };
                        bends.push(Bend { dashed: true, ..Bend::new(from, to, label) });
                    }
                    Next::Exit(exit) => {
                        let exit = self.shape.exits[exit].name();
                        ends[from].push(format!("{label} → ■ {exit}"));
                    }
                    Next::Restart(_) => {}
                }
            }
        }
        let (back_width, ahead_width) = (levels(&mut back), levels(&mut ahead));

        let widest = steps.iter().map(|step| step.wire.chars().count()).max().unwrap_or(0);
        // The labels of the arrows down are right of the middle, and must end before the bends.
        let beside_way = down.iter().map(|(_, label)| label.chars().count()).max().unwrap_or(0);
        let box_width = (widest * CHARACTER + 28).max(2 * (beside_way * CHARACTER + 6));
        let left = 10 + back_width;
        let right = left + box_width;
        let beside = right + ahead_width + 16;
        let longest = ends.iter().flatten().map(|text| text.chars().count()).max().unwrap_or(0);
        let width = beside + longest * CHARACTER + 10;
        let mut tops = Vec::new();
        let mut height = 8;
        for ends in &ends {
            tops.push(height);
            height += (BOX_HEIGHT + 26).max(ends.len() * LINE + 14);
        }

        let mut svg = String::new();
        // Writing to a string cannot fail.
        let _ = writeln!(
            svg,
            "<div>\n<svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" style=\"max-width:100%;height:auto\" \
             font-family=\"monospace\" font-size=\"13\" fill=\"none\" stroke=\"currentColor\" role=\"img\" \
             aria-label=\"the steps of {} and how they follow each other\">",
            self.shape.id
        );
        let _ = writeln!(
            svg,
            "<defs><marker id=\"arrow-{id}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" \
             markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8Z\" fill=\"currentColor\" stroke=\"none\"/>\
             </marker></defs>",
            id = self.shape.id
        );
        for (index, step) in steps.iter().enumerate() {
            let (x, y) = (left, tops[index]);
            let weight = if index == self.shape.initial { 2 } else { 1 };
            // A command has sharp corners and doubled sides.
            let corner = if step.run.is_some() { 0 } else { 6 };
            let _ = writeln!(
                svg,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{box_width}\" height=\"{BOX_HEIGHT}\" rx=\"{corner}\" stroke-width=\"{weight}\"/>"
            );
            if step.run.is_some() {
                let (first, second, bottom) = (x + 6, x + box_width - 6, y + BOX_HEIGHT);
                let _ = writeln!(svg, "<path d=\"M{first} {y}V{bottom}M{second} {y}V{bottom}\"/>");
            }
            let _ = writeln!(svg, "{}", words(left + box_width / 2, y + 18, "middle", &step.wire));
            for (line, text) in ends[index].iter().enumerate() {
                let _ = writeln!(svg, "{}", words(beside, y + 18 + line * LINE, "start", text));
            }
        }
        for (from, label) in down {
            let (x, top, bottom) = (left + box_width / 2, tops[from] + BOX_HEIGHT, tops[from + 1]);
            let _ = writeln!(svg, "{}", self.arrow(&format!("M{x} {top}V{bottom}"), false));
            let _ =
                writeln!(svg, "{}", words(x + 6, usize::midpoint(top, bottom) + 4, "start", label));
        }
        for bend in &back {
            let reach = left.saturating_sub((bend.level + 1) * BEND);
            svg.push_str(&self.bend(bend, &tops, left, reach, (reach + 2, "end")));
        }
        for bend in &ahead {
            let reach = right + (bend.level + 1) * BEND;
            svg.push_str(&self.bend(bend, &tops, right, reach, (reach - 2, "start")));
        }
        svg.push_str("</svg>\n</div>\n");
        svg
    }

    /// An arrow beside the boxes, whose sides are at `side`, with its label.
    fn bend(
        &self,
        bend: &Bend<'_>,
        tops: &[usize],
        side: usize,
        reach: usize,
        (label_at, anchor): (usize, &str),
    ) -> String {
        let (from, to) = (tops[bend.from] + 19, tops[bend.to] + 9);
        let path = format!("M{side} {from}C{reach} {from} {reach} {to} {side} {to}");
        let label = words(label_at, usize::midpoint(from, to) + 4, anchor, bend.label);
        format!("{}\n{label}\n", self.arrow(&path, bend.dashed))
    }

    fn arrow(&self, path: &str, dashed: bool) -> String {
        let style = if dashed { " stroke-dasharray=\"5 4\"" } else { "" };
        format!("<path d=\"{path}\"{style} marker-end=\"url(#arrow-{})\"/>", self.shape.id)
    }
}

/// Gives bends that overlap different levels, short ones first, and returns the room they need with
/// their labels.
fn levels(bends: &mut [Bend<'_>]) -> usize {
    let mut order: Vec<_> = (0..bends.len()).collect();
    order.sort_by_key(|index| bends[*index].from.abs_diff(bends[*index].to));
    let mut placed: Vec<usize> = Vec::new();
    for index in order {
        let (top, bottom) =
            (bends[index].from.min(bends[index].to), bends[index].from.max(bends[index].to));
        let overlapping: Vec<_> = placed
            .iter()
            .map(|other| &bends[*other])
            .filter(|other| {
                other.from.min(other.to) < bottom.max(top + 1)
                    && top < other.from.max(other.to).max(other.from + 1)
            })
            .map(|other| other.level)
            .collect();
        bends[index].level =
            (0..=overlapping.len()).find(|level| !overlapping.contains(level)).unwrap_or(0);
        placed.push(index);
    }
    let room = |bend: &Bend<'_>| (bend.level + 1) * BEND + bend.label.chars().count() * CHARACTER;
    bends.iter().map(room).max().unwrap_or(0)
}

/// The limits of a step that lead somewhere, with their labels.
fn limits(step: &Step) -> Vec<(String, Next)> {
    let visits = format!("visited {}", step.max_visits.map(times).unwrap_or_default());
    let after = step.after_limits.iter().map(|after| (step.limit(after.limit), after.next));
    after.chain(step.when_full.map(|next| (visits, next))).collect()
}

fn words(x: usize, y: usize, anchor: &str, text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!(
        "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" fill=\"currentColor\" stroke=\"none\">{text}</text>"
    )
}
