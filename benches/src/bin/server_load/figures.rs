//! The table, and the figures in it.

/// A row that compares both servers.
pub(crate) fn compare(what: &str, unit: &str, ours: f64, stock: f64, wanted: &str) {
    println!(
        "| {what} | {} {unit} | {} {unit} | {:.2} | {wanted} |",
        short(ours),
        short(stock),
        ours / stock
    );
}

/// A row about our server only.
pub(crate) fn alone(what: &str, ours: &str, wanted: &str) {
    println!("| {what} | {ours} | | | {wanted} |");
}

pub(crate) fn begin() {
    println!("| | ours | stock warp | ratio | goal |");
    println!("|---|--:|--:|--:|---|");
}

fn short(figure: f64) -> String {
    if figure >= 100.0 { format!("{figure:.0}") } else { format!("{figure:.1}") }
}

pub(crate) fn median(figures: &mut [f64]) -> f64 {
    Spread::of(figures).p50
}

/// How figures are distributed.
pub(crate) struct Spread {
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    pub(crate) max: f64,
}

impl Spread {
    pub(crate) fn of(figures: &mut [f64]) -> Self {
        figures.sort_by(f64::total_cmp);
        let at = |part: usize| {
            figures.get(figures.len() * part / 100).or(figures.last()).copied().unwrap_or(f64::NAN)
        };
        Self { p50: at(50), p99: at(99), max: at(100) }
    }
}

impl std::fmt::Display for Spread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "p50 {:.2}, p99 {:.2}, max {:.2} ms", self.p50, self.p99, self.max)
    }
}
