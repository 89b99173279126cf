//! What a page of a query cost, and how its scope was pruned.

use std::time::Duration;

/// Figures of one page.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct QueryMetrics {
    /// Items that the filter looked at.
    pub items_examined: u64,
    /// Bytes of their JSON texts.
    pub bytes_examined: u64,
    /// Rows of these that the filter kept, before they were grouped or sorted out.
    pub rows_matched: u64,
    /// Rows given out.
    pub rows_output: u64,
    /// Bytes of their JSON texts.
    pub output_bytes: u64,
    /// Which part of the container was read.
    pub scope: ScopeTaken,
    /// Time to run the page.
    pub elapsed: Duration,
    /// Of it, the time to load the items of sorted rows.
    pub load_time: Duration,
    /// Of it, the time that look-ups in the index took, those that ran side by side added up.
    pub index_time: Duration,
    /// Time the language took to compile the query.
    pub compile_time: Duration,
}

/// Which part of a container a query read, from the cheapest up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ScopeTaken {
    /// None: no item in scope can pass the filter.
    #[default]
    Nothing,
    /// Single items.
    Point,
    /// Logical partitions that the query names.
    Partition,
    /// The logical partitions below a prefix of a hierarchical key.
    Prefix,
    /// A range of effective partition keys, or all of them.
    Ranges,
}

impl QueryMetrics {
    /// The metrics in the form of the service's header `x-ms-documentdb-query-metrics`. Phases that are not timed apart from each
    /// other here are 0 in it; their time is in the total.
    pub fn to_service_header(&self) -> String {
        let total = milliseconds(self.elapsed + self.compile_time);
        let compile = milliseconds(self.compile_time);
        let execution = milliseconds(self.elapsed);
        let load = milliseconds(self.load_time);
        let index = milliseconds(self.index_time);
        let used = if self.items_examined == 0 {
            1.0
        } else {
            (self.rows_matched as f64 / self.items_examined as f64).min(1.0)
        };
        format!(
            "totalExecutionTimeInMs={total:.2};queryCompileTimeInMs={compile:.2};queryLogicalPlanBuildTimeInMs=0.00;\
             queryPhysicalPlanBuildTimeInMs=0.00;queryOptimizationTimeInMs=0.00;VMExecutionTimeInMs={execution:.2};\
             indexLookupTimeInMs={index:.2};instructionCount=0;documentLoadTimeInMs={load:.2};systemFunctionExecuteTimeInMs=0.00;\
             userFunctionExecuteTimeInMs=0.00;retrievedDocumentCount={};retrievedDocumentSize={};outputDocumentCount={};\
             outputDocumentSize={};writeOutputTimeInMs=0.00;indexUtilizationRatio={used:.2}",
            self.items_examined, self.bytes_examined, self.rows_output, self.output_bytes,
        )
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_a_semicolon_list_of_the_services_names() {
        let metrics = QueryMetrics {
            items_examined: 4,
            bytes_examined: 301,
            rows_matched: 1,
            rows_output: 1,
            output_bytes: 350,
            scope: ScopeTaken::Ranges,
            elapsed: Duration::from_micros(270),
            load_time: Duration::from_micros(110),
            index_time: Duration::from_micros(40),
            compile_time: Duration::from_micros(60),
        };
        let header = metrics.to_service_header();
        assert!(header.starts_with("totalExecutionTimeInMs=0.33;queryCompileTimeInMs=0.06;"));
        assert!(header.contains(
            ";retrievedDocumentCount=4;retrievedDocumentSize=301;outputDocumentCount=1;outputDocumentSize=350;"
        ));
        assert!(header.contains(";documentLoadTimeInMs=0.11;"));
        assert!(header.contains(";indexLookupTimeInMs=0.04;"));
        assert!(header.ends_with(";indexUtilizationRatio=0.25"));
        assert!(
            header.split(';').all(|pair| pair.split_once('=').is_some_and(|(_, value)| value.parse::<f64>().is_ok()))
        );
    }
}
