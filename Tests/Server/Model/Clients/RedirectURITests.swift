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

    @Test(arguments: [
        "https://app.example.com/callback?tenant=1", "myapp://callback", "com.example.app:/callback",
        "http://127.0.0.1/callback",
    ])
    func `what can be registered`(_ uri: String) {
        #expect(RedirectURI.flaw(in: uri) == nil)
    }
}
