import Delivery
import Testing

@testable import keyturn

@Suite("Configuration: programs that get the audit log")
struct AuditConfigurationTests {
    private static let secret = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="

    private static func stream(_ members: String) -> String {
        "audit:\n  streams:\n    - { \(members) }"
    }

    @Test func `a stream is a webhook or a syslog server`() throws {
        let streams = try Sample.accepted(
            Self.stream("name: siem, webhook: 'https://s.example/k', secret: '\(Self.secret)', actions: ['sign_in.*']")
                + "\n    - { name: logs-1, syslog: 'tls://[2001:db8::1]:6514', ca_file: /etc/ca.pem }"
        ).audit.streams
        #expect(streams.map(\.name) == ["siem", "logs-1"] && streams[0].actions == ["sign_in.*"])
        guard case .webhook("https://s.example/k", .some) = streams[0].target else {
            Issue.record("the first one is a webhook")
            return
        }
        guard case .syslog(let settings) = streams[1].target else {
            Issue.record("the second one is a syslog server")
            return
        }
        #expect(settings.security == .tls && settings.port == 6_514 && settings.authoritiesFile == "/etc/ca.pem")
        #expect(settings.host == "2001:db8::1")
        let receiver = try Sample.accepted(
            Self.stream(
                "name: p, receiver: 'https://p.example/e', audience: 'https://p.example', authorization: 'Bearer x'")
        ).audit.streams.first
        guard case .receiver("https://p.example/e", "https://p.example", .some) = receiver?.target else {
            Issue.record("this one is a receiver of shared signals")
            return
        }
        #expect(try Sample.accepted("").audit.streams.isEmpty)
        #expect(try Sample.accepted("").audit.retentionDays == 365)
        #expect(try Sample.accepted("audit: { retention_days: 30 }").audit.retentionDays == 30)
        #expect(Sample.mistakes("audit: { retention_days: 29 }") == ["1 audit.retention_days"])
    }

    static let mistakes: [(String, String)] = [
        ("webhook: 'https://s.example/k'", "name"),
        ("name: Siem, webhook: 'https://s.example/k'", "name"),
        ("name: '', webhook: 'https://s.example/k'", "name"),
        ("name: a", "webhook"),
        ("name: a, webhook: 'https://s.example/k', syslog: 'udp://h:514'", "syslog"),
        ("name: a, webhook: 'http://s.example/k'", "webhook"),
        ("name: a, webhook: 'https://s.example/k', secret: 'hush hush'", "secret"),
        ("name: a, webhook: 'https://s.example/k', ca_file: x", "ca_file"),
        ("name: a, syslog: 'h:514'", "syslog"),
        ("name: a, syslog: 'udp://h'", "syslog"),
        ("name: a, syslog: 'http://h:514'", "syslog"),
        ("name: a, syslog: 'udp://h:514/x'", "syslog"),
        ("name: a, syslog: 'udp://h:514', ca_file: x", "ca_file"),
        ("name: a, syslog: 'udp://h:514', secret: '\(secret)'", "secret"),
        ("name: a, syslog: 'udp://h:514', action: x", "action"),
        ("name: a, syslog: 'udp://h:514', actions: []", "actions"),
        ("name: a, syslog: 'udp://h:514', actions: ['Sign in']", "actions[0]"),
        ("name: a, receiver: 'https://p.example/e'", "audience"),
        ("name: a, receiver: 'https://p.example/e', audience: p, secret: '\(secret)'", "secret"),
        ("name: a, receiver: 'http://p.example/e', audience: p", "receiver"),
        ("name: a, webhook: 'https://s.example/k', audience: p", "audience"),
        ("name: a, webhook: 'https://s.example/k', receiver: 'https://p.example/e', audience: p", "receiver"),
    ]

    @Test(arguments: mistakes)
    func `what is wrong with a stream is reported where it stands`(_ members: String, _ key: String) {
        let found = Sample.problems(Self.stream(members)).filter { $0.severity == .mistake }.map(\.path)
        #expect(found.contains("audit.streams[0].\(key)"), "\(found)")
    }

    @Test func `two streams of one name would be one`() {
        let found = Sample.problems(
            Self.stream("name: a, syslog: 'udp://h:514'") + "\n    - { name: a, syslog: 'udp://i:514' }")
        #expect(found.filter { $0.severity == .mistake }.map(\.path) == ["audit.streams[1].name"])
    }
}
