import KeyturnBase
import Logging
import Model
import NIOCore
import NIOHTTP1
import ServerTesting
import Synchronization
import Testing

@testable import Web

@Suite("Where a request comes from")
struct ClientAddressTests {
    private static let proxy = "10.0.0.1"
    private static let reports = ForwardingReports()

    private func address(
        _ forwarded: String?, peer: String = proxy, trusted: [String] = ["10.0.0.0/24", "2001:db8:9::/48"],
        host: String = "id.example.com", reports: ForwardingReports = reports
    ) throws -> NetworkAddress? {
        var fields: HTTPHeaders = ["host": host]
        if let forwarded { fields.add(name: "X-Forwarded-For", value: forwarded) }
        let addresses = ClientAddress(
            trustedProxies: try trusted.map(IPAddressRange.init), issuer: "https://id.example.com", reports: reports)
        return addresses.address(of: Self.request(fields), Self.context(peer))
    }

    static func request(
        _ fields: HTTPHeaders, _ target: String = "/metrics", version: HTTPVersion = .http1_1
    ) -> Request {
        Request(
            HTTPRequestHead(version: version, method: .GET, uri: target, headers: fields), body: .whole(ByteBuffer()))
    }

    static func context(_ peer: String?) -> WebContext {
        WebContext(peer: Peer(peer), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    @Test(arguments: [
        ("198.51.100.7", "198.51.100.7"), ("198.51.100.7:51234", "198.51.100.7"), ("198.51.100.7:1", "198.51.100.7"),
        ("  198.51.100.7:65535\t", "198.51.100.7"), ("\"198.51.100.7:80\"", "198.51.100.7"),
        ("2001:db8::1", "2001:db8::1"), ("[2001:db8::1]", "2001:db8::1"), ("[2001:db8::1]:443", "2001:db8::1"),
        ("\"[2001:db8::1]:443\"", "2001:db8::1"), ("2001:DB8:0::1", "2001:db8::1"), ("fe80::1%eth0", "fe80::1"),
        ("[fe80::1%25eth0]:80", "fe80::1"), ("::ffff:198.51.100.7", "198.51.100.7"),
        ("[::ffff:198.51.100.7]:9", "198.51.100.7"), ("203.0.113.9, 198.51.100.7:5", "198.51.100.7"),
        ("198.51.100.7:5, 10.0.0.9:443", "198.51.100.7"), ("198.51.100.7:5,[2001:db8:9::1]:80", "198.51.100.7"),
        ("garbage, 198.51.100.7:5", "198.51.100.7"), ("198.51.100.7,", "198.51.100.7"),
        ("10.0.0.7:5, 10.0.0.9", "10.0.0.7"),
    ])
    func `a proxy may write a port and brackets`(_ forwarded: String, _ expected: String) throws {
        #expect(try address(forwarded)?.text == expected)
    }

    /// The address of the proxy would be everybody's: one client's guesses would slow down all others.
    @Test(arguments: [
        "unknown", "_hidden", "", " ", ",", "198.51.100", "198.51.100.7:", "198.51.100.7:x", "198.51.100.7:65536",
        "198.51.100.7:-1", "198.51.100.7:123456", "[198.51.100.7]", "[198.51.100.7]:80", "[2001:db8::1", "2001:db8::1]",
        "[2001:db8::1]443", "[2001:db8::1]:", "[]", "[]:80", "1 98.51.100.7", "localhost", "198.51.100.7 extra",
        "198.51.100.7, unknown", "198.51.100.7, _hidden:80", "198.51.100.7, unknown, 10.0.0.9", "\"", "\"\"",
        "for=198.51.100.7", "198.51.100.7;198.51.100.8",
    ])
    func `80: a client whose proxy does not say where it is never has the proxy's address`(_ forwarded: String) throws {
        let reports = ForwardingReports()
        #expect(try address(forwarded, reports: reports) == nil)
        #expect(reports.number == 1)
    }

    @Test func `80: a trusted proxy that says nothing does not lend its address`() throws {
        let reports = ForwardingReports()
        #expect(try address(nil, reports: reports) == nil)
        #expect(try address(nil, peer: "127.0.0.1", trusted: ["127.0.0.1/32"], reports: reports) == nil)
        #expect(reports.number == 2)
        // A program on the proxy's machine that asks without it.
        let own = try address(nil, peer: "127.0.0.1", trusted: ["127.0.0.1/32"], host: "localhost:80", reports: reports)
        #expect(own?.text == "127.0.0.1" && reports.number == 2)
    }

    @Test func `any other peer is taken at its own address, whatever it forwards`() throws {
        for forwarded in ["198.51.100.7", "unknown", nil] {
            #expect(try address(forwarded, peer: "203.0.113.5")?.text == "203.0.113.5")
            #expect(try address(forwarded, trusted: [])?.text == Self.proxy)
        }
    }

    @Test func `the operator is told once a minute, and every request is counted`() {
        let reports = ForwardingReports()
        let lines = Lines()
        let logger = Logger(label: "test") { _ in lines }
        let start = ContinuousClock.now
        for second in [0, 1, 59] { reports.unknownClient(logger, now: start + .seconds(second)) }
        #expect(lines.all.withLock { $0.count } == 1)
        reports.unknownClient(logger, now: start + .seconds(60))
        let texts = lines.all.withLock { $0 }
        #expect(texts.count == 2 && Set(texts).count == 1 && reports.number == 4)
    }

    /// The messages of a log.
    private final class Lines: LogHandler, Sendable {
        let all = Mutex<[String]>([])
        var metadata: Logger.Metadata {
            get { [:] }
            set {}
        }
        var logLevel: Logger.Level {
            get { .trace }
            set {}
        }
        subscript(metadataKey _: String) -> Logger.Metadata.Value? {
            get { nil }
            set {}
        }

        func log(event: LogEvent) { all.withLock { $0.append("\(event.message)") } }
    }
}

@Suite("What counts as this machine")
struct LocalRequestTests {
    private func isLocal(
        _ fields: HTTPHeaders, peer: String? = "127.0.0.1", target: String = "/metrics",
        version: HTTPVersion = .http1_1, issuer: String = "https://id.example.com"
    ) -> Bool {
        ClientAddress(trustedProxies: [], issuer: issuer, reports: ForwardingReports()).isLocal(
            ClientAddressTests.request(fields, target, version: version), ClientAddressTests.context(peer))
    }

    @Test(arguments: [
        "localhost", "localhost:8080", "LocalHost:80", "127.0.0.1", "127.0.0.1:8080", "127.255.255.254:1", "[::1]",
        "[::1]:8080", "[0:0:0:0:0:0:0:1]:80", "[::ffff:127.0.0.1]:80",
    ])
    func `a loopback host, at any port`(_ host: String) {
        for peer in ["127.0.0.1", "127.0.0.9", "::1", "::ffff:127.0.0.1"] {
            #expect(isLocal(["host": host], peer: peer), "\(peer)")
        }
        #expect(isLocal(["host": host], target: "http://localhost:8080/metrics"))
    }

    /// A page of another site whose name was made to resolve to this machine.
    @Test(arguments: [
        "evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", "evil-localhost",
        "evil.localhost:8080", "127.0.0.1.nip.io", "0.0.0.0:8080", "[::]:8080", "192.0.2.1", "10.0.0.1:8080",
        "[2001:db8::1]", "127.1", "2130706433", "0x7f000001", "017700000001", "[127.0.0.1]", "[::1%25lo]",
        "id.example.com",
    ])
    func `no other host, however it resolves`(_ host: String) {
        #expect(!isLocal(["host": host]))
        #expect(!isLocal(["host": "localhost"], target: "http://\(host)/metrics"))
    }

    @Test func `a request that names no host, or a peer elsewhere`() {
        #expect(!isLocal([:]))
        #expect(!isLocal([:], version: .http1_0))
        for peer in ["192.0.2.1", "10.0.0.1", "2001:db8::1", "128.0.0.1", nil] {
            #expect(!isLocal(["host": "localhost"], peer: peer))
        }
    }

    /// nginx asks with HTTP/1.0, and names its upstream, unless told otherwise.
    @Test(arguments: [
        "X-Forwarded-For", "x-forwarded-for", "X-FORWARDED-FOR", "X-Forwarded-Host", "X-Forwarded-Proto",
        "X-Forwarded-Port", "X-Forwarded-Server", "X-Forwarded-Prefix", "X-Forwarded", "Forwarded", "forwarded", "Via",
        "X-Real-IP", "X-Client-IP", "True-Client-IP", "CF-Connecting-IP", "CF-Ray", "Fastly-Client-IP",
        "X-Cluster-Client-IP", "X-Original-Forwarded-For", "X-Original-URL", "X-Original-Host", "CDN-Loop",
        "X-Envoy-External-Address", "X-Azure-ClientIP", "X-Azure-SocketIP", "X-ProxyUser-Ip", "X-ARR-LOG-ID",
        "X-Amzn-Trace-Id", "X-AppEngine-User-IP", "Fly-Client-IP",
    ])
    func `not through a proxy on this machine`(_ field: String) {
        for value in ["127.0.0.1", "for=127.0.0.1", ""] {
            #expect(!isLocal(["host": "localhost:8080", field: value]))
        }
    }

    @Test func `a proxy that hides itself still speaks HTTP 1.0`() {
        #expect(!isLocal(["host": "127.0.0.1:8080"], version: .http1_0))
    }

    @Test func `what monitoring sends is no forwarding`() {
        #expect(
            isLocal([
                "host": "localhost:8080", "accept": "text/plain", "user-agent": "Prometheus/3.0",
                "x-prometheus-scrape-timeout-seconds": "10", "accept-encoding": "gzip", "traceparent": "00-1-2-01",
            ]))
    }

    @Test func `the server's own name, if browsers stay on this machine for it`() {
        let host: HTTPHeaders = ["host": "keyturn.localhost:8080"]
        #expect(isLocal(host, issuer: "http://keyturn.localhost:8080"))
        #expect(!isLocal(host, issuer: "http://other.localhost:8080"))
        #expect(!isLocal(["host": "id.example.com"], issuer: "http://id.example.com:8080"))
    }

    @Test func `a page that rebinds its name reads nothing of a development server`() async throws {
        let server = try await TestServer.start(
            outbox: NoOutbox(),
            demonstration: Demonstration(username: "a", password: "b", clientID: "tool", commands: []),
            movableClock: DevelopmentClock())
        let paths = [
            "/dev/outbox", "/dev/outbox.json", "/dev/theme", "/dev/try", "/dev/callback", "/dev/time", "/metrics",
        ]
        for path in paths {
            let own = try await server.get(path)
            #expect(own.status == 200 || own.status == 303, "\(path): \(own.status)")
            for fields in ["Host: evil.example", "Host: localhost\r\nX-Real-IP: 192.0.2.1"] {
                let rebound = try await server.answers(to: "GET \(path) HTTP/1.1\r\n\(fields)\r\n\r\n")
                #expect(rebound.statuses == [path == "/metrics" ? "404" : "403"], "\(path): \(rebound.text)")
                rebound.close()
            }
            let key = try await server.send(
                "GET", path,
                headers: [("Authorization", "Bearer \(TestServer.managementKey)"), ("X-Real-IP", "192.0.2.1")],
                body: nil)
            // The clock is moved by this machine alone.
            #expect((key.status < 400) == (path != "/dev/time"), "\(path): \(key.status)")
        }
        await server.stop()
    }
}
