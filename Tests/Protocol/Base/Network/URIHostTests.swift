import KeyturnBase
import Testing

@Suite("Hosts of URIs, RFC 3986 §3.2.2 and RFC 6761 §6.3")
struct URIHostTests {
    @Test(
        "`a host has one text`",
        arguments: [
            ("app.example.com", "app.example.com"), ("APP.Example.COM", "app.example.com"), ("localhost", "localhost"),
            ("xn--bcher-kva.example", "xn--bcher-kva.example"), ("a_b.example", "a_b.example"),
            ("1password.com", "1password.com"),
            ("4.example", "4.example"), ("0xa.example", "0xa.example"), ("0xyz", "0xyz"), ("192.0.2.1", "192.0.2.1"),
            ("2001:DB8::0:1", "2001:db8::1"), ("::ffff:127.0.0.1", "127.0.0.1"),
        ])
    func host(text: String, canonical: String) {
        #expect(URIHost(text)?.text == canonical)
    }

    @Test(
        "`what two readers could take for two hosts is none`",
        arguments: [
            "", ".", "a..b", ".example.com", "example.com.", "127.0.0.1.", "0177.0.0.1", "127.1", "127.0.1",
            "2130706433",
            "0x7f000001", "0x7f.1", "0x", "1.2.3.0X4", "1.2.3.4.5", "256.0.0.1", "evil.test%2f.example.com",
            "%5B::1%5D",
            "[::1]", "::1%lo", "fe80::1%25eth0", "bücher.example", "example。com", "ｌocalhost", "a b", "a/b", "a\\b",
            "a@b", "a:80", "a\u{0}", "a\n", "*.example.com", "a,b", "a;b",
        ])
    func refused(text: String) {
        #expect(URIHost(text) == nil)
    }

    @Test func `names have a length`() {
        let label = String(repeating: "a", count: 63)
        #expect(URIHost(label) != nil && URIHost(label + "a") == nil)
        let name = [label, label, label, String(label.dropLast(2))].joined(separator: ".")
        #expect(URIHost(name) != nil && name.utf8.count == 253)
        #expect(URIHost(name + "a") == nil)
    }

    @Test(
        "`one rule says what this machine is`",
        arguments: [
            ("localhost", true, true), ("LOCALHOST", true, true), ("127.0.0.1", true, true), ("127.8.9.10", true, true),
            ("::1", true, true), ("0:0:0:0:0:0:0:1", true, true), ("::ffff:127.0.0.1", true, true),
            ("app.localhost", false, true), ("a.b.localhost", false, true), ("localhost.evil", false, false),
            ("localhost.localdomain", false, false), ("evillocalhost", false, false),
            ("127.0.0.1.evil.test", false, false), ("0.0.0.0", false, false), ("::", false, false),
            ("10.0.0.1", false, false), ("128.0.0.1", false, false),
        ])
    func loopback(text: String, isLoopback: Bool, inBrowsers: Bool) throws {
        let host = try #require(URIHost(text))
        #expect(host.isLoopback == isLoopback)
        #expect(host.isLoopbackInBrowsers == inBrowsers)
    }

    @Test func `addresses of IPv6 stand in brackets`() {
        #expect(URIHost("::1")?.authority == "[::1]" && URIHost("::1")?.text == "::1")
        #expect(URIHost("192.0.2.1")?.authority == "192.0.2.1" && URIHost("a.example")?.authority == "a.example")
        #expect(URIHost("a.example")?.address == nil && URIHost("::1")?.address == .loopbackV6)
    }
}
