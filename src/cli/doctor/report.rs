//! The doctor's report, as text and as JSON.

use serde_json::{Value, json};

use super::finding::{Finding, Status};
use super::settings::Row;
use crate::cli::render::format::one_line;
use crate::cli::render::paint;
use crate::cli::render::table::Table;

/// Shown for a setting without a value.
const NOTHING: &str = "–";

impl Status {
    const fn word(self) -> &'static str {
        match self {
            Self::Good => "ok",
            Self::Doubtful => "warning",
            Self::Bad => "failed",
        }
    }

    fn sign(self) -> String {
        match self {
            Self::Good => paint::green("✓"),
            Self::Doubtful => paint::yellow("⚠"),
            Self::Bad => paint::red("✗"),
        }
    }
}

/// As text: the findings, and below them a table of the settings.
pub(super) fn text(findings: &[Finding], settings: &[Row], columns: Option<usize>) -> String {
    let width = findings.iter().map(|finding| finding.name.len()).max().unwrap_or(0);
    let mut lines = Vec::new();
    for Finding { name, status, words, fix } in findings {
        lines.push(format!("{} {name:<width$}  {}", status.sign(), one_line(words)));
        if !fix.is_empty() {
            lines.push(format!("  {:<width$}  {} {}", "", paint::bold("fix:"), one_line(fix)));
        }
    }
    let mut table = Table::new(["SETTING", "VALUE", "FROM"]);
    for row in settings {
        let value = row.value.as_deref().unwrap_or(NOTHING);
        table.row([row.name.into(), value.into(), row.source.as_str().into()]);
    }
    lines.extend([String::new(), table.text(columns)]);
    lines.join("\n")
}

/// As JSON.
pub(super) fn json(findings: &[Finding], settings: &[Row]) -> Value {
    let checks: Vec<_> = findings
        .iter()
        .map(|Finding { name, status, words, fix }| {
            let fix = (!fix.is_empty()).then_some(fix);
            json!({ "name": name, "status": status.word(), "finding": words, "fix": fix })
        })
        .collect();
    let settings: Vec<_> = settings
        .iter()
        .map(|row| json!({ "name": row.name, "value": row.value, "source": row.source }))
        .collect();
    json!({ "checks": checks, "settings": settings })
}
