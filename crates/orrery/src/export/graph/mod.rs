//! The vertices and edges that a container's items are.

mod graphml;
mod row;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use orrery_gremlin::GValue;
use orrery_gremlin::graph::ElementKind;
use orrery_gremlin::graph::document::{Layout, kind_of, read_edge, read_vertex};
use orrery_gremlin::io::write_value;
use orrery_value::NewDocument;

use super::args::ExportArgs;
use super::csv::{ColumnFinder, write_header, write_row};
use super::look_through;
use super::output::Output;
use super::pages::Pages;
use crate::transfer::{Column, Format, members};
use row::row;

/// How elements are written, and what has to be known before.
enum Shape {
    GraphSon,
    GraphSonLines,
    Csv(Properties),
    Graphml(Properties),
}

/// The columns of vertices and edges.
struct Properties {
    vertices: Vec<Column>,
    edges: Vec<Column>,
}

impl Properties {
    fn of(&self, kind: ElementKind) -> &[Column] {
        match kind {
            ElementKind::Vertex => &self.vertices,
            ElementKind::Edge => &self.edges,
        }
    }
}

/// Writes all vertices, and then all edges. Returns how many there were.
///
/// # Errors
/// If the container holds no graph or cannot be read, or a file not be written.
pub(super) async fn export(pages: &mut Pages, format: Format, args: &ExportArgs) -> anyhow::Result<u64> {
    let layout = Layout::of_key(&pages.partition_key().context("a table holds no graph")?)?;
    let shape = match format {
        Format::Json => Shape::GraphSon,
        Format::Jsonl => Shape::GraphSonLines,
        Format::Csv => Shape::Csv(properties(pages, &layout, args).await?),
        Format::Graphml => Shape::Graphml(properties(pages, &layout, args).await?),
    };
    if let Shape::Csv(_) = shape {
        let Some(path) = &args.output else { bail!("a graph in CSV is two files: name them by --output NAME.csv") };
        let mut written = 0;
        for (kind, part) in [(ElementKind::Vertex, "nodes"), (ElementKind::Edge, "edges")] {
            let mut output = Output::create(Some(&part_of(path, part)))?;
            written += write_all(pages, &layout, args, kind, &shape, &mut output).await?;
            output.finish().context("cannot write")?;
        }
        return Ok(written);
    }
    let mut output = Output::create(args.output.as_deref())?;
    let (begin, between, end) = match &shape {
        Shape::GraphSon => ("{\"@type\":\"tinker:graph\",\"@value\":{\"vertices\":[".into(), "],\"edges\":[", "]}}\n"),
        Shape::GraphSonLines | Shape::Csv(_) => (String::new(), "", ""),
        Shape::Graphml(properties) => (graphml::header(&properties.vertices, &properties.edges), "", graphml::FOOTER),
    };
    output.write(begin.as_bytes()).context("cannot write")?;
    let mut written = write_all(pages, &layout, args, ElementKind::Vertex, &shape, &mut output).await?;
    output.write(between.as_bytes()).context("cannot write")?;
    written += write_all(pages, &layout, args, ElementKind::Edge, &shape, &mut output).await?;
    output.write(end.as_bytes()).context("cannot write")?;
    output.finish().context("cannot write")?;
    Ok(written)
}

/// The properties of all elements.
async fn properties(pages: &mut Pages, layout: &Layout, args: &ExportArgs) -> anyhow::Result<Properties> {
    let (mut vertices, mut edges) = (ColumnFinder::default(), ColumnFinder::default());
    look_through(pages, args, |text| {
        let Some((kind, element)) = element_of(layout, text)? else { return Ok(()) };
        let finder = if kind == ElementKind::Vertex { &mut vertices } else { &mut edges };
        finder.add(&members(&row(&element)?)?)
    })
    .await?;
    Ok(Properties { vertices: vertices.finish(), edges: edges.finish() })
}

async fn write_all(
    pages: &mut Pages,
    layout: &Layout,
    args: &ExportArgs,
    wanted: ElementKind,
    shape: &Shape,
    output: &mut Output,
) -> anyhow::Result<u64> {
    let mut buffer = Vec::new();
    let mut written = 0;
    if let Shape::Csv(properties) = shape {
        write_header(properties.of(wanted), args.delimiter, &mut buffer);
    }
    look_through(pages, args, |text| {
        let Some((_, element)) = element_of(layout, text)?.filter(|(kind, _)| *kind == wanted) else { return Ok(()) };
        match shape {
            Shape::GraphSon => {
                buffer.extend_from_slice(if written == 0 { b"\n" } else { b",\n" });
                write_value(&element, orrery_gremlin::io::Format::GraphSon3, &mut buffer)?;
            }
            Shape::GraphSonLines => {
                write_value(&element, orrery_gremlin::io::Format::GraphSon3, &mut buffer)?;
                buffer.push(b'\n');
            }
            Shape::Csv(properties) => {
                write_row(properties.of(wanted), &members(&row(&element)?)?, args.delimiter, &mut buffer)?;
            }
            Shape::Graphml(_) => graphml::write(wanted, &members(&row(&element)?)?, &mut buffer)?,
        }
        written += 1;
        output.write(&buffer).context("cannot write")?;
        buffer.clear();
        Ok(())
    })
    .await?;
    // A header without rows.
    output.write(&buffer).context("cannot write")?;
    Ok(written)
}

/// The element that an item is; an item may be none.
fn element_of(layout: &Layout, text: &str) -> anyhow::Result<Option<(ElementKind, GValue)>> {
    let document = NewDocument::from_json(text.as_bytes()).context("an item is no document")?;
    let document = document.document();
    let root = document.root();
    Ok(match kind_of(root) {
        Some(ElementKind::Vertex) => Some((ElementKind::Vertex, GValue::Vertex(read_vertex(layout, root).into()))),
        Some(ElementKind::Edge) => read_edge(layout, root).map(|edge| (ElementKind::Edge, GValue::Edge(edge.into()))),
        None => None,
    })
}

/// `air.csv.gz` and `nodes` are `air-nodes.csv.gz`.
fn part_of(path: &Path, part: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (stem, extension) = name.split_once('.').map_or((&*name, ""), |(stem, _)| (stem, &name[stem.len()..]));
    path.with_file_name(format!("{stem}-{part}{extension}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_graph_have_names_of_their_own() {
        for (path, part) in [("a/air.csv", "a/air-nodes.csv"), ("air.csv.gz", "air-nodes.csv.gz"), ("air", "air-nodes")]
        {
            assert_eq!(part_of(Path::new(path), "nodes"), Path::new(part));
        }
    }
}
