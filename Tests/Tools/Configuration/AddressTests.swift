import Testing

@testable import keyturn

@Suite("Configuration: addresses")
struct AddressTests {
    @Test(
        "`a redirect URI that leads back to an application is accepted`",
        arguments: [
            "https://a.example", "https://a.example:8443/cb?x=1", "http://127.0.0.1:9000/cb", "http://127.8.9.10/",
            "http://[::1]:3000/", "http://localhost/cb", "http://app.localhost/cb", "com.example.app:/cb", "myapp://cb",
            "https://a.example/%2a", "https://a.example/cb?encoded=1&Code=2",
        ])
    func accepted(uri: String) {
        #expect(URIRules.redirect(uri, isDevelopment: false) == nil)
    }

    @Test(
        "`a redirect URI that could leak a code is refused`",
        arguments: [
            "", "cb", "//a.example", "https://", "https:a", "https:///cb", "http://a.example",
            "http://127.0.0.1.example.com/",
            "http://localhost.example.com/", "https://a.example/cb#x", "https://*.example/", "https://a.example/*",
            "javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd",
            "blob:x",
            "https://a.example?code=1", "https://a.example?x=1&state=2", "https://a.example?error",
            "https://a.example?iss=x",
            "https://a.example?%63ode=1", "https://u:p@a.example/", "https://a.example\\b", "https://a.example/ x",
            "https://ä.example", "https://a.example:0/", "https://a.example:99999/", "https://[::1/", "https://[x]/",
            "https://a..example/", "https://a.example/%zz", "1https://a.example",
            "https://a.example/" + String(repeating: "a", count: 2048),
        ])
    func refused(uri: String) {
        #expect(URIRules.redirect(uri, isDevelopment: false) != nil)
    }

    @Test func `development allows plain http elsewhere, and nothing else`() {
        #expect(URIRules.redirect("http://a.example/cb", isDevelopment: true) == nil)
        #expect(URIRules.issuer("http://keyturn:8080", isDevelopment: true) == nil)
        #expect(URIRules.redirect("javascript:alert(1)", isDevelopment: true) != nil)
        #expect(URIRules.redirect("https://*.example/", isDevelopment: true) != nil)
    }

    @Test(
        "`an address to listen on`",
        arguments: [
            ("127.0.0.1:0", "127.0.0.1:0" as String?), ("localhost:80", "localhost:80"), ("[::1]:80", "[::1]:80"),
            ("0.0.0.0:65535", "0.0.0.0:65535"), (":80", nil), ("::1:80", nil), ("[::1]", nil), ("a:080", nil),
            ("a:-1", nil),
            ("[localhost]:80", nil), ("http://a:80", nil), ("", nil),
        ])
    func listen(text: String, expected: String?) {
        #expect((try? ListenAddress(text))?.authority == expected)
    }

    @Test(
        "`a range of addresses begins with its first address`",
        arguments: [
            ("10.0.0.0/8", 8 as Int?), ("192.0.2.7", 32), ("0.0.0.0/0", 0), ("2001:db8::/32", 32), ("::1", 128),
            ("::ffff:10.0.0.0/104", 104), ("172.16.0.0/12", 12), ("172.17.0.0/12", nil), ("10.0.0.0/", nil),
            ("10.0.0.0/08", nil), ("10.0.0.0/8/8", nil), ("/8", nil), ("10.0.0.0/33", nil), ("::/129", nil),
        ])
    func ranges(text: String, prefixLength: Int?) {
        #expect((try? ProxyRange(text))?.prefixLength == prefixLength)
    }

    @Test(
        "`an address is this machine's, or it is not`",
        arguments: [
            ("127.0.0.1", true), ("127.255.0.1", true), ("::1", true), ("0:0:0:0:0:0:0:1", true),
            ("::ffff:127.0.0.1", true), ("128.0.0.1", false), ("::2", false), ("::ffff:10.0.0.1", false), ("::", false),
        ])
    func loopback(text: String, isLoopback: Bool) {
        #expect(IPAddress(text)?.isLoopback == isLoopback)
    }

    @Test(
        "`what is no address is refused`",
        arguments: [
            "", "1.2.3", "1.2.3.4.5", "01.2.3.4", "256.1.1.1", "1.2.3.-4", ":", ":::", "1::2::3", "12345::",
            "1:2:3:4:5:6:7",
            "1:2:3:4:5:6:7:8:9", "fe80::1%eth0", "::1.2.3", "1:2:3:4:5:6:7:8::",
        ])
    func notAddress(text: String) {
        #expect(IPAddress(text) == nil)
    }
}
