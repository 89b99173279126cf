//! The plan as the service's JSON.

use orrery_engine::query::{AggregateFunction, Direction};
use orrery_value::{Epk, Object, Value};

use super::{DistinctType, HybridSearch, QueryInfo, QueryPlan, QueryRange, Work};

/// The format of plans that clients of all languages read.
const VERSION: i64 = 2;

impl QueryPlan {
    /// The plan as clients read it. Absent counts are `null`; of the two ways to merge, the one that is not the plan's is left out, as
    /// clients tell by its presence.
    pub fn to_json(&self) -> Value {
        let work = match &self.work {
            Work::Merge(info) => ("queryInfo", info.to_json()),
            Work::Hybrid(search) => ("hybridSearchQueryInfo", search.to_json()),
        };
        object(vec![
            ("partitionedQueryExecutionInfoVersion", Value::from(VERSION)),
            work,
            ("queryRanges", self.ranges.iter().map(QueryRange::to_json).collect::<Vec<_>>().into()),
        ])
    }
}

impl QueryRange {
    fn to_json(&self) -> Value {
        let range = |min: &Epk, max: &Epk, is_point: bool| {
            object(vec![
                ("min", Value::String(min.to_string())),
                ("max", Value::String(max.to_string())),
                ("isMinInclusive", Value::Bool(true)),
                ("isMaxInclusive", Value::Bool(is_point)),
            ])
        };
        match self {
            QueryRange::Point(key) => range(key, key, true),
            QueryRange::Span(min, max) => range(min, max, false),
        }
    }
}

impl QueryInfo {
    fn to_json(&self) -> Value {
        let directions = self.order_by.iter().map(|(_, direction)| match direction {
            Direction::Ascending => Value::from("Ascending"),
            Direction::Descending => Value::from("Descending"),
        });
        let types = self.group_aliases.iter().map(|(alias, name)| (alias.clone(), aggregate(*name)));
        let counted = match &self.distinct_count_alias {
            Some(alias) => object(vec![("dCountAlias", Value::from(alias.as_str()))]),
            None => Value::Null,
        };
        object(vec![
            ("distinctType", Value::from(self.distinct.name())),
            ("top", count(self.top)),
            ("offset", count(self.offset)),
            ("limit", count(self.limit)),
            ("orderBy", directions.collect::<Vec<_>>().into()),
            ("orderByExpressions", texts(self.order_by.iter().map(|(text, _)| text))),
            ("groupByExpressions", texts(self.group_by.iter())),
            ("groupByAliases", texts(self.group_aliases.iter().map(|(alias, _)| alias))),
            ("aggregates", self.aggregates.iter().map(|name| aggregate(Some(*name))).collect::<Vec<_>>().into()),
            ("groupByAliasToAggregateType", Value::Object(types.collect())),
            ("rewrittenQuery", Value::from(self.rewritten_query.as_str())),
            ("hasSelectValue", Value::Bool(self.has_select_value)),
            ("dCountInfo", counted),
            ("hasNonStreamingOrderBy", Value::Bool(self.has_non_streaming_order_by)),
        ])
    }
}

impl HybridSearch {
    fn to_json(&self) -> Value {
        object(vec![
            ("globalStatisticsQuery", Value::from(self.statistics_query.as_str())),
            ("componentQueryInfos", self.components.iter().map(QueryInfo::to_json).collect::<Vec<_>>().into()),
            ("componentWithoutPayloadQueryInfos", Value::Array(Vec::new())),
            ("projectionQueryInfo", Value::Null),
            ("componentWeights", self.weights.iter().map(|weight| Value::from(*weight)).collect::<Vec<_>>().into()),
            ("skip", count(self.skip)),
            ("take", count(self.take)),
            ("requiresGlobalStatistics", Value::Bool(self.requires_statistics)),
        ])
    }
}

impl DistinctType {
    fn name(self) -> &'static str {
        match self {
            DistinctType::None => "None",
            DistinctType::Ordered => "Ordered",
            DistinctType::Unordered => "Unordered",
        }
    }
}

fn aggregate(name: Option<AggregateFunction>) -> Value {
    Value::from(match name {
        None => return Value::Null,
        Some(AggregateFunction::Avg) => "Average",
        Some(AggregateFunction::Count) => "Count",
        Some(AggregateFunction::CountIf) => "CountIf",
        Some(AggregateFunction::MakeList) => "MakeList",
        Some(AggregateFunction::MakeSet) => "MakeSet",
        Some(AggregateFunction::Max) => "Max",
        Some(AggregateFunction::Min) => "Min",
        Some(AggregateFunction::Sum) => "Sum",
    })
}

fn count(count: Option<u64>) -> Value {
    count.map_or(Value::Null, |count| Value::from(i64::try_from(count).unwrap_or(i64::MAX)))
}

fn texts<'t>(texts: impl Iterator<Item = &'t String>) -> Value {
    texts.map(|text| Value::from(text.as_str())).collect::<Vec<_>>().into()
}

fn object(members: Vec<(&str, Value)>) -> Value {
    Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Object>())
}
