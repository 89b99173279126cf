//! Counters of what the server did, and their Prometheus text.
//!
//! Recording a request is a handful of relaxed atomic additions on slots reserved per route: no lock,
//! no hashing of labels, no allocation. Only rendering walks and formats them.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use http::StatusCode;

use crate::listen::ReplyFacts;

/// Upper bounds of the latency buckets, in microseconds.
const BUCKET_BOUNDS_US: [u64; 15] = [
    50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 2_500_000, 10_000_000,
];
const BUCKETS: usize = BUCKET_BOUNDS_US.len() + 1;

/// Statuses with a counter of their own, Gremlin's among them; the last slot counts all others.
const STATUSES: [u16; 30] = [
    200, 201, 202, 204, 206, 304, 400, 401, 403, 404, 405, 408, 409, 410, 412, 413, 415, 424, 429, 449, 500, 503, 101,
    407, 498, 499, 595, 597, 598, 599,
];
const STATUS_SLOTS: usize = STATUSES.len() + 1;

/// Request charges are summed in thousandths.
const MILLI_RU_PER_RU: f64 = 1000.0;

/// All counters of a process.
#[derive(Debug)]
pub struct Metrics {
    began: Instant,
    apis: Mutex<Vec<Arc<ApiMetrics>>>,
}

/// One number the store or engine reports at the moment of asking.
#[derive(Debug, Clone, PartialEq)]
pub struct Gauge {
    /// Name without the common prefix: `store_disk_bytes`.
    pub name: &'static str,
    /// One line on what it counts.
    pub help: &'static str,
    /// The value now.
    pub value: f64,
}

/// The counters of one API, shared by its ports.
#[derive(Debug)]
pub struct ApiMetrics {
    api: &'static str,
    routes: Box<[RouteMetrics]>,
    in_flight: AtomicU64,
    connections: AtomicU64,
    connections_total: AtomicU64,
    connections_refused: AtomicU64,
}

#[derive(Debug)]
struct RouteMetrics {
    route: &'static str,
    by_status: [AtomicU64; STATUS_SLOTS],
    by_latency: [AtomicU64; BUCKETS],
    latency_ns: AtomicU64,
    charge_milli_ru: AtomicU64,
}

/// Counts one open connection while it lives.
#[derive(Debug)]
pub struct ConnectionGauge(Arc<ApiMetrics>);

impl Default for Metrics {
    fn default() -> Metrics {
        Metrics { began: Instant::now(), apis: Mutex::default() }
    }
}

impl Metrics {
    /// Reserves the counters of an API. `routes[0]` names requests for which no route was found; a reply's
    /// [`ReplyFacts::route`] indexes this list.
    pub fn api(&self, api: &'static str, routes: &[&'static str]) -> Arc<ApiMetrics> {
        let routes = if routes.is_empty() { &["other"] } else { routes };
        let metrics = Arc::new(ApiMetrics {
            api,
            routes: routes.iter().map(|route| RouteMetrics::new(route)).collect(),
            in_flight: AtomicU64::new(0),
            connections: AtomicU64::new(0),
            connections_total: AtomicU64::new(0),
            connections_refused: AtomicU64::new(0),
        });
        self.lock().push(metrics.clone());
        metrics
    }

    /// The counters of every API, in the order of their making.
    pub fn apis(&self) -> Vec<Arc<ApiMetrics>> {
        self.lock().clone()
    }

    /// Since the process made this.
    pub fn uptime(&self) -> Duration {
        self.began.elapsed()
    }

    /// Everything in Prometheus' text format, version 0.0.4.
    pub fn render(&self, gauges: &[Gauge]) -> String {
        let apis = self.apis();
        let mut page = Page(String::with_capacity(16 * 1024));
        page.head("uptime_seconds", "gauge", "Seconds since the server started.");
        page.line("uptime_seconds", "", self.uptime().as_secs_f64());
        render_connections(&mut page, &apis);
        render_requests(&mut page, &apis);
        for gauge in gauges {
            page.head(gauge.name, "gauge", gauge.help);
            page.line(gauge.name, "", gauge.value);
        }
        page.0
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Arc<ApiMetrics>>> {
        self.apis.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ApiMetrics {
    /// The API's name.
    pub fn api(&self) -> &'static str {
        self.api
    }

    /// Requests between their headers and the last byte of their reply.
    pub fn in_flight(&self) -> u64 {
        self.in_flight.load(Relaxed)
    }

    /// Open connections.
    pub fn connections(&self) -> u64 {
        self.connections.load(Relaxed)
    }

    /// Finished requests, by the status of the reply: `None` for all.
    pub fn requests(&self, status: Option<u16>) -> u64 {
        let slot = status.map(status_slot);
        let of_route = |route: &RouteMetrics| match slot {
            Some(slot) => route.by_status[slot].load(Relaxed),
            None => route.count(),
        };
        self.routes.iter().map(of_route).sum()
    }

    /// Counts a finished request; an unknown route counts as the first.
    pub fn record(&self, facts: ReplyFacts, status: StatusCode, elapsed: Duration) {
        let index = usize::from(facts.route);
        let route = self.routes.get(index).unwrap_or(&self.routes[0]);
        route.by_status[status_slot(status.as_u16())].fetch_add(1, Relaxed);
        let elapsed_ns = u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX);
        route.by_latency[bucket(elapsed_ns / 1_000)].fetch_add(1, Relaxed);
        route.latency_ns.fetch_add(elapsed_ns, Relaxed);
        if facts.charge_ru > 0.0 {
            let milli_ru = (facts.charge_ru * MILLI_RU_PER_RU) as u64;
            route.charge_milli_ru.fetch_add(milli_ru, Relaxed);
        }
    }

    /// Returns how many are in flight with this one.
    pub(crate) fn request_begins(&self) -> u64 {
        self.in_flight.fetch_add(1, Relaxed) + 1
    }

    pub(crate) fn request_ends(&self) {
        self.in_flight.fetch_sub(1, Relaxed);
    }

    pub(crate) fn connection_opens(self: &Arc<Self>) -> ConnectionGauge {
        self.connections.fetch_add(1, Relaxed);
        self.connections_total.fetch_add(1, Relaxed);
        ConnectionGauge(self.clone())
    }

    pub(crate) fn connection_refused(&self) {
        self.connections_refused.fetch_add(1, Relaxed);
    }
}

impl Drop for ConnectionGauge {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Relaxed);
    }
}

impl RouteMetrics {
    fn new(route: &'static str) -> RouteMetrics {
        RouteMetrics {
            route,
            by_status: [const { AtomicU64::new(0) }; STATUS_SLOTS],
            by_latency: [const { AtomicU64::new(0) }; BUCKETS],
            latency_ns: AtomicU64::new(0),
            charge_milli_ru: AtomicU64::new(0),
        }
    }

    fn count(&self) -> u64 {
        self.by_status.iter().map(|count| count.load(Relaxed)).sum()
    }
}

fn status_slot(status: u16) -> usize {
    let known = STATUSES.iter().position(|known| *known == status);
    known.unwrap_or(STATUSES.len())
}

fn bucket(elapsed_us: u64) -> usize {
    BUCKET_BOUNDS_US.partition_point(|bound| *bound < elapsed_us)
}

fn render_connections(page: &mut Page, apis: &[Arc<ApiMetrics>]) {
    type Pick = fn(&ApiMetrics) -> &AtomicU64;
    let families: [(&str, &str, &str, Pick); 4] = [
        ("connections", "gauge", "Open connections.", |api| &api.connections),
        ("connections_total", "counter", "Connections accepted.", |api| &api.connections_total),
        ("connections_refused_total", "counter", "Connections refused because too many were open.", |api| {
            &api.connections_refused
        }),
        ("requests_in_flight", "gauge", "Requests not yet fully answered.", |api| &api.in_flight),
    ];
    for (name, kind, help, pick) in families {
        page.head(name, kind, help);
        for api in apis {
            let labels = format!("api=\"{}\"", api.api);
            page.line(name, &labels, pick(api).load(Relaxed) as f64);
        }
    }
}

fn render_requests(page: &mut Page, apis: &[Arc<ApiMetrics>]) {
    let used = |route: &&RouteMetrics| route.count() > 0;
    let routes: Vec<(String, &RouteMetrics)> = apis
        .iter()
        .flat_map(|api| api.routes.iter().filter(used).map(move |route| (api.api, route)))
        .map(|(api, route)| (format!("api=\"{api}\",route=\"{}\"", route.route), route))
        .collect();
    page.head("requests_total", "counter", "Requests answered, by status.");
    for (labels, route) in &routes {
        for (slot, count) in route.by_status.iter().enumerate() {
            let count = count.load(Relaxed);
            if count > 0 {
                let status = STATUSES.get(slot).map_or("other".to_owned(), u16::to_string);
                page.line("requests_total", &format!("{labels},status=\"{status}\""), count as f64);
            }
        }
    }
    page.head("request_charge_ru_total", "counter", "Request units charged.");
    for (labels, route) in &routes {
        let charge_ru = route.charge_milli_ru.load(Relaxed) as f64 / MILLI_RU_PER_RU;
        page.line("request_charge_ru_total", labels, charge_ru);
    }
    page.head("request_duration_seconds", "histogram", "From headers read to reply ready.");
    for (labels, route) in &routes {
        render_latency(page, labels, route);
    }
}

fn render_latency(page: &mut Page, labels: &str, route: &RouteMetrics) {
    let mut below = 0;
    for (slot, count) in route.by_latency.iter().enumerate() {
        below += count.load(Relaxed);
        let bound = BUCKET_BOUNDS_US.get(slot);
        let bound = bound.map_or("+Inf".to_owned(), |us| (*us as f64 / 1e6).to_string());
        let labels = format!("{labels},le=\"{bound}\"");
        page.line("request_duration_seconds_bucket", &labels, below as f64);
    }
    let sum = route.latency_ns.load(Relaxed) as f64 / 1e9;
    page.line("request_duration_seconds_sum", labels, sum);
    page.line("request_duration_seconds_count", labels, below as f64);
}

/// A page in the text format; writing to a `String` cannot fail.
struct Page(String);

impl Page {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP orrery_{name} {help}\n# TYPE orrery_{name} {kind}");
    }

    fn line(&mut self, name: &str, labels: &str, value: f64) {
        let _ = match labels {
            "" => writeln!(self.0, "orrery_{name} {value}"),
            labels => writeln!(self.0, "orrery_{name}{{{labels}}} {value}"),
        };
    }
}
