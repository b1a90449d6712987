//! Counters, in the text format of Prometheus.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use super::route_table::RouteLabel;

/// Statuses with a counter of their own; the last counter is for all others.
const STATUSES: &[u16] = &[
    200, 201, 202, 204, 206, 302, 304, 400, 401, 403, 404, 405, 408, 409, 412, 413, 416, 422, 429,
    500, 503,
];

/// Upper ends of the classes of durations, in microseconds.
const CLASSES: &[u64] = &[
    500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
    5_000_000, 10_000_000, 30_000_000,
];

/// Everything that is counted here.
#[derive(Debug)]
pub(crate) struct Metrics {
    routes: Vec<RouteCounters>,
    pub(crate) in_flight: AtomicI64,
    pub(crate) connections: AtomicI64,
    pub(crate) connections_refused: AtomicU64,
    pub(crate) request_bytes: AtomicU64,
    pub(crate) response_bytes: AtomicU64,
    pub(crate) rate_limited: AtomicU64,
    pub(crate) panics: AtomicU64,
}

#[derive(Debug)]
struct RouteCounters {
    statuses: Vec<AtomicU64>,
    classes: Vec<AtomicU64>,
    microseconds: AtomicU64,
}

/// What others count.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OutsideCounts {
    pub(crate) jobs_queued: Option<u64>,
    pub(crate) jobs_running: Option<u64>,
    pub(crate) log_lines_dropped: u64,
    pub(crate) can_probe: bool,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let counters = |count| std::iter::repeat_with(|| AtomicU64::new(0)).take(count).collect();
        let route = || RouteCounters {
            statuses: counters(STATUSES.len() + 1),
            classes: counters(CLASSES.len() + 1),
            microseconds: AtomicU64::new(0),
        };
        Self {
            routes: std::iter::repeat_with(route).take(RouteLabel::COUNT).collect(),
            in_flight: AtomicI64::new(0),
            connections: AtomicI64::new(0),
            connections_refused: AtomicU64::new(0),
            request_bytes: AtomicU64::new(0),
            response_bytes: AtomicU64::new(0),
            rate_limited: AtomicU64::new(0),
            panics: AtomicU64::new(0),
        }
    }

    /// Counts a request that was answered.
    pub(crate) fn record(&self, label: RouteLabel, status: u16, took: Duration) {
        let Some(route) = self.routes.get(usize::from(label.index())) else { return };
        let microseconds = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let known = STATUSES.iter().position(|known| *known == status);
        route.statuses[known.unwrap_or(STATUSES.len())].fetch_add(1, Ordering::Relaxed);
        let class = CLASSES.iter().position(|end| microseconds <= *end);
        route.classes[class.unwrap_or(CLASSES.len())].fetch_add(1, Ordering::Relaxed);
        route.microseconds.fetch_add(microseconds, Ordering::Relaxed);
    }

    /// All of it.
    pub(crate) fn render(&self, version: &str, outside: &OutsideCounts) -> String {
        let mut out = String::with_capacity(16 << 10);
        let _ = writeln!(out, "# TYPE facet_registry_build_info gauge");
        let _ = writeln!(out, "facet_registry_build_info{{version=\"{version}\"}} 1");
        self.render_requests(&mut out);
        self.render_durations(&mut out);
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let gauge = |gauge: &AtomicI64| gauge.load(Ordering::Relaxed).max(0).unsigned_abs();
        let numbers = [
            ("requests_in_flight", "gauge", gauge(&self.in_flight)),
            ("connections", "gauge", gauge(&self.connections)),
            ("connections_refused_total", "counter", load(&self.connections_refused)),
            ("request_bytes_total", "counter", load(&self.request_bytes)),
            ("response_bytes_total", "counter", load(&self.response_bytes)),
            ("rate_limited_total", "counter", load(&self.rate_limited)),
            ("panics_total", "counter", load(&self.panics)),
            ("log_lines_dropped_total", "counter", outside.log_lines_dropped),
            ("probes_possible", "gauge", u64::from(outside.can_probe)),
        ];
        for (name, kind, value) in numbers {
            let _ = writeln!(out, "# TYPE facet_registry_{name} {kind}");
            let _ = writeln!(out, "facet_registry_{name} {value}");
        }
        render_jobs(outside, &mut out);
        out
    }

    fn render_requests(&self, out: &mut String) {
        let _ = writeln!(out, "# TYPE facet_registry_requests_total counter");
        for (label, route) in self.used_routes() {
            for (index, counter) in route.statuses.iter().enumerate() {
                let count = counter.load(Ordering::Relaxed);
                if count == 0 {
                    continue;
                }
                let status = STATUSES.get(index).map_or("other".to_owned(), u16::to_string);
                let (base, template) = label.template();
                let _ = writeln!(
                    out,
                    "facet_registry_requests_total{{route=\"{base}{template}\",status=\"{status}\"}} {count}"
                );
            }
        }
    }

    fn render_durations(&self, out: &mut String) {
        const NAME: &str = "facet_registry_request_duration_seconds";
        let _ = writeln!(out, "# TYPE {NAME} histogram");
        for (label, route) in self.used_routes() {
            let (base, template) = label.template();
            let mut sum = 0;
            for (index, counter) in route.classes.iter().enumerate() {
                sum += counter.load(Ordering::Relaxed);
                let end = CLASSES.get(index).map_or("+Inf".to_owned(), |end| seconds(*end));
                let _ =
                    writeln!(out, "{NAME}_bucket{{route=\"{base}{template}\",le=\"{end}\"}} {sum}");
            }
            let total = seconds(route.microseconds.load(Ordering::Relaxed));
            let _ = writeln!(out, "{NAME}_sum{{route=\"{base}{template}\"}} {total}");
            let _ = writeln!(out, "{NAME}_count{{route=\"{base}{template}\"}} {sum}");
        }
    }

    /// The routes that were called.
    fn used_routes(&self) -> impl Iterator<Item = (RouteLabel, &RouteCounters)> {
        let is_used = |route: &RouteCounters| {
            route.classes.iter().any(|counter| counter.load(Ordering::Relaxed) > 0)
        };
        let routes = (0..=u8::MAX).zip(&self.routes).filter(move |(_, route)| is_used(route));
        routes.map(|(index, route)| (RouteLabel::from_index(index), route))
    }
}

/// The queue is the catalog's; if that does not answer, nothing is said about it.
fn render_jobs(outside: &OutsideCounts, out: &mut String) {
    let _ = writeln!(out, "# TYPE facet_registry_probe_jobs gauge");
    for (state, count) in [("queued", outside.jobs_queued), ("running", outside.jobs_running)] {
        if let Some(count) = count {
            let _ = writeln!(out, "facet_registry_probe_jobs{{state=\"{state}\"}} {count}");
        }
    }
}

/// Microseconds as seconds.
fn seconds(microseconds: u64) -> String {
    format!("{}.{:06}", microseconds / 1_000_000, microseconds % 1_000_000)
}

#[cfg(test)]
mod tests {
    use facets_registry::ArtifactKind;

    use super::super::route_table::Endpoint;
    use super::*;

    #[test]
    fn requests_are_counted_by_route_and_status() {
        let metrics = Metrics::new();
        let label = RouteLabel::new(Endpoint::Version, Some(ArtifactKind::Facet));
        metrics.record(label, 200, Duration::from_micros(700));
        metrics.record(label, 200, Duration::from_secs(100));
        metrics.record(label, 418, Duration::from_micros(1));
        let outside = OutsideCounts { jobs_queued: Some(4), ..OutsideCounts::default() };
        let page = metrics.render("1.2.3", &outside);
        let lines = [
            r#"facet_registry_build_info{version="1.2.3"} 1"#,
            r#"facet_registry_requests_total{route="/v0/facets/{name}/{version}",status="200"} 2"#,
            r#"facet_registry_requests_total{route="/v0/facets/{name}/{version}",status="other"} 1"#,
            r#"facet_registry_request_duration_seconds_bucket{route="/v0/facets/{name}/{version}",le="0.000500"} 1"#,
            r#"facet_registry_request_duration_seconds_bucket{route="/v0/facets/{name}/{version}",le="0.001000"} 2"#,
            r#"facet_registry_request_duration_seconds_bucket{route="/v0/facets/{name}/{version}",le="+Inf"} 3"#,
            r#"facet_registry_request_duration_seconds_count{route="/v0/facets/{name}/{version}"} 3"#,
            r#"facet_registry_probe_jobs{state="queued"} 4"#,
        ];
        for line in lines {
            assert!(page.lines().any(|found| found == line), "{line} is not in {page}");
        }
        assert!(!page.contains("archive"), "what was not called is left out");
    }
}
