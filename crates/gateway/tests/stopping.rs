//! Stopping a port.

use std::time::{Duration, Instant};

use orrery_gateway::listen::Limits;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::lab::{body, read_reply, read_to_end, start, start_with, status, within};

const GET_WAIT: &[u8] = b"GET /wait HTTP/1.1\r\nhost: x\r\n\r\n";

#[tokio::test]
async fn a_stop_finishes_what_is_in_flight() {
    let server = start().await;
    let mut busy = server.connect().await;
    busy.write_all(GET_WAIT).await.unwrap();
    server.wait_entered(1).await;
    let mut idle = server.connect().await;
    idle.write_all(b"GET /hello HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    assert_eq!(status(&read_reply(&mut idle).await), 200);
    let mut unused = server.connect().await;

    server.trigger.request();
    // Idle and unused connections close at once, while the busy one goes on.
    assert_eq!(read_to_end(&mut idle).await, "");
    assert_eq!(read_to_end(&mut unused).await, "");
    assert_eq!(server.api.in_flight(), 1);
    assert!(!server.task.is_finished());

    server.lab.leave.add_permits(1);
    let reply = read_to_end(&mut busy).await;
    assert_eq!((status(&reply), body(&reply)), (200, "waited"));
    let addr = server.addr;
    assert_eq!(server.stop().await.aborted_connections, 0);
    assert!(TcpStream::connect(addr).await.is_err());
}

#[tokio::test]
async fn a_stop_does_not_wait_for_ever() {
    let limits = Limits { drain_timeout: Duration::from_millis(100), ..Limits::default() };
    let server = start_with(limits).await;
    let mut busy = server.connect().await;
    busy.write_all(GET_WAIT).await.unwrap();
    server.wait_entered(1).await;
    let outcome = server.stop().await;
    assert_eq!(outcome.aborted_connections, 1);
    assert_eq!(read_to_end(&mut busy).await, "");
}

#[tokio::test]
async fn an_idle_server_stops_at_once() {
    let server = start().await;
    let mut idle = server.connect().await;
    idle.write_all(b"GET /hello HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    read_reply(&mut idle).await;
    let began = Instant::now();
    assert_eq!(within(server.stop()).await.aborted_connections, 0);
    assert!(began.elapsed() < Duration::from_secs(2));
}
