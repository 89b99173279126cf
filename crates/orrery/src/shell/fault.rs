//! What is wrong with a query's text, shown where it is wrong.

use std::ops::Range;

use orrery_sql::SqlError;
use serde::Deserialize;

/// Characters of the faulty line that are shown.
const MAX_SHOWN_CHARS: usize = 200;

/// A finding of the compiler.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {message}")]
pub struct QueryFault {
    code: String,
    message: String,
    /// Byte offsets into the query.
    span: Range<usize>,
}

impl From<SqlError> for QueryFault {
    fn from(error: SqlError) -> QueryFault {
        QueryFault { code: error.code.to_string(), message: error.message, span: error.span }
    }
}

impl QueryFault {
    /// The first finding in `{"errors":[{"location":{"start":7,"end":14},"code":"SC2005","message":"…"}]}`, the service's form.
    pub fn from_service_json(text: &str) -> Option<QueryFault> {
        #[derive(Deserialize)]
        struct Findings {
            errors: Vec<Finding>,
        }
        #[derive(Deserialize)]
        struct Finding {
            location: Range<usize>,
            code: String,
            message: String,
        }
        let start = text.find("{\"errors\"")?;
        let findings: Findings = serde_json::Deserializer::from_str(&text[start..]).into_iter().next()?.ok()?;
        let Finding { location, code, message } = findings.errors.into_iter().next()?;
        Some(QueryFault { code, message, span: location })
    }

    /// The finding, and below it the line of the query with the place marked.
    pub fn show(&self, query: &str) -> String {
        let mut start = self.span.start.min(query.len());
        while !query.is_char_boundary(start) {
            start -= 1;
        }
        let line_start = query[..start].rfind('\n').map_or(0, |at| at + 1);
        let line = query[line_start..].lines().next().unwrap_or_default();
        let before = query[line_start..start].chars().count();
        let Some(shown) = marked(line, before, self.span.end.saturating_sub(start)) else { return self.to_string() };
        format!("{self}\n{shown}")
    }
}

/// The line with marks below `bytes` bytes after `before` characters; none if that is not to be shown in a terminal's line.
fn marked(line: &str, before: usize, bytes: usize) -> Option<String> {
    if line.trim().is_empty() || line.chars().count() > MAX_SHOWN_CHARS {
        return None;
    }
    let rest = line.chars().skip(before);
    let mut covered = 0;
    let marks = rest.take_while(|c| {
        covered += c.len_utf8();
        covered <= bytes
    });
    let marks = marks.count().max(1);
    let line: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    Some(format!("  {line}\n  {}{}", " ".repeat(before), "^".repeat(marks)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(span: Range<usize>) -> QueryFault {
        QueryFault { code: "SC1001".into(), message: "wrong".into(), span }
    }

    #[test]
    fn the_place_is_marked_in_its_line() {
        let query = "SELECT *\nFORM c";
        assert_eq!(fault(9..13).show(query), "SC1001: wrong\n  FORM c\n  ^^^^");
        assert_eq!(fault(15..15).show(query), "SC1001: wrong\n  FORM c\n        ^");
        assert_eq!(fault(7..8).show("é 'ü' x"), "SC1001: wrong\n  é 'ü' x\n       ^");
        assert_eq!(fault(900..901).show(""), "SC1001: wrong");
    }

    #[test]
    fn the_services_form_is_read() {
        let text = r#"Gateway: {"errors":[{"severity":"Error","location":{"start":9,"end":13},"code":"SC1001","message":"wrong"}]}, x"#;
        assert_eq!(QueryFault::from_service_json(text), Some(fault(9..13)));
        assert_eq!(QueryFault::from_service_json("not that"), None);
    }
}
