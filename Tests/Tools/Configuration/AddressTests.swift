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
        "`what the server refuses when it is asked, the configuration refuses too`",
        arguments: [
            "https://api.example/*", "https://u@api.example/", "javascript:alert(1)", "https:///x",
            "https://api.example#a",
            "https://api.example./", "https://127.1/", "https://api.example?x=%ff",
        ])
    func resource(uri: String) {
        #expect(URIRules.resource(uri) != nil)
        #expect(
            URIRules.resource("https://api.example/v1?tenant=1") == nil && URIRules.resource("urn:example:api") == nil)
    }

    @Test func `the scheme of an issuer is in lower case, as those who look at its beginning expect`() {
        #expect(URIRules.issuer("HTTPS://id.example.com", isDevelopment: false) != nil)
        #expect(URIRules.issuer("https://id.example.com", isDevelopment: false) == nil)
    }
}
