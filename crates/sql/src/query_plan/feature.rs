//! What a client can do when it merges.

use std::fmt;

use orrery_engine::query::AggregateFunction;

use super::{DistinctType, PlanError, QueryInfo, QueryPlan, Work};

/// Longest list of features that is read; what clients send is far shorter.
const MAX_LIST_BYTES: usize = 4096;

/// Something that a client does with the rows of ranges. Printed as on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Feature {
    /// One aggregate.
    Aggregate,
    /// DISTINCT
    Distinct,
    /// GROUP BY
    GroupBy,
    /// Several aggregates.
    MultipleAggregates,
    /// ORDER BY with several items.
    MultipleOrderBy,
    /// OFFSET and LIMIT
    OffsetAndLimit,
    /// ORDER BY with one item.
    OrderBy,
    /// TOP
    Top,
    /// An aggregate in a select list.
    NonValueAggregate,
    /// The count of the rows of a DISTINCT.
    DCount,
    /// ORDER BY a vector's distance.
    NonStreamingOrderBy,
    /// MAKELIST and MAKESET
    ListAndSetAggregate,
    /// COUNTIF
    CountIf,
    /// ORDER BY RANK
    HybridSearch,
    /// RRF with weights.
    WeightedRankFusion,
}

impl Feature {
    const ALL: [(Feature, &'static str); 15] = [
        (Feature::Aggregate, "Aggregate"),
        (Feature::Distinct, "Distinct"),
        (Feature::GroupBy, "GroupBy"),
        (Feature::MultipleAggregates, "MultipleAggregates"),
        (Feature::MultipleOrderBy, "MultipleOrderBy"),
        (Feature::OffsetAndLimit, "OffsetAndLimit"),
        (Feature::OrderBy, "OrderBy"),
        (Feature::Top, "Top"),
        (Feature::NonValueAggregate, "NonValueAggregate"),
        (Feature::DCount, "DCount"),
        (Feature::NonStreamingOrderBy, "NonStreamingOrderBy"),
        (Feature::ListAndSetAggregate, "ListAndSetAggregate"),
        (Feature::CountIf, "CountIf"),
        (Feature::HybridSearch, "HybridSearch"),
        (Feature::WeightedRankFusion, "WeightedRankFusion"),
    ];
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Feature::ALL.iter().filter(|(feature, _)| feature == self).try_for_each(|(_, name)| f.write_str(name))
    }
}

/// What a client says that it can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Features(Vec<Feature>);

impl Features {
    /// All there are.
    pub fn all() -> Features {
        Features(Feature::ALL.iter().map(|(feature, _)| *feature).collect())
    }

    /// Reads names between commas. Names that are none are left out, as those of newer clients may be.
    pub fn parse(list: &str) -> Features {
        let names = list.get(..MAX_LIST_BYTES).unwrap_or(list).split(',').map(str::trim);
        let known = |name: &str| Feature::ALL.iter().find(|(_, known)| known.eq_ignore_ascii_case(name));
        Features(names.filter_map(known).map(|(feature, _)| *feature).collect())
    }

    /// Whether the client can follow the plan.
    ///
    /// # Errors
    /// [`PlanError::Undeclared`]
    pub(super) fn check(&self, plan: &QueryPlan) -> Result<(), PlanError> {
        let mut missing = match &plan.work {
            Work::Merge(info) => needed(info),
            Work::Hybrid(search) if search.weights.is_empty() => vec![Feature::HybridSearch],
            Work::Hybrid(_) => vec![Feature::HybridSearch, Feature::WeightedRankFusion],
        };
        missing.retain(|feature| !self.0.contains(feature));
        if missing.is_empty() { Ok(()) } else { Err(PlanError::Undeclared(missing)) }
    }
}

fn needed(info: &QueryInfo) -> Vec<Feature> {
    let aggregates: Vec<AggregateFunction> =
        info.aggregates.iter().copied().chain(info.group_aliases.iter().filter_map(|(_, name)| *name)).collect();
    let is_list = |name: &AggregateFunction| matches!(name, AggregateFunction::MakeList | AggregateFunction::MakeSet);
    let wanted = [
        (Feature::Aggregate, aggregates.len() == 1),
        (Feature::MultipleAggregates, aggregates.len() > 1),
        (Feature::NonValueAggregate, !aggregates.is_empty() && !info.has_select_value),
        (Feature::CountIf, aggregates.contains(&AggregateFunction::CountIf)),
        (Feature::ListAndSetAggregate, aggregates.iter().any(is_list)),
        (Feature::Distinct, info.distinct != DistinctType::None),
        (Feature::DCount, info.distinct_count_alias.is_some()),
        (Feature::GroupBy, !info.group_by.is_empty()),
        (Feature::OffsetAndLimit, info.offset.is_some() || info.limit.is_some()),
        (Feature::OrderBy, info.order_by.len() == 1),
        (Feature::MultipleOrderBy, info.order_by.len() > 1),
        (Feature::NonStreamingOrderBy, info.has_non_streaming_order_by),
        (Feature::Top, info.top.is_some()),
    ];
    wanted.into_iter().filter(|(_, is_needed)| *is_needed).map(|(feature, _)| feature).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_leniently() {
        assert_eq!(Features::parse(" Top,orderby , Future,"), Features(vec![Feature::Top, Feature::OrderBy]));
        assert_eq!(Features::parse(""), Features(Vec::new()));
        assert_eq!(Features::all().0.len(), 15);
    }

    #[test]
    fn what_is_missing_is_named() {
        let info = QueryInfo { top: Some(1), group_by: vec!["c.x".into()], ..QueryInfo::default() };
        let plan = QueryPlan { work: Work::Merge(info), ranges: Vec::new() };
        assert_eq!(Features::all().check(&plan), Ok(()));
        let error = Features::parse("Top").check(&plan).unwrap_err();
        assert_eq!(error, PlanError::Undeclared(vec![Feature::GroupBy]));
        assert!(error.to_string().ends_with("\nQuery contained GroupBy, which the calling client does not support."));
    }
}
