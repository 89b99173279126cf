//! Why a query was refused.

use std::fmt;
use std::ops::Range;

use orrery_value::{Object, Value};

/// What is wrong with a query text, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {message} (at bytes {} to {})", span.start, span.end)]
pub struct SqlError {
    /// The rule that is broken.
    pub code: ErrorCode,
    /// Byte offsets into the query text.
    pub span: Range<usize>,
    /// What is wrong, in the service's words where they are known.
    pub message: String,
}

impl SqlError {
    pub(crate) fn new(code: ErrorCode, span: Range<usize>, message: impl Into<String>) -> Self {
        SqlError { code, span, message: message.into() }
    }

    /// The error as the service puts it into the message of a 400.
    pub fn to_service_json(&self) -> String {
        let object = |members: Vec<(&str, Value)>| {
            Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Object>())
        };
        let location = object(vec![("start", position(self.span.start)), ("end", position(self.span.end))]);
        let mut error = vec![("severity", Value::from("Error"))];
        // The one rule that the service checks outside its compiler: a bare number, and no place.
        if self.code == ErrorCode::OrderByPath {
            error.push(("code", Value::from(2206)));
        } else {
            error.push(("location", location));
            error.push(("code", Value::String(self.code.to_string())));
        }
        error.push(("message", Value::from(self.message.as_str())));
        let error = object(error);
        String::from_utf8_lossy(&object(vec![("errors", Value::Array(vec![error]))]).to_json()).into_owned()
    }
}

fn position(offset: usize) -> Value {
    Value::from(i64::try_from(offset).unwrap_or(i64::MAX))
}

/// The rule that a query breaks. Printed as the service's code; codes from SC9001 on are Orrery's own, for rules that the service
/// has no known code for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorCode {
    /// The text does not follow the grammar.
    Syntax,
    /// A name that no FROM clause introduced.
    UnknownName,
    /// A function that does not exist.
    UnknownFunction,
    /// `SELECT *` without exactly one source.
    StarNeedsOneSource,
    /// `SELECT *` of groups.
    StarWithGroupBy,
    /// Too few or too many arguments.
    ArgumentCount,
    /// TOP is not an integer in range.
    TopCount,
    /// LIMIT is not an integer in range.
    LimitCount,
    /// OFFSET is not an integer in range.
    OffsetCount,
    /// An aggregate within an aggregate.
    NestedAggregate,
    /// A property outside the aggregates of a query that has them.
    NotAggregated,
    /// A property in ORDER BY that is no key of GROUP BY.
    OrderNotGrouped,
    /// ORDER BY in a subquery.
    SubqueryOrderBy,
    /// TOP in a subquery.
    SubqueryTop,
    /// OFFSET LIMIT in a subquery.
    SubqueryOffsetLimit,
    /// ORDER BY something other than a path.
    OrderByPath,
    /// An option of VectorDistance that does not exist or has a wrong value.
    VectorOption,
    /// ORDER BY RANK something that does not score rows.
    RankScore,
    /// ORDER BY RANK over the elements of an array.
    RankIteration,
    /// ORDER BY RANK with a JOIN.
    RankJoin,
    /// ORDER BY RANK over the rows of a subquery.
    RankOverSubquery,
    /// ORDER BY RANK in a subquery.
    SubqueryRank,
    /// Weights of RRF that do not fit what they weigh.
    RankWeights,
    /// FullTextScore or RRF outside ORDER BY RANK.
    ScoreOutsideRank,
    /// A construct of the language that this version does not know.
    NotSupported,
    /// Two columns or members with one name.
    DuplicateName,
    /// A parameter that the request does not bring.
    MissingParameter,
    /// A limit of this server.
    TooLarge,
    /// An aggregate where there can be none.
    MisplacedAggregate,
    /// Two sources with one name.
    DuplicateAlias,
    /// A definition that no computed property can have.
    ComputedProperty,
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ErrorCode::Syntax => "SC1001",
            ErrorCode::UnknownName => "SC2001",
            ErrorCode::UnknownFunction => "SC2005",
            ErrorCode::StarNeedsOneSource => "SC2040",
            ErrorCode::StarWithGroupBy => "SC2041",
            ErrorCode::ArgumentCount => "SC2050",
            ErrorCode::TopCount => "SC2060",
            ErrorCode::LimitCount => "SC2061",
            ErrorCode::OffsetCount => "SC2062",
            ErrorCode::NestedAggregate => "SC2101",
            ErrorCode::NotAggregated => "SC2102",
            ErrorCode::OrderNotGrouped => "SC2103",
            ErrorCode::SubqueryOrderBy => "SC2202",
            ErrorCode::SubqueryTop => "SC2203",
            ErrorCode::SubqueryOffsetLimit => "SC2204",
            ErrorCode::OrderByPath => "SC2206",
            ErrorCode::VectorOption => "SC2213",
            ErrorCode::RankScore => "SC2221",
            ErrorCode::RankIteration => "SC2223",
            ErrorCode::RankJoin => "SC2224",
            ErrorCode::RankOverSubquery => "SC2225",
            ErrorCode::SubqueryRank => "SC2228",
            ErrorCode::RankWeights => "SC2229",
            ErrorCode::ScoreOutsideRank => "SC2240",
            ErrorCode::NotSupported => "SC9001",
            ErrorCode::DuplicateName => "SC9002",
            ErrorCode::MissingParameter => "SC9003",
            ErrorCode::TooLarge => "SC9004",
            ErrorCode::MisplacedAggregate => "SC9005",
            ErrorCode::DuplicateAlias => "SC9006",
            ErrorCode::ComputedProperty => "SC9007",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_the_services_json() {
        let error =
            SqlError::new(ErrorCode::UnknownFunction, 7..14, "'BAD\"' is not a recognized built-in function name.");
        assert_eq!(
            error.to_service_json(),
            r#"{"errors":[{"severity":"Error","location":{"start":7,"end":14},"code":"SC2005","message":"'BAD\"' is not a recognized built-in function name."}]}"#
        );
    }
}
