import Model
import Testing

@Suite("Redirect addresses, RFC 9700 §4.1 and RFC 8252 §7")
struct RedirectURITests {
    static let registered = "https://app.example.com/callback"

    @Test(
        arguments: [
            "https://app.example.com/Callback", "https://app.example.com/callback/",
            "https://app.example.com/%63allback",
            "https://user@app.example.com/callback", "https://app.example.com:443/callback",
            "https://app.example.com/callback?x=1", "https://app.example.com/callback#",
            "HTTPS://app.example.com/callback",
            "https://app.example.com.evil.test/callback", "https://app.example.com/callback/../other", "",
        ])
    func `attack 1: nothing but the registered letters will do`(_ uri: String) {
        #expect(!RedirectURI.isRegistered(uri, among: [Self.registered], anyLoopbackPort: true))
        #expect(RedirectURI.isRegistered(Self.registered, among: [Self.registered], anyLoopbackPort: false))
    }

    @Test(arguments: ["http://127.0.0.1:49152/callback", "http://127.0.0.1:1/callback", "http://127.0.0.1/callback"])
    func `attack 2: on loopback the port may vary`(_ uri: String) {
        #expect(RedirectURI.isRegistered(uri, among: ["http://127.0.0.1/callback"], anyLoopbackPort: true))
    }

    @Test(
        arguments: [
            "http://127.0.0.1:49152/other", "http://localhost:49152/callback", "http://127.0.0.2:49152/callback",
            "https://127.0.0.1:49152/callback", "http://127.0.0.1:70000/callback", "http://127.0.0.1:/callback",
            "http://127.0.0.1:0/callback", "http://127.0.0.1:80@evil.test/callback",
            "http://127.0.0.1.evil.test/callback",
            "http://127.0.0.1:49152/callback?x", "http://[::1]:49152/callback",
            "http://[::ffff:127.0.0.1]:49152/callback",
            "HTTP://127.0.0.1:49152/callback", "http://127.0.0.1:049152/callback", "http://127.1:49152/callback",
            "http://0177.0.0.1:49152/callback", "http://127.0.0.1:49152/callback#", "http://127.0.0.1:49152/callback?",
        ])
    func `attack 2: on loopback nothing but the port may vary`(_ uri: String) {
        #expect(!RedirectURI.isRegistered(uri, among: ["http://127.0.0.1/callback"], anyLoopbackPort: true))
    }

    @Test func `attack 2: a web client's loopback port is fixed`() {
        #expect(
            !RedirectURI.isRegistered(
                "http://127.0.0.1:1/callback", among: ["http://127.0.0.1:2/callback"], anyLoopbackPort: false))
    }

    @Test(
        arguments: [
            "https://app.example.com/#fragment", "javascript:alert(1)", "data:text/html,x", "vbscript:x",
            "file:///etc/passwd",
            "https://app.example.com/?code=1", "https://app.example.com/?a=1&state=2",
            "https://app.example.com/?%63ode=1",
            "https://*.example.com/", "/callback", "callback", "https://user@example.com/", "https:///x", "http:x",
            "https://app.example.com/a b", "1app:/x", "://x", #"https://evil.test\.example.com/"#,
            #"https://evil.test/\@app.example.com"#, "https://evil.test;.example.com/",
            "https://evil.test%2f.example.com/",
            "https://app.example.com:8a/", "https://[::1/", "https://[::1]evil.test/",
        ])
    func `attack 3: what cannot be registered`(_ uri: String) {
        #expect(RedirectURI.flaw(in: uri) != nil)
    }

    @Test(
        arguments: [
            "https://app.example.com./", "https://app.example.com:/", "https://app.example.com:0/", "https://127.1/",
            "https://0177.0.0.1/", "https://2130706433/", "https://bücher.example/", "https://app.example.com/%zz",
            "https://app.example.com/\"onclick=", "https://app.example.com/\u{0}", "https://app.example.com/\r\nX: y",
            "https://%5B::1%5D/", "https://[fe80::1%25eth0]/", "myapp://user@callback", "filesystem:x", "view-source:x",
            "https://app.example.com/?session_state=1", "https://app.example.com/?response=1",
            "https://app.example.com/?error_description=1", "https://app.example.com/?a=%ff",
        ])
    func `attack 3: what two parsers read in two ways, or one of two refused, cannot be registered`(_ uri: String) {
        #expect(RedirectURI.flaw(in: uri) != nil)
    }

    @Test func `what is wrong is said`() {
        #expect(RedirectURI.flaw(in: "https://app.example.com/#x") == .fragment)
        #expect(RedirectURI.flaw(in: "https:///x") == .host)
        #expect(RedirectURI.flaw(in: "https://a@app.example.com/") == .userName)
        #expect(RedirectURI.flaw(in: "https://app.example.com/?iss=x") == .responseParameter("iss"))
        #expect(RedirectURI.flaw(in: "https://app.example.com/?a=%ff") == .query)
        #expect(RedirectURI.flaw(in: "data:x")?.description == "a data: address would run in the browser")
        #expect(RedirectURI.flaw(in: "https://*.example.com/") == .wildcard)
        #expect(RedirectURI.flaw(in: "callback") == .malformed)
    }

    @Test(arguments: [
        "https://app.example.com/callback?tenant=1", "myapp://callback", "com.example.app:/callback",
        "http://127.0.0.1/callback",
    ])
    func `what can be registered`(_ uri: String) {
        #expect(RedirectURI.flaw(in: uri) == nil)
    }
}
