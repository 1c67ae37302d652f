internal import Foundation
internal import Telemetry

/// What Prometheus' client libraries say of each process, read from `/proc` (Linux); elsewhere nothing.
struct ProcessMetrics: Sendable {
    /// In seconds since 1970; `nil` where the system does not say.
    private let startedAt = Self.startTime()

    var families: [MetricFamily] {
        var all: [MetricFamily] = []
        func add(_ name: String, _ help: String, _ value: Double?) {
            guard let value else { return }
            let kind: MetricFamily.Kind = name.hasSuffix("_total") ? .counter : .gauge
            all.append(MetricFamily(name, help, kind, samples: [.init(value)]))
        }
        let numbers = Self.statistics()
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        add(
            "process_cpu_seconds_total", "Time on processors, user and system.",
            numbers.map { ($0[11] + $0[12]) / ticks })
        add("process_threads", "Threads of the process.", numbers.map { $0[17] })
        add("process_virtual_memory_bytes", "Addresses in use.", numbers.map { $0[20] })
        add(
            "process_resident_memory_bytes", "Memory in use.",
            numbers.map { $0[21] * Double(sysconf(Int32(_SC_PAGESIZE))) })
        add("process_open_fds", "Open files and connections.", Self.openFiles().map(Double.init))
        add("process_max_fds", "Most files and connections.", Self.openFilesMax())
        add("process_start_time_seconds", "When the process began.", startedAt)
        return all
    }

    /// The fields of `/proc/self/stat` from the third on, the state, which counts as 0 (proc(5)).
    private static func statistics() -> [Double]? {
        guard let text = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8),
            // The second field is the program's name in parentheses, and may hold anything.
            let end = text.lastIndex(of: ")")
        else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ").map { Double($0) ?? 0 }
        return fields.count > 21 ? fields : nil
    }

    private static func openFiles() -> Int? {
        try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    private static func openFilesMax() -> Double? {
        guard let text = try? String(contentsOfFile: "/proc/self/limits", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("Max open files") })
        else { return nil }
        return line.split(separator: " ").dropFirst(3).first.flatMap { Double($0) }
    }

    private static func startTime() -> Double? {
        guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("btime ") }),
            let boot = line.split(separator: " ").last.flatMap({ Double($0) }), let numbers = statistics()
        else { return nil }
        return boot + numbers[19] / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}
