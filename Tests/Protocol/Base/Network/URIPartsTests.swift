import KeyturnBase
import Testing

@Suite("URIs, RFC 3986")
struct URIPartsTests {
    @Test func `a URI has its parts`() throws {
        let parts = try URIParts(parsing: "HTTPS://User:x@App.Example.com:8443/A/%2F;b?q=1&r=/?#top/?")
        #expect(parts.scheme == "https" && parts.userinfo == "User:x" && parts.host?.text == "app.example.com")
        #expect(
            parts.port == 8443 && parts.path == "/A/%2F;b" && parts.query == "q=1&r=/?" && parts.fragment == "top/?")
        let bare = try URIParts(parsing: "https://a.example")
        #expect(
            bare.userinfo == nil && bare.port == nil && bare.path.isEmpty && bare.query == nil && bare.fragment == nil)
        let empty = try URIParts(parsing: "https://@a.example?#")
        #expect(empty.userinfo?.isEmpty == true && empty.query?.isEmpty == true && empty.fragment?.isEmpty == true)
    }

    @Test func `a scheme of one's own needs no host`() throws {
        let app = try URIParts(parsing: "com.example.app:/callback?x")
        #expect(app.scheme == "com.example.app" && app.host == nil && app.path == "/callback" && app.query == "x")
        #expect(try URIParts(parsing: "myapp://callback").host?.text == "callback")
        #expect(try URIParts(parsing: "myapp:///callback").host == nil)
        #expect(try URIParts(parsing: "urn:example:api").path == "example:api")
        #expect(try URIParts(parsing: "myapp:a@b").userinfo == nil, "a path")
    }

    @Test(
        "`what is no URI says why`",
        arguments: [
            ("", URIParts.Problem.scheme), ("callback", .scheme), ("/callback", .scheme), ("//a.example", .scheme),
            ("://a.example", .scheme), ("1https://a.example", .scheme), ("ht_tp://a.example", .scheme),
            ("a/b:c", .scheme),
            ("https://a b", .character), (" https://a.example", .character), ("https://a.example/\n", .character),
            ("https://a.example/\r\nX: y", .character), ("https://a.example/\u{0}", .character),
            ("https://a.example/\u{7F}", .character), ("https://a.example\\b", .character),
            ("https://evil.test\\@a.example", .character), ("https://a.example/\"x", .character),
            ("https://a.example/<x>", .character), ("https://a.example/{x}", .character),
            ("https://a.example/a|b", .character),
            ("https://bücher.example/", .character), ("https://a.example/é", .character),
            ("https://a.example/%", .character),
            ("https://a.example/%2", .character), ("https://a.example/%zz", .character),
            ("https://a.example/#a#b", .character), ("https://a.example:/", .authority),
            ("https://a.example:0/", .authority), ("https://a.example:080/", .authority),
            ("https://a.example:65536/", .authority), ("https://a.example:+80/", .authority),
            ("https://a.example:8a/", .authority), ("https://a.example:1:2/", .authority), ("https://:80/", .authority),
            ("https://a@b@c.example/", .authority), ("https://[::1", .authority),
            ("https://[::1]evil.test/", .authority),
            ("https://[x]/", .authority), ("https://[127.0.0.1]/", .authority), ("https://[]/", .authority),
            ("https://[fe80::1%25eth0]/", .authority), ("https://::1/", .authority), ("https://%5B::1%5D/", .authority),
            ("https://%61.example/", .authority), ("https://a.example%2f.evil.test/", .authority),
            ("https://a.example./", .authority), ("https://a..example/", .authority),
            ("https://0177.0.0.1/", .authority),
            ("https://127.1/", .authority), ("https://2130706433/", .authority), ("https://a.example;x/", .authority),
            ("https://*.example.com/", .authority),
        ])
    func refused(text: String, problem: URIParts.Problem) {
        #expect(throws: problem) { try URIParts(parsing: text) }
        #expect(URIParts(text) == nil)
    }

    @Test func `a URI has a length, and port 0 is for those who listen`() {
        let long = "https://a.example/" + String(repeating: "a", count: URIParts.bytesMax - 18)
        #expect(URIParts(long) != nil)
        #expect(throws: URIParts.Problem.length) { try URIParts(parsing: long + "a") }
        #expect(URIParts(long + "a", bytesMax: .max) != nil)
        #expect(URIParts("http://localhost:0/", portMin: 0)?.port == 0)
        #expect(URIParts("http://localhost:00/", portMin: 0) == nil)
    }

    @Test(
        "`an origin has one text`",
        arguments: [
            ("https://a.example/b?c#d", "https://a.example" as String?), ("HTTPS://A.Example:443", "https://a.example"),
            ("https://a.example:80/", "https://a.example:80"), ("http://a.example:80/", "http://a.example"),
            ("http://a.example:443/", "http://a.example:443"), ("https://a.example:8443", "https://a.example:8443"),
            ("http://[::1]:8080/", "http://[::1]:8080"), ("http://[0:0::1]/", "http://[::1]"),
            ("http://[::ffff:127.0.0.1]:9000/", "http://127.0.0.1:9000"), ("https://user@a.example/", nil),
            ("https://@a.example/", nil), ("https:a", nil), ("https:///a", nil), ("myapp://a.example", nil), ("", nil),
            ("https://a.example./", nil),
        ])
    func origin(text: String, origin: String?) {
        #expect(URIParts.origin(of: text) == origin)
    }

    @Test(
        "`secrets go to https, or to this very machine`",
        arguments: [
            ("https://a.example/token", true), ("http://127.0.0.1:8080/", true), ("http://127.8.9.10/", true),
            ("http://localhost/", true), ("HTTP://LocalHost/", true), ("http://[::1]:1/", true),
            ("http://[::ffff:127.0.0.1]/", true), ("http://a.example/", false), ("http://app.localhost/", false),
            ("http://localhost.evil/", false), ("http://127.0.0.1.evil.test/", false), ("http://127.1/", false),
            ("http://0177.0.0.1/", false), ("http://0.0.0.0/", false), ("http://localhost@evil.test/", false),
            ("https://user@a.example/", false), ("https://a.example/#x", false), ("https:///x", false),
            ("ftp://127.0.0.1/", false), ("https:a", false), ("", false),
        ])
    func endpoint(text: String, isProtected: Bool) {
        #expect((URIParts(text)?.isProtectedEndpoint ?? false) == isProtected)
    }

    @Test func `pages below localhost are this machine's in browsers alone`() {
        #expect(URIParts("http://app.localhost/")?.isLoopbackInBrowsers == true)
        #expect(URIParts("http://app.localhost/")?.isLoopback == false)
        #expect(URIParts("myapp:/x")?.isLoopback == false && URIParts("myapp:/x")?.isLoopbackInBrowsers == false)
        #expect(URIParts("myapp:/x")?.isWeb == false && URIParts("HTTP://a")?.isWeb == true)
    }
}
