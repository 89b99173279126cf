//! What a running server says of itself.

use std::io::{Read, Write};
use std::net::TcpStream;

use super::running::Running;

struct Server {
    health: String,
    _running: Running,
}

impl Server {
    fn start() -> Server {
        let running = Running::start(
            &[
                &["--in-memory", "--sql-port", "0", "--health-port", "0"][..],
                &["--table-port", "off", "--azurite-port", "off", "--gremlin-port", "off"],
            ]
            .concat(),
        );
        let health = running.url("health").strip_prefix("http://").unwrap().trim_end_matches('/').to_owned();
        Server { health, _running: running }
    }

    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.health).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", self.health).unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        assert!(reply.starts_with("HTTP/1.1 200 "), "{path}: {reply}");
        reply
    }
}

#[test]
fn a_server_is_alive_and_ready_and_measures_itself() {
    let server = Server::start();
    for path in ["/alive", "/ready", "/status"] {
        server.get(path);
    }
    let page = server.get("/metrics");
    let (_, page) = page.split_once("\r\n\r\n").unwrap();
    let names: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next()).collect();
    for name in &names {
        let own = name.strip_prefix("orrery_").unwrap_or_else(|| panic!("{name} has no prefix"));
        assert!(!own.starts_with("orrery_"), "{name} has its prefix twice");
    }
    for name in ["orrery_uptime_seconds", "orrery_requests_total", "orrery_store_commits", "orrery_store_cache_bytes"] {
        assert!(names.contains(&name), "{name} is missing from {names:?}");
    }
}
