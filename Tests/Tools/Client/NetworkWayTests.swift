import Foundation
import KeyturnBase
import KeyturnVerify
import Testing

@testable import keyturn

@Suite("Client commands: proxies and certificate authorities")
struct NetworkWayTests {
    private func proxy(_ environment: [String: String], to url: String = "https://id.example.com") throws -> Proxy? {
        try ProxyRules(environment).proxy(to: try #require(URIParts(url)))
    }

    @Test(
        arguments: [
            ("http://proxy:3128", "proxy", 3128, nil, nil), ("proxy:3128", "proxy", 3128, nil, nil),
            ("http://proxy", "proxy", 80, nil, nil), ("http://10.0.0.1:1/", "10.0.0.1", 1, nil, nil),
            ("10.0.0.1:3128", "10.0.0.1", 3128, nil, nil), ("http://[2001:db8::1]:8080", "2001:db8::1", 8080, nil, nil),
            ("http://ann:p%40ss:word@proxy:3128", "proxy", 3128, "ann", "p@ss:word"),
            ("http://ann@proxy:3128", "proxy", 3128, "ann", nil),
        ] as [(String, String, Int, String?, String?)])
    func `a proxy is read as it is usually written`(
        _ text: String, _ host: String, _ port: Int, _ user: String?, _ password: String?
    ) throws {
        let found = try #require(try proxy(["HTTPS_PROXY": text]))
        #expect(found.host == host && found.port == port && found.user == user)
        #expect(found.password?.exposed() == password)
    }

    @Test(arguments: ["socks5://proxy:1080", "https://proxy:443", "http://:3128", "http://ann:secret@", "http://a b"])
    func `a proxy of another kind is refused by its variable, without its password`(_ text: String) throws {
        let error = try #require(throws: AuthError.self) { try proxy(["https_proxy": text]) }
        #expect(
            error.code == .misconfigured && error.detail.hasPrefix("https_proxy ") && !error.detail.contains("secret"))
    }

    @Test func `small letters count first, and an empty variable is none`() throws {
        let both = ["HTTPS_PROXY": "http://large:1", "https_proxy": "http://small:1"]
        #expect(try proxy(both)?.host == "small")
        #expect(try proxy(both.merging(["https_proxy": ""]) { $1 })?.host == "large")
        #expect(try proxy(["HTTP_PROXY": "http://plain:1"]) == nil, "that is for plain http, which is not spoken")
        #expect(try proxy([:]) == nil)
    }

    @Test(arguments: ["https://localhost:8443", "https://127.0.0.1", "http://127.0.0.1:8080", "https://[::1]:1"])
    func `this machine is reached without a proxy`(_ url: String) throws {
        #expect(try proxy(["HTTPS_PROXY": "http://p:1", "HTTP_PROXY": "http://p:1"], to: url) == nil)
    }

    @Test(arguments: [
        ("example.com", true), (".example.com", true), ("*.example.com", true), ("ID.Example.COM", true), ("*", true),
        ("other, id.example.com", true), ("other id.example.com", true), ("id.example.com:443", true),
        ("id.example.com:8443", false), ("ample.com", false), ("example.com.test", false), ("10.0.0.0/8", false),
        ("", false), (",,", false), ("http://x/y", false),
    ])
    func `what NO_PROXY lists is reached without it`(_ list: String, _ isListed: Bool) throws {
        let found = try proxy(["HTTPS_PROXY": "http://p:1", "NO_PROXY": list])
        #expect((found == nil) == isListed)
    }

    @Test(arguments: ["10.0.0.0/8", "10.1.2.3", "10.1.2.3:443", "*"])
    func `addresses are listed alone or as ranges`(_ list: String) throws {
        #expect(try proxy(["HTTPS_PROXY": "http://p:1", "no_proxy": list], to: "https://10.1.2.3") == nil)
    }

    @Test func `a server that is an address is not asked through a proxy, for its certificate would not be its own`()
        throws
    {
        let error = try #require(throws: AuthError.self) {
            try proxy(["HTTPS_PROXY": "http://p:1", "NO_PROXY": "10.1.2.4"], to: "https://10.1.2.3")
        }
        #expect(error.code == .misconfigured && error.detail.contains("NO_PROXY"))
    }

    @Test func `a file of authorities without certificates is named, with where it was named`() async throws {
        let path = NSTemporaryDirectory() + "keyturn-" + Ambient.live.randomToken(byteCount: 8)
        try Data("no certificate".utf8).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let cases: [(transport: NetworkTransport, source: String)] = [
            (NetworkTransport(caFile: path, environment: [:]), "--ca-file: \(path)"),
            (NetworkTransport(caFile: path + "-none", environment: [:]), "--ca-file: \(path)-none"),
            (NetworkTransport(environment: ["SSL_CERT_FILE": path]), "SSL_CERT_FILE: \(path)"),
        ]
        for (transport, source) in cases {
            let error = await #expect(throws: AuthError.self) {
                try await transport.send(HTTPRequest(url: "https://id.example.invalid"))
            }
            #expect(error?.code == .misconfigured && error?.detail.hasPrefix(source) == true)
        }
    }

    @Test func `what a user can mend is told instead of another try`() {
        let certificate = AuthError(.unavailable, "the certificate is bad", cause: NetworkProblem.untrustedCertificate)
        let later = AuthError(.unavailable, "try again in 3 seconds", cause: certificate)
        for error in [certificate, later] {
            let failure = ClientFailure.failure(for: error)
            #expect(failure.code == 3 && failure.sentence == "the certificate is bad. Nobody was signed out.")
        }
        #expect(ClientFailure.failure(for: AuthError(.unavailable, "no answer")).sentence.hasSuffix("; try again."))
    }
}

extension KnownContainersTests {
    @Test func `authorities and options are remembered for the issuer that needs them`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var choice = ServiceChoice(service: .keyturn, issuer: "https://id", clientID: "cli")
        choice.caFile = "/etc/corp/ca.pem"
        choice.how = ["--device", "--audience", "two words"]
        known.remember(choice, as: "work")
        #expect(known.read()["work"] == choice)
        let same = try ServiceChoice(
            service: nil, issuer: nil, clientID: nil, environment: [:], remembered: known.read()["work"])
        #expect(same.caFile == "/etc/corp/ca.pem")
        let other = try ServiceChoice(
            service: nil, issuer: "https://other", clientID: nil, environment: [:], remembered: known.read()["work"])
        #expect(other.caFile == nil)
    }
}
