internal import ArgumentParser
internal import Foundation
internal import Keyturn
internal import KeyturnBase

/// `keyturn top`: what a running server does, second by second.
struct TopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Watch a running server: requests, sign-ins, refreshes, queues, keys.",
        discussion: """
            Reads /metrics of the server every second, until q or Ctrl-C. A server on this machine needs no key. For \
            another one, set KEYTURN_MANAGEMENT_KEY to one of its project.management_keys, or name a file with \
            --key-file. Numbers per second are those of the last interval. Without a terminal, and with --json, each \
            reading is printed below the last one; --once ends after the first.
            """)

    @Option(help: ArgumentHelp("The server's address.", valueName: "url"))
    var url = "http://127.0.0.1:8080"

    @Option(help: ArgumentHelp("A file that holds a management key.", valueName: "file"))
    var keyFile: String?

    @Option(help: ArgumentHelp("Seconds between readings, 1 to 3600.", valueName: "seconds"))
    var interval = 1

    @Flag(help: "Print one reading, and end.")
    var once = false

    @Flag(help: "Print one JSON object a line instead of text.")
    var json = false

    func validate() throws {
        guard (1...3_600).contains(interval) else { throw ValidationError("--interval: 1 to 3600 seconds.") }
        guard let parts = URIParts(url), ["http", "https"].contains(parts.scheme), parts.host != nil else {
            throw ValidationError("--url: write the server's address, such as https://id.example.com.")
        }
    }

    func run() async throws {
        let source = try MetricSource(url: url, key: ManagementKeySource.key(file: keyFile))
        var last = try await source.read()
        let terminal = once || json ? nil : TopTerminal()
        defer { terminal?.restore() }
        repeat {
            if let terminal {
                if await terminal.waitForQuit(seconds: interval) { return }
            } else {
                try await Task.sleep(for: .seconds(interval))
            }
            let next = try await source.read()
            let activity = ServerActivity(
                next.reading, since: last.reading, seconds: Double(next.ticks - last.ticks) / 1_000)
            last = next
            show(activity, on: terminal)
        } while !once
    }

    private func show(_ activity: ServerActivity, on terminal: TopTerminal?) {
        guard !json else { return Report.json(activity.json) }
        let now = Ambient.live.now()
        if let terminal {
            let screen = TopScreen(url: url, width: terminal.width, height: terminal.height, isStyled: true)
            terminal.show(screen, activity, now)
        } else {
            let screen = TopScreen(url: url, width: Self.plainWidth, height: Self.plainHeight, isStyled: false)
            Live.write(screen.lines(activity, at: now).joined(separator: "\n") + "\n\(once ? "" : "\n")")
        }
    }

    private static let plainWidth = 100
    private static let plainHeight = 40
}

/// Reads the metrics of one server.
struct MetricSource: Sendable {
    private let url: String
    private let key: Secret?
    private let transport = NetworkTransport(responseBytesMax: MetricReading.bytesMax)
    private static let timeoutSeconds = 10

    /// - Throws: ``CommandFailure`` if the numbers, and the key, would travel unprotected.
    init(url: String, key: Secret?) throws {
        guard let parts = URIParts(url), parts.scheme == "https" || parts.isLoopback else {
            throw CommandFailure.refused("--url: only a server on this machine is asked by http; write https://….")
        }
        let base = url.hasSuffix("/") ? String(url.dropLast()) : url
        self.url = base.hasSuffix("/metrics") ? base : base + "/metrics"
        self.key = key
    }

    /// - Returns: the numbers, and when they were read, by a clock of milliseconds.
    /// - Throws: ``CommandFailure`` with what to do.
    func read() async throws -> (reading: MetricReading, ticks: Int64) {
        var headers = [("Accept", "text/plain; version=0.0.4")]
        if let key { headers.append(("Authorization", "Bearer \(key.exposed())")) }
        let response: HTTPResponse
        do {
            response = try await transport.send(
                HTTPRequest(method: "GET", url: url, headers: headers, timeoutSeconds: Self.timeoutSeconds))
        } catch {
            throw CommandFailure.unreachable("no answer from \(url): is the server running, and the address right?")
        }
        let ticks = Ambient.live.coarseMilliseconds()
        switch response.status {
        case 200: break
        case 404:
            throw CommandFailure.refused(
                "\(url) is shown to its own machine and with a management key: set KEYTURN_MANAGEMENT_KEY, or use "
                    + "--key-file.")
        default: throw CommandFailure.failed("\(url) answered with status \(response.status).")
        }
        guard let reading = MetricReading(String(decoding: response.body, as: UTF8.self)) else {
            throw CommandFailure.failed("\(url) has no metrics in Prometheus' text format.")
        }
        return (reading, ticks)
    }
}
