//! TinkerPop's Gremlin Server on a TinkerGraph, pinned by `pom.xml`.

use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::bail;

use super::socket::Place;
use crate::clients;
use crate::command::cache;

/// Names the packages; the tree is not written to by a build of them.
const POM: &str = include_str!("pom.xml");
/// How long it may take to listen: it compiles Groovy at start.
const START: Duration = Duration::from_secs(120);
/// The heap that its own launcher gives it.
const HEAP: [&str; 2] = ["-Xms512m", "-Xmx4096m"];

const GRAPH: &str = "gremlin.graph=org.apache.tinkerpop.gremlin.tinkergraph.structure.TinkerGraph
gremlin.tinkergraph.vertexIdManager=ANY
gremlin.tinkergraph.edgeIdManager=ANY
";

/// Both servers find vertices by `code` through an index.
const START_SCRIPT: &str = "graph.createIndex('code', Vertex.class)
def globals = [:]
globals << [g: traversal().withEmbedded(graph)]
";

/// The running server; killed when this is dropped, for it keeps nothing.
pub struct GremlinServer {
    /// Where its graph is.
    pub place: Place,
    process: Child,
    /// Its configuration.
    _folder: tempfile::TempDir,
}

impl GremlinServer {
    /// Fetches it if need be and starts it on a free port, with an empty graph in memory.
    ///
    /// # Errors
    /// If it cannot be fetched, or does not listen in time.
    pub fn start() -> anyhow::Result<Self> {
        let classes = classes()?;
        let folder = tempfile::tempdir()?;
        // It does not tell which port it got when it was told to choose.
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        std::fs::write(folder.path().join("graph.properties"), GRAPH)?;
        std::fs::write(folder.path().join("start.groovy"), START_SCRIPT)?;
        std::fs::write(folder.path().join("server.yaml"), settings(port))?;
        let process = Command::new("java")
            .args(HEAP)
            .args(["-cp", &classes, "org.apache.tinkerpop.gremlin.server.GremlinServer", "server.yaml"])
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()?;
        let place = Place { authority: format!("127.0.0.1:{port}"), login: None };
        let mut server = GremlinServer { place, process, _folder: folder };
        let until = Instant::now() + START;
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if server.process.try_wait()?.is_some() || Instant::now() > until {
                bail!("Gremlin Server does not listen");
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        Ok(server)
    }

    /// The process's number.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }
}

impl Drop for GremlinServer {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// The class path, fetched again only if other packages are named.
fn classes() -> anyhow::Result<String> {
    let folder: PathBuf = cache().join("gremlin-server");
    let (pom, path) = (folder.join("pom.xml"), folder.join("target/classpath"));
    let is_there = std::fs::read_to_string(&pom).is_ok_and(|named| named == POM) && path.is_file();
    if !is_there {
        std::fs::create_dir_all(&folder)?;
        // An old class path must not outlive an interruption beside the new names.
        drop(std::fs::remove_file(&path));
        std::fs::write(&pom, POM)?;
        clients::maven(&folder, &["dependency:build-classpath", "-Dmdep.outputFile=target/classpath"])?;
    }
    Ok(std::fs::read_to_string(path)?.trim().to_owned())
}

/// What is not said here is as it comes: a pool of as many threads as processors, batches of 64 results.
fn settings(port: u16) -> String {
    format!(
        "host: 127.0.0.1
port: {port}
channelizer: org.apache.tinkerpop.gremlin.server.channel.WebSocketChannelizer
graphs: {{graph: graph.properties}}
scriptEngines:
  gremlin-groovy:
    plugins:
      org.apache.tinkerpop.gremlin.server.jsr223.GremlinServerGremlinPlugin: {{}}
      org.apache.tinkerpop.gremlin.tinkergraph.jsr223.TinkerGraphGremlinPlugin: {{}}
      org.apache.tinkerpop.gremlin.jsr223.ScriptFileGremlinPlugin: {{files: [start.groovy]}}
serializers:
  - {{className: org.apache.tinkerpop.gremlin.util.ser.GraphSONMessageSerializerV3}}
"
    )
}
