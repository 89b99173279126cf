//! Other spellings of functions' names.

/// Spellings with underscores that the service's own query editor offers beside the documented ones, and internal names that come
/// back in the queries which plans are rewritten to.
const ALIASES: &[(&str, &str)] = &[
    ("IS_BOOLEAN", "IS_BOOL"),
    ("OBJECT_TO_ARRAY", "OBJECTTOARRAY"),
    ("SET_DIFFERENCE", "SETDIFFERENCE"),
    ("SET_EQUAL", "SETEQUAL"),
    ("SET_INTERSECT", "SETINTERSECT"),
    ("SET_UNION", "SETUNION"),
    ("STRING_EQUALS", "STRINGEQUALS"),
    ("STRING_JOIN", "STRINGJOIN"),
    ("STRING_SPLIT", "STRINGSPLIT"),
    ("STRING_TO_ARRAY", "STRINGTOARRAY"),
    ("STRING_TO_BOOLEAN", "STRINGTOBOOLEAN"),
    ("STRING_TO_NULL", "STRINGTONULL"),
    ("STRING_TO_NUMBER", "STRINGTONUMBER"),
    ("STRING_TO_OBJECT", "STRINGTOOBJECT"),
    ("_OBJECTTOARRAY", "OBJECTTOARRAY"),
    ("_TRY_ARRAY_CONTAINS", "ARRAY_CONTAINS"),
];

/// The name in its documented spelling, in capitals if it was another one.
pub(super) fn canonical(name: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(name)).map_or(name, |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::function;

    #[test]
    fn aliases_name_functions_that_exist() {
        for (alias, name) in ALIASES {
            assert_eq!(function(alias).map(|found| found.name), Some(*name));
        }
        assert_eq!(function("_ObjectToArray").map(|found| found.name), Some("OBJECTTOARRAY"));
        assert!(function("_COMPARE_OBJECTS").is_none());
    }
}
