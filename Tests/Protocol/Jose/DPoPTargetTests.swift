import KeyturnBase
import KeyturnJose
import Testing

@Suite("DPoP's htu, RFC 9449 §4.3 and RFC 3986 §6.2")
struct DPoPTargetTests {
    /// Whether a proof for `htu` is one for a request of `url`.
    private func matches(_ htu: String, _ url: String) throws -> Bool {
        let proof = try UnverifiedDPoPProof(DPoPSample().proof(["htu": .string(htu)]))
        return (try? proof.verify(method: "GET", url: url)) != nil
    }

    @Test(arguments: [
        ("https://a.test/b", "https://a.test/b"),
        ("https://a.test/b?x=1", "https://a.test/b"),
        ("https://a.test/b", "https://a.test/b?x=1"),
        ("https://a.test/b#c", "https://a.test/b?x=1#d"),
        ("HTTPS://A.Test/b", "https://a.test/b"),
        ("https://a.test:443/b", "https://a.test/b"),
        ("https://a.test:/b", "https://a.test/b"),
        ("http://a.test:80/b", "http://a.test/b"),
        ("https://a.test:8443/b", "https://a.test:8443/b"),
        ("https://a.test", "https://a.test/"),
        ("https://a.test?x", "https://a.test/"),
        ("https://a.test/%7Eb", "https://a.test/~b"),
        ("https://a.test/%c3%a9", "https://a.test/%C3%A9"),
        ("https://%61.test/", "https://a.test/"),
        ("https://[::1]:443/b", "https://[::1]/b"),
        ("http://127.0.0.1:8080/b", "http://127.0.0.1:8080/b"),
    ])
    func `63: differences that mean nothing do not matter`(_ htu: String, _ url: String) throws {
        #expect(try matches(htu, url))
        #expect(try matches(url, htu))
    }

    @Test(arguments: [
        ("https://b.test/b", "https://a.test/b"),
        ("http://a.test/b", "https://a.test/b"),
        ("http://a.test:443/b", "https://a.test/b"),
        ("https://a.test:80/b", "https://a.test/b"),
        ("https://a.test:8443/b", "https://a.test/b"),
        ("https://a.test/B", "https://a.test/b"),
        ("https://a.test/b/", "https://a.test/b"),
        ("https://a.test//b", "https://a.test/b"),
        ("https://a.test/b%2Fc", "https://a.test/b/c"),
        ("https://a.test/b%3Fc", "https://a.test/b?c"),
        ("https://a.test/b%zz", "https://a.test/b%zz"),
        ("https://a.test/b%4", "https://a.test/b%4"),
        ("https://a.test@b.test/b", "https://a.test@b.test/b"),
        ("https://user@a.test/b", "https://a.test/b"),
        ("https://a.test:99999/b", "https://a.test:99999/b"),
        ("https://a.test:4x/b", "https://a.test:4x/b"),
        ("https://a.test:1:2/b", "https://a.test:1:2/b"),
        ("https://[::1/b", "https://[::1/b"),
        ("https://[::1]x/b", "https://[::1]x/b"),
        ("https://a.test/é", "https://a.test/é"),
        ("https://a.test/ b", "https://a.test/ b"),
        ("https:///b", "https:///b"),
        ("https:/a.test/b", "https:/a.test/b"),
        ("ftp://a.test/b", "ftp://a.test/b"),
        ("/b", "/b"),
        ("*", "*"),
    ])
    func `63: another URL, or none at all, is refused`(_ htu: String, _ url: String) throws {
        #expect(try !matches(htu, url))
    }
}
