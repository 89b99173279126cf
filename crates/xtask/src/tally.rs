//! Counting what passed and failed, over test runners that each say it in their own words.

use std::process::ExitCode;

/// Tests that passed and failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed.
    pub failed: u64,
}

impl Tally {
    /// One check that has no tests of its own, such as the formatter's.
    pub fn single(succeeded: bool) -> Self {
        Tally { passed: u64::from(succeeded), failed: u64::from(!succeeded) }
    }

    /// How the process ends: with success only if nothing failed.
    pub fn exit_code(self) -> ExitCode {
        if self.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    /// Sums up a runner's output. A runner that failed without a failed test (it did not compile, it crashed) counts as one.
    pub fn of(succeeded: bool, output: &str) -> Self {
        let mut tally = Tally::default();
        for line in output.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            if line.starts_with("test result:")
                || line.contains(" passed") && line.contains(" in ") && line.starts_with('=')
            {
                tally.passed += number_before(&words, "passed");
                tally.failed += number_before(&words, "failed") + number_before(&words, "error");
            } else if let Some(rest) = line.strip_prefix("# pass ").or_else(|| line.strip_prefix("ℹ pass ")) {
                tally.passed += rest.trim().parse().unwrap_or(0);
            } else if let Some(rest) = line.strip_prefix("# fail ").or_else(|| line.strip_prefix("ℹ fail ")) {
                tally.failed += rest.trim().parse().unwrap_or(0);
            }
        }
        if !succeeded && tally.failed == 0 {
            tally.failed = 1;
        }
        tally
    }
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

fn number_before(words: &[&str], word: &str) -> u64 {
    let named = |candidate: &str| candidate.trim_end_matches([';', ',']).trim_end_matches('s') == word;
    words.windows(2).filter(|pair| named(pair[1])).filter_map(|pair| pair[0].parse::<u64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_runners_words_are_understood() {
        let cargo = "test result: ok. 12 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s\ntest result: ok. 3 passed; 0 failed;";
        assert_eq!(Tally::of(false, cargo), Tally { passed: 15, failed: 1 });
        let pytest = "==== 3 failed, 7 passed, 1 skipped, 2 errors in 1.20s ====";
        assert_eq!(Tally::of(false, pytest), Tally { passed: 7, failed: 5 });
        assert_eq!(Tally::of(true, "# tests 5\n# pass 4\n# fail 1\n"), Tally { passed: 4, failed: 1 });
        assert_eq!(Tally::of(false, "error: could not compile"), Tally { passed: 0, failed: 1 });
    }
}
