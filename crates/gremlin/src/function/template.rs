//! Templates of `format()`: `%{name}` and `%{_}`.

use std::sync::Arc;

/// A template cut into its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// In order.
    pub parts: Vec<TemplatePart>,
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplatePart {
    /// As it is.
    Text(Arc<str>),
    /// `%{name}`: a property of the object, or else what `select(name)` gives.
    Name(Arc<str>),
    /// `%{_}`: what the next `by()` gives.
    Projection,
}

impl Template {
    /// Cuts a template. Every text is one: `%%{` is no beginning of a name, and without its end nothing is.
    pub fn parse(text: &str) -> Self {
        let mut parts = Vec::new();
        let mut literal_from = 0;
        let mut at = 0;
        while let Some(found) = text.get(at..).and_then(|rest| rest.find("%{")) {
            let start = at + found;
            let name_from = start + 2;
            let is_escaped = text.get(..start).is_some_and(|before| before.ends_with('%'));
            // A name ends on its line.
            let name = text.get(name_from..).and_then(|rest| rest.split_once('}')).map(|(name, _)| name);
            let Some(name) = name.filter(|name| !is_escaped && !name.contains('\n')) else {
                at = name_from;
                continue;
            };
            push_text(&mut parts, text.get(literal_from..start));
            parts.push(if name == "_" { TemplatePart::Projection } else { TemplatePart::Name(name.into()) });
            at = name_from + name.len() + 1;
            literal_from = at;
        }
        push_text(&mut parts, text.get(literal_from..));
        Template { parts }
    }
}

fn push_text(parts: &mut Vec<TemplatePart>, text: Option<&str>) {
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        parts.push(TemplatePart::Text(text.into()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let part = |part: &TemplatePart| match part {
            TemplatePart::Text(text) => text.to_string(),
            TemplatePart::Name(name) => format!("<{name}>"),
            TemplatePart::Projection => "<>".to_owned(),
        };
        Template::parse(text).parts.iter().map(part).collect()
    }

    #[test]
    fn names_are_cut_out_of_a_template() {
        assert_eq!(shown("%{name} is %{_} years"), ["<name>", " is ", "<>", " years"]);
        assert_eq!(shown("%{a}%{b}"), ["<a>", "<b>"]);
        assert_eq!(shown("%%{a} %{b"), ["%%{a} %{b"]);
        assert_eq!(shown("%{é}ü"), ["<é>", "ü"]);
        assert!(shown("").is_empty());
    }
}
