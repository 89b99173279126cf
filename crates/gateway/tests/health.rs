//! The health port.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use orrery_gateway::health::{Health, Probe, ROUTES};
use orrery_gateway::listen::{Limits, Listener, Options, ReplyFacts, Shutdown, serve};
use orrery_gateway::metrics::{Gauge, Metrics};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::lab::{body, read_to_end, status};

#[derive(Default)]
struct FakeStore {
    ready: AtomicBool,
}

impl Probe for FakeStore {
    fn readiness(&self) -> Result<(), String> {
        match self.ready.load(Relaxed) {
            true => Ok(()),
            false => Err("recovering".to_owned()),
        }
    }

    fn gauges(&self) -> Vec<Gauge> {
        vec![Gauge { name: "store_disk_bytes", help: "Bytes on disk.", value: 4096.0 }]
    }
}

async fn get(addr: SocketAddr, method: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(addr).await.unwrap();
    let request = format!("{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    read_to_end(&mut stream).await
}

#[tokio::test]
async fn the_health_port_tells_what_the_parts_say() {
    let store = Arc::new(FakeStore::default());
    let metrics = Arc::new(Metrics::default());
    let sql = metrics.api("sql", &["other", "read_item"]);
    let facts = ReplyFacts { route: 1, charge_ru: 2.5 };
    sql.record(facts, http::StatusCode::OK, std::time::Duration::from_micros(300));
    let options =
        Options { tls: None, limits: Limits::default(), metrics: metrics.api("health", &ROUTES), workers: None };
    let listener = Listener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
    let addr = listener.local_addr();
    let app = Arc::new(Health::new("1.2.3", metrics.clone(), store.clone()));
    let (_trigger, shutdown) = Shutdown::channel();
    tokio::spawn(serve(listener, app, options, shutdown));

    assert_eq!(status(&get(addr, "GET", "/alive").await), 200);
    let starting = get(addr, "GET", "/ready").await;
    assert_eq!((status(&starting), body(&starting)), (503, "recovering\n"));
    store.ready.store(true, Relaxed);
    assert_eq!(status(&get(addr, "GET", "/ready").await), 200);
    assert_eq!(status(&get(addr, "HEAD", "/ready").await), 200);
    assert_eq!(status(&get(addr, "POST", "/ready").await), 405);
    assert_eq!(status(&get(addr, "GET", "/nowhere").await), 404);

    let json: serde_json::Value = serde_json::from_str(body(&get(addr, "GET", "/status").await)).unwrap();
    assert_eq!(json["version"], "1.2.3");
    assert_eq!(json["ready"], true);
    assert_eq!(json["store"]["store_disk_bytes"], 4096.0);
    assert_eq!((&json["apis"][0]["api"], &json["apis"][0]["requests"]), (&"sql".into(), &1.into()));

    let page = get(addr, "GET", "/metrics").await;
    for line in [
        "content-type: text/plain; version=0.0.4",
        "orrery_store_disk_bytes 4096",
        "orrery_requests_total{api=\"sql\",route=\"read_item\",status=\"200\"} 1",
        "orrery_request_charge_ru_total{api=\"sql\",route=\"read_item\"} 2.5",
        "orrery_request_duration_seconds_bucket{api=\"sql\",route=\"read_item\",le=\"0.00025\"} 0",
        "orrery_request_duration_seconds_bucket{api=\"sql\",route=\"read_item\",le=\"0.0005\"} 1",
        "orrery_requests_total{api=\"health\",route=\"ready\",status=\"503\"} 1",
    ] {
        assert!(page.contains(line), "{line} is not in\n{page}");
    }
}
