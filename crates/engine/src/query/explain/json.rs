//! The report on a page as JSON, for people and tools.

use std::time::Duration;

use serde_json::{Value as Json, json};

use super::metrics::ScopeTaken;
use super::report::{Explain, OperatorReport};
use crate::query::index_access::{IndexAccess, IndexReport, IndexedCondition};

impl Explain {
    /// The report as an object. Times are in milliseconds, charges in request units.
    pub fn to_json(&self) -> Json {
        json!({
            "scope": scope_name(self.scope),
            "physicalPartitions": {"total": self.partitions_total, "touched": self.partitions_touched},
            "logicalPartitions": self.logical_partitions,
            "reads": {"points": self.points, "ranges": self.ranges, "parts": self.parts},
            "index": index(&self.index),
            "operators": self.operators.iter().map(operator).collect::<Vec<_>>(),
            "charge": {"base": self.charge.base_ru, "items": rounded(self.charge.items_ru), "bytes": rounded(self.charge.bytes_ru)},
            "advice": self.advice,
        })
    }
}

fn operator(report: &OperatorReport) -> Json {
    json!({
        "name": report.name,
        "rowsIn": report.rows_in,
        "rowsOut": report.rows_out,
        "milliseconds": milliseconds(report.time),
    })
}

fn index(report: &IndexReport) -> Json {
    let conditions = |conditions: &[IndexedCondition]| {
        let condition = |condition: &IndexedCondition| json!({"path": condition.path, "asks": condition.asks, "isExcluded": condition.is_excluded});
        conditions.iter().map(condition).collect::<Vec<_>>()
    };
    json!({
        "usedFor": access_name(report.access),
        "reason": report.reason,
        "lookedUp": conditions(&report.looked_up),
        "filtered": conditions(&report.filtered),
        "order": report.order,
        "expected": {
            "items": report.expected_items,
            "scopeItems": report.scope_items,
            "milliseconds": report.expected_index_time.map(milliseconds),
            "scanMilliseconds": report.expected_scan_time.map(milliseconds),
        },
        "found": {
            "postings": report.postings,
            "items": report.found_items,
            "milliseconds": milliseconds(report.look_up_time),
        },
    })
}

fn access_name(access: IndexAccess) -> &'static str {
    match access {
        IndexAccess::Scan => "nothing: the scope is read",
        IndexAccess::Filter => "the filter",
        IndexAccess::Order => "the order",
        IndexAccess::Aggregate => "the aggregates",
    }
}

fn milliseconds(time: Duration) -> f64 {
    rounded(time.as_secs_f64() * 1e3)
}

fn scope_name(scope: ScopeTaken) -> &'static str {
    match scope {
        ScopeTaken::Nothing => "nothing: no item can match",
        ScopeTaken::Point => "single items",
        ScopeTaken::Partition => "logical partitions",
        ScopeTaken::Prefix => "a prefix of the hierarchical partition key",
        ScopeTaken::Ranges => "all logical partitions",
    }
}

fn rounded(figure: f64) -> f64 {
    (figure * 1e3).round() / 1e3
}
