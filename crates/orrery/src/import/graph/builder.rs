//! Vertices and edges to documents.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::sync::Arc;

use anyhow::{Context, ensure};
use orrery_gremlin::GValue;
use orrery_gremlin::graph::document::{Layout, edge_document, vertex_document};
use orrery_gremlin::graph::id_text;
use orrery_gremlin::io::{Format, read_value, write_value};
use orrery_gremlin::value::{Edge, Vertex, VertexReference};
use orrery_value::PartitionKeyDefinition;

use super::super::entry::{Position, Unit};
use super::{Element, elements};

/// Vertices that an import knows at the most: each takes some 100 bytes of memory.
const MAX_VERTICES: usize = 50_000_000;

/// Makes documents of elements. An edge's document has the labels and partitions of its vertices: these are kept in mind, and edges of
/// vertices that are still to come wait in a file.
pub(in crate::import) struct GraphBuilder {
    layout: Layout,
    vertices: HashMap<Arc<str>, Known>,
    labels: HashSet<Arc<str>>,
    waiting: Option<BufWriter<File>>,
    /// Where waiting edges stood: files and what their numbers count.
    files: Vec<(Arc<str>, Unit)>,
}

/// What edges need of a vertex.
struct Known {
    label: Arc<str>,
    partition: Option<GValue>,
}

/// A document, or why there is none, and the record it comes from.
pub(in crate::import) struct Made {
    pub position: Position,
    pub document: Result<Vec<u8>, String>,
}

impl GraphBuilder {
    /// # Errors
    /// If no graph can have this partition key.
    pub fn new(partition_key: &PartitionKeyDefinition) -> anyhow::Result<GraphBuilder> {
        let layout = Layout::of_key(partition_key).context("the container holds no graph")?;
        let (vertices, labels) = (HashMap::new(), HashSet::new());
        Ok(GraphBuilder { layout, vertices, labels, waiting: None, files: Vec::new() })
    }

    /// The documents of a record, as far as its edges need not wait.
    ///
    /// # Errors
    /// If there are too many vertices, or waiting edges cannot be written down.
    pub fn documents(&mut self, text: &[u8], position: &Position) -> anyhow::Result<Vec<Made>> {
        let mut made = Vec::new();
        let mut add = |document| made.push(Made { position: position.clone(), document });
        let found = match elements(text) {
            Ok(found) => found,
            Err(reason) => {
                add(Err(reason));
                return Ok(made);
            }
        };
        for element in found {
            match element {
                Err(reason) => add(Err(reason)),
                Ok(Element::Vertex(vertex)) => add(self.vertex(&vertex)?),
                Ok(Element::Edge(edge)) => match self.edge(&edge) {
                    Some(document) => add(document),
                    None => self.wait(edge, position)?,
                },
            }
        }
        Ok(made)
    }

    fn vertex(&mut self, vertex: &Vertex) -> anyhow::Result<Result<Vec<u8>, String>> {
        let document = match vertex_document(&self.layout, vertex) {
            Ok(document) => document,
            Err(error) => return Ok(Err(error.to_string())),
        };
        ensure!(
            self.vertices.len() < MAX_VERTICES,
            "a graph of more than {MAX_VERTICES} vertices must be imported in parts"
        );
        let label = match self.labels.get(&vertex.label) {
            Some(label) => Arc::clone(label),
            None => {
                self.labels.insert(Arc::clone(&vertex.label));
                Arc::clone(&vertex.label)
            }
        };
        let partition = self.layout.partition_property().and_then(|name| {
            let own = vertex.properties.iter().flatten().find(|property| property.label == *name);
            own.map(|property| property.value.clone())
        });
        if let Some(id) = id_text(&vertex.id) {
            self.vertices.insert(id, Known { label, partition });
        }
        Ok(Ok(document))
    }

    /// The document of an edge; none as long as one of its vertices is unknown.
    fn edge(&self, edge: &Edge) -> Option<Result<Vec<u8>, String>> {
        let end = |vertex: &VertexReference| {
            let known = self.vertices.get(&id_text(&vertex.id)?)?;
            let (label, partition) = (Arc::clone(&known.label), known.partition.clone());
            Some(VertexReference { id: vertex.id.clone(), label, partition })
        };
        let (out_vertex, in_vertex) = (end(&edge.out_vertex)?, end(&edge.in_vertex)?);
        let edge = Edge { out_vertex, in_vertex, ..edge.clone() };
        Some(edge_document(&self.layout, &edge).map_err(|error| error.to_string()))
    }

    /// Writes an edge down: the index of its file, its number there, and its GraphSON, on a line.
    fn wait(&mut self, edge: Arc<Edge>, position: &Position) -> anyhow::Result<()> {
        if self.files.last().is_none_or(|(file, _)| *file != position.file) {
            self.files.push((Arc::clone(&position.file), position.unit));
        }
        let file = match &mut self.waiting {
            Some(file) => file,
            none => none.insert(BufWriter::new(tempfile::tempfile().context("cannot make a temporary file")?)),
        };
        let mut line = Vec::new();
        write_value(&GValue::Edge(edge), Format::GraphSon3, &mut line)?;
        write!(file, "{} {} ", self.files.len() - 1, position.number)?;
        line.push(b'\n');
        file.write_all(&line).context("cannot write to a temporary file")
    }

    /// The edges that wait. All vertices are known now.
    ///
    /// # Errors
    /// If the file that they wait in cannot be read.
    pub fn waiting(&mut self) -> anyhow::Result<Waiting> {
        let Some(file) = self.waiting.take() else { return Ok(Waiting { lines: None }) };
        let mut file = file.into_inner().context("cannot write to a temporary file")?;
        file.seek(SeekFrom::Start(0))?;
        Ok(Waiting { lines: Some(BufReader::new(file)) })
    }

    fn made_of(&self, line: &str) -> anyhow::Result<Made> {
        let mut parts = line.splitn(3, ' ');
        let mut next = || parts.next().context("a temporary file was changed");
        let (file, number) = (next()?.parse::<usize>()?, next()?.parse()?);
        let edge = read_value(next()?.trim_end().as_bytes(), Format::GraphSon3)?;
        let (file, unit) = self.files.get(file).context("a temporary file was changed")?.clone();
        let GValue::Edge(edge) = edge else { anyhow::bail!("a temporary file was changed") };
        let document = self.edge(&edge).unwrap_or_else(|| {
            let id = |vertex: &VertexReference| id_text(&vertex.id);
            let ends = [id(&edge.out_vertex), id(&edge.in_vertex)];
            let missing = ends.into_iter().flatten().find(|id| !self.vertices.contains_key(id));
            let missing = missing.map_or_else(|| "of an end".to_owned(), |id| format!("'{id}'"));
            Err(format!("there is no vertex {missing} in the files"))
        });
        Ok(Made { position: Position { file, unit, number }, document })
    }
}

/// Edges that waited for their vertices, in the order they were read.
pub(in crate::import) struct Waiting {
    lines: Option<BufReader<File>>,
}

impl Waiting {
    /// The next one.
    ///
    /// # Errors
    /// If the file that they wait in cannot be read.
    pub fn next(&mut self, builder: &GraphBuilder) -> anyhow::Result<Option<Made>> {
        let Some(lines) = &mut self.lines else { return Ok(None) };
        let mut line = String::new();
        if lines.read_line(&mut line).context("cannot read a temporary file")? == 0 {
            return Ok(None);
        }
        builder.made_of(&line).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use orrery_value::PropertyPath;

    use super::*;

    fn builder(path: &str) -> GraphBuilder {
        let paths = vec![PropertyPath::parse(path).unwrap()];
        GraphBuilder::new(&PartitionKeyDefinition::try_new("Hash", Some(2), paths).unwrap()).unwrap()
    }

    fn position(number: u64) -> Position {
        Position { file: "graph.json".into(), unit: Unit::Line, number }
    }

    fn texts(made: Vec<Made>) -> Vec<Result<String, String>> {
        made.into_iter().map(|made| made.document.map(|text| String::from_utf8(text).unwrap())).collect()
    }

    #[test]
    fn edges_wait_for_their_vertices_and_take_labels_and_partitions_from_them() {
        let mut builder = builder("/city");
        let mut records = |texts: &[&str]| -> Vec<Made> {
            let all = texts
                .iter()
                .zip(1..)
                .map(|(text, number)| builder.documents(text.as_bytes(), &position(number)).unwrap());
            all.flatten().collect()
        };
        let made = records(&[
            r#"{"~id":"e","~label":"knows","~from":"1","~to":"2","since":5}"#,
            r#"{"~id":"1","~label":"person","city":"a"}"#,
            r#"{"~id":"lost","~from":"1","~to":"9"}"#,
            r#"{"~id":"2","~label":"robot","city":"b"}"#,
            r#"{"~id":"3"}"#,
        ]);
        let [one, two, none] = &texts(made)[..] else { panic!() };
        assert_eq!(one.as_deref(), Ok(r#"{"id":"1","label":"person","city":"a"}"#));
        assert_eq!(two.as_deref(), Ok(r#"{"id":"2","label":"robot","city":"b"}"#));
        assert!(none.as_ref().unwrap_err().contains("partition key property"));
        let mut waiting = builder.waiting().unwrap();
        let edge = waiting.next(&builder).unwrap().unwrap();
        assert_eq!((edge.position.number, &*edge.position.file), (1, "graph.json"));
        let text = String::from_utf8(edge.document.unwrap()).unwrap();
        for part in
            [r#""city":"a""#, r#""_sinkPartition":"b""#, r#""_sinkLabel":"robot""#, r#""_vertexLabel":"person""#]
        {
            assert!(text.contains(part), "{text}");
        }
        let lost = waiting.next(&builder).unwrap().unwrap();
        assert_eq!(lost.document, Err("there is no vertex '9' in the files".to_owned()));
        assert!(waiting.next(&builder).unwrap().is_none());
    }

    #[test]
    fn a_hierarchical_key_holds_no_graph() {
        let paths = ["/a", "/b"].map(|path| PropertyPath::parse(path).unwrap()).to_vec();
        let key = PartitionKeyDefinition::try_new("MultiHash", Some(2), paths).unwrap();
        assert!(GraphBuilder::new(&key).is_err());
    }
}
