//! What is said below a result.

use std::time::Duration;

use crate::shell::target::{Page, PageEffort, Touched};

/// What a result was and cost, over all its pages.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Rows shown.
    pub rows: u64,
    /// Whether there are more rows than were shown.
    pub cut: bool,
    /// From the start to the end, output included.
    pub elapsed: Duration,
    /// What else is to be said.
    pub notes: Vec<String>,
    charge_ru: f64,
    pages: u64,
    first_page: Option<Duration>,
    touched: Option<Touched>,
    effort: Option<PageEffort>,
}

impl Summary {
    /// Takes a page into account that came `elapsed` after the start.
    pub fn add(&mut self, page: &Page, elapsed: Duration) {
        self.charge_ru += page.charge_ru;
        self.pages += 1;
        self.first_page.get_or_insert(elapsed);
        self.touched = self.touched.max(Some(page.touched));
        if let Some(effort) = page.effort {
            let sum = self.effort.get_or_insert_default();
            sum.run += effort.run;
            sum.compile += effort.compile;
            sum.items_examined += effort.items_examined;
        }
    }

    /// `3 rows, 2.25 RU, 1.2 ms, 1 logical partition`
    pub fn line(&self) -> String {
        let touched = self.touched.map(|touched| format!(", {touched}")).unwrap_or_default();
        format!("{}, {} RU, {}{touched}", self.count(), round(self.charge_ru), time(self.elapsed))
    }

    /// Where the time went.
    pub fn timing(&self) -> String {
        let first = self.first_page.unwrap_or_default();
        let pages = plural(self.pages, "page");
        let mut line = format!("time: {} in all, first page after {}, {pages}", time(self.elapsed), time(first));
        if let Some(effort) = self.effort {
            let (compile, run, items) = (time(effort.compile), time(effort.run), plural(effort.items_examined, "item"));
            line.push_str(&format!("; engine: compiled in {compile}, ran {run}, {items} examined"));
        }
        line
    }

    fn count(&self) -> String {
        let rows = plural(self.rows, "row");
        if self.cut { format!("the first {rows} of more (\\limit ROWS or --limit ROWS shows more)") } else { rows }
    }
}

fn plural(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Sums of request units have decimals that none of them had.
fn round(charge_ru: f64) -> f64 {
    (charge_ru * 100.0).round() / 100.0
}

fn time(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds >= 1.0 => format!("{seconds:.2} s"),
        seconds => format!("{:.2} ms", seconds * 1e3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_summed_up() {
        let mut summary = Summary::default();
        for touched in [Touched::Logical, Touched::Physical(2)] {
            let effort = PageEffort { run: Duration::from_millis(1), compile: Duration::ZERO, items_examined: 3 };
            let page = Page { rows: Vec::new(), charge_ru: 2.2, touched, more: false, effort: Some(effort) };
            summary.add(&page, Duration::from_millis(2));
        }
        (summary.rows, summary.elapsed) = (1, Duration::from_micros(1234));
        assert_eq!(summary.line(), "1 row, 4.4 RU, 1.23 ms, 2 physical partitions");
        assert_eq!(
            summary.timing(),
            "time: 1.23 ms in all, first page after 2.00 ms, 2 pages; engine: compiled in 0.00 ms, ran 2.00 ms, 6 items examined"
        );
        (summary.rows, summary.cut) = (100, true);
        assert!(summary.line().starts_with("the first 100 rows of more ("));
    }
}
