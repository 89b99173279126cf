//! Type checks: always Boolean, false for an undefined argument.

use super::{Function, exactly};
use crate::query::Kind;

pub(super) const FUNCTIONS: &[Function] = &[
    exactly("IS_ARRAY", 1, |a, _| (a[0].kind() == Kind::Array).into()),
    exactly("IS_BOOL", 1, |a, _| (a[0].kind() == Kind::Bool).into()),
    // How clients spell it in the filters they resume sorted queries with.
    exactly("IS_BOOLEAN", 1, |a, _| (a[0].kind() == Kind::Bool).into()),
    exactly("IS_DEFINED", 1, |a, _| (!a[0].is_undefined()).into()),
    exactly("IS_NULL", 1, |a, _| (a[0].kind() == Kind::Null).into()),
    exactly("IS_NUMBER", 1, |a, _| (a[0].kind() == Kind::Number).into()),
    exactly("IS_OBJECT", 1, |a, _| (a[0].kind() == Kind::Object).into()),
    exactly("IS_PRIMITIVE", 1, |a, _| {
        matches!(a[0].kind(), Kind::Null | Kind::Bool | Kind::Number | Kind::String).into()
    }),
    exactly("IS_STRING", 1, |a, _| (a[0].kind() == Kind::String).into()),
];
