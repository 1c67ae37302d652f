internal import CoreMetrics
internal import Foundation
internal import Logging
internal import Model
internal import ServiceLifecycle
internal import SignIn
internal import StoreSQL
internal import Telemetry
internal import Tracing
internal import Web

/// What the program measures: the backend of swift-metrics for the whole process, and what records to it.
struct ServerTelemetry: Sendable {
    let metrics: ServiceMetrics
    /// The threads for passwords.
    let passwordHashing: HashingPool
    /// The threads for the secrets of data keys.
    let keyHashing: HashingPool
    /// Sends spans; `nil`: nothing is traced.
    private let traces: TraceService?
    private let registry: MetricRegistry
    private let process = ProcessMetrics()

    /// Once in a process: libraries that record through swift-metrics and swift-distributed-tracing record here from now
    /// on.
    ///
    /// - Parameter tracing: where traces go; `nil`: nothing is traced.
    init(_ tracing: TracingConfiguration?, logger: Logger) {
        registry = ServerMetrics.makeRegistry()
        MetricsSystem.bootstrap(registry)
        let processors = ProcessInfo.processInfo.activeProcessorCount
        metrics = ServiceMetrics()
        traces = tracing.map { TraceService($0, logger: logger) }
        if let traces { InstrumentationSystem.bootstrap(traces.tracer) }
        passwordHashing = HashingPool(threads: processors)
        keyHashing = HashingPool(
            threads: processors, backlogMax: Limits.keyHashBacklogMax, metrics: HashingMetrics(pool: "data_keys"))
    }

    /// What runs beside the requests, and ends after them.
    var services: [any Service] { traces.map { [$0] } ?? [] }

    /// The database, with its calls counted and timed.
    func observed(_ database: any SQLDatabase) -> any SQLDatabase { ObservedDatabase(database) }

    /// Shows all of it at `/metrics`.
    ///
    /// - Parameters:
    ///   - database: whose commits are counted, if it counts them.
    ///   - measurements: of what runs beside the requests.
    func show(
        in options: inout WebServer.Options, _ database: any SQLDatabase,
        beside measurements: [@Sendable () -> [WebServer.Measurement]]
    ) {
        options.registry = registry
        options.measurements = { measurements.flatMap { $0() } }
        options.metricFamilies = { [self] in
            process.families + hashing + [build] + [commits(of: database)].compactMap(\.self)
        }
    }

    private var hashing: [MetricFamily] {
        func family(_ name: String, _ help: String, _ value: (HashingPool) -> Int) -> MetricFamily {
            MetricFamily(
                name, help, .gauge,
                samples: [("passwords", passwordHashing), ("data_keys", keyHashing)].map { pool, threads in
                    .init(Double(value(threads)), labels: [MetricLabel("pool", pool)])
                })
        }
        return [
            family("keyturn_hashing_queue_length", "Hashes that wait for a thread.", \.waitingJobs),
            family("keyturn_hashing_threads", "Threads that hash.", \.threads),
            family("keyturn_hashing_threads_busy", "Threads that are hashing.") { $0.threads - $0.idleThreads },
        ]
    }

    private var build: MetricFamily {
        MetricFamily(
            "keyturn_build_info", "The program that runs; always 1.", .gauge,
            samples: [.init(1, labels: [MetricLabel("version", ProgramVersion.text)])])
    }

    private func commits(of database: any SQLDatabase) -> MetricFamily? {
        (database as? SQLiteDatabase).map { database in
            MetricFamily(
                "keyturn_store_commits_total", "Commits of SQLite; one holds the changes of many requests.", .counter,
                samples: [.init(Double(database.commitCount))])
        }
    }
}
