//! Airports and their routes as requests: the usual graph of Gremlin's lessons, read from two CSV files.

use std::path::Path;

use anyhow::Context;
use serde_json::{Value, json};

use super::super::load::{self, Outcome};
use super::socket::{Place, Request, Socket};

/// The property that places vertices. Those that lie in no country are placed by their own code.
pub const PARTITION_PROPERTY: &str = "country";

const NODES: &str = "air-routes-nodes.csv";
const EDGES: &str = "air-routes-edges.csv";
/// Elements that one request adds.
const BATCH: usize = 100;
const ADD_VERTICES: &str = "g.inject(rows).unfold().mergeV().count()";
const ADD_EDGES: &str = "g.inject(rows).unfold().mergeE().count()";

/// The graph. Elements are the maps that `mergeV()` and `mergeE()` take, in GraphSON 3.
pub struct AirRoutes {
    vertices: Vec<Value>,
    edges: Vec<Value>,
    /// Vertices of which routes go out.
    pub airports: Vec<Airport>,
}

/// What requests know of an airport.
pub struct Airport {
    pub id: String,
    pub code: String,
}

impl AirRoutes {
    /// Whether a folder has the files.
    pub fn are_in(folder: &Path) -> bool {
        folder.join(NODES).is_file() && folder.join(EDGES).is_file()
    }

    /// Reads the files of a folder.
    ///
    /// # Errors
    /// If they cannot be read, or have other columns.
    pub fn read(folder: &Path) -> anyhow::Result<Self> {
        let mut routes = AirRoutes { vertices: Vec::new(), edges: Vec::new(), airports: Vec::new() };
        for row in rows(&folder.join(NODES))? {
            routes.add_vertex(&row)?;
        }
        for row in rows(&folder.join(EDGES))? {
            routes.add_edge(&row)?;
        }
        Ok(routes)
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.vertices.len() + self.edges.len()
    }

    /// Adds all elements to an empty graph over so many connections, vertices first.
    ///
    /// # Errors
    /// If the server refuses one.
    pub fn load(&self, place: &Place, connections: usize) -> anyhow::Result<()> {
        add(place, connections, ADD_VERTICES, &self.vertices)?;
        add(place, connections, ADD_EDGES, &self.edges)?;
        Ok(())
    }

    fn add_vertex(&mut self, row: &Row) -> anyhow::Result<()> {
        let (id, label) = (row.text("~id")?, row.text("~label")?);
        let mut entries = vec![token("id"), json!(id), token("label"), json!(label)];
        for (name, value) in row.properties()? {
            entries.extend([json!(name), value]);
        }
        let code = row.text("code")?;
        if row.text(PARTITION_PROPERTY)?.is_empty() {
            entries.extend([json!(PARTITION_PROPERTY), json!(code)]);
        }
        self.vertices.push(map(entries));
        if label == "airport" {
            self.airports.push(Airport { id: id.to_owned(), code: code.to_owned() });
        }
        Ok(())
    }

    fn add_edge(&mut self, row: &Row) -> anyhow::Result<()> {
        let id = format!("edge-{}", row.text("~id")?);
        let mut entries = vec![token("id"), json!(id), token("label"), json!(row.text("~label")?)];
        entries.extend([direction("OUT"), json!(row.text("~from")?), direction("IN"), json!(row.text("~to")?)]);
        for (name, value) in row.properties()? {
            entries.extend([json!(name), value]);
        }
        self.edges.push(map(entries));
        Ok(())
    }
}

fn add(place: &Place, connections: usize, text: &str, elements: &[Value]) -> anyhow::Result<Outcome> {
    let requests: Vec<Request> = elements
        .chunks(BATCH)
        .map(|rows| Request::new(text, &json!({"rows": {"@type": "g:List", "@value": rows}})))
        .collect();
    let mut requests = requests.into_iter();
    load::drive(connections, None, async || Socket::open(place).await, move || requests.next())
}

fn map(entries: Vec<Value>) -> Value {
    json!({"@type": "g:Map", "@value": entries})
}

fn token(name: &str) -> Value {
    json!({"@type": "g:T", "@value": name})
}

fn direction(name: &str) -> Value {
    json!({"@type": "g:Direction", "@value": name})
}

/// A line of a file, with the columns' names and types.
struct Row {
    fields: Vec<(String, String, String)>,
}

impl Row {
    fn text(&self, column: &str) -> anyhow::Result<&str> {
        let field = self.fields.iter().find(|(name, _, _)| name == column);
        field.map(|(_, _, text)| text.as_str()).with_context(|| format!("no column '{column}'"))
    }

    /// What is said of an element beside its place, typed.
    fn properties(&self) -> anyhow::Result<Vec<(&str, Value)>> {
        let said = self.fields.iter().filter(|(name, _, text)| !name.starts_with('~') && !text.is_empty());
        said.map(|(name, kind, text)| {
            let value = match kind.as_str() {
                "int" => json!({"@type": "g:Int32", "@value": text.parse::<i32>()?}),
                "double" => json!({"@type": "g:Double", "@value": text.parse::<f64>()?}),
                _ => json!(text),
            };
            Ok((name.as_str(), value))
        })
        .collect()
    }
}

/// The lines of a file behind its head.
fn rows(path: &Path) -> anyhow::Result<Vec<Row>> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let mut lines = text.lines();
    let head = fields(lines.next().unwrap_or_default());
    let row = |line| {
        let named = head.iter().zip(fields(line)).map(|(column, text)| {
            let (name, kind) = column.split_once(':').unwrap_or((column, "string"));
            (name.to_owned(), kind.to_owned(), text)
        });
        Row { fields: named.collect() }
    };
    Ok(lines.map(row).collect())
}

/// The fields of a line; quotes keep commas within them, and are doubled to stand for themselves.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut field, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if is_quoted && characters.next_if_eq(&'"').is_some() => field.push('"'),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(std::mem::take(&mut field)),
            other => field.push(other),
        }
    }
    fields.push(field);
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_fields_keep_commas_and_quotes() {
        assert_eq!(fields(r#"1,"a, b",,"say ""no""""#), ["1", "a, b", "", r#"say "no""#]);
    }
}
