import KeyturnBase
import Testing

@Suite("Ranges of IP addresses, RFC 4632")
struct IPAddressRangeTests {
    @Test(
        "`a range of addresses begins with its first address`",
        arguments: [
            ("10.0.0.0/8", 8 as Int?), ("192.0.2.7", 32), ("0.0.0.0/0", 0), ("2001:db8::/32", 32), ("::1", 128),
            ("::ffff:10.0.0.0/104", 8), ("172.16.0.0/12", 12), ("172.17.0.0/12", nil), ("10.0.0.0/", nil),
            ("10.0.0.0/08", nil), ("10.0.0.0/8/8", nil), ("/8", nil), ("10.0.0.0/33", nil), ("::/129", nil),
        ])
    func ranges(text: String, prefixLength: Int?) {
        #expect((try? IPAddressRange(text))?.prefixLength == prefixLength)
    }

    @Test(
        "`what is no range says why`",
        arguments: [
            ("", IPAddressRange.Problem.address), ("proxy.example.com", .address), ("127.1/8", .address),
            ("010.0.0.0/8", .address), ("10.0.0.0%eth0/8", .address), ("10.0.0.0\u{0}/8", .address),
            ("10.0.0.0/+8", .prefixLength(max: 32)), ("10.0.0.0/-1", .prefixLength(max: 32)),
            ("10.0.0.0/ 8", .prefixLength(max: 32)), ("10.0.0.0/255.0.0.0", .prefixLength(max: 32)),
            ("10.0.0.1/8", .bitsBeyondPrefix(length: 8, max: 32)),
            ("2001:db8::1/64", .bitsBeyondPrefix(length: 64, max: 128)),
            ("::ffff:10.0.0.0/95", .bitsBeyondPrefix(length: 95, max: 128)),
        ])
    func refused(text: String, problem: IPAddressRange.Problem) {
        #expect(throws: problem) { try IPAddressRange(text) }
    }

    @Test(
        "`a range has its first and its last address, and not their neighbours`",
        arguments: [
            ("10.0.0.0/8", "10.0.0.0", true), ("10.0.0.0/8", "10.255.255.255", true),
            ("10.0.0.0/8", "9.255.255.255", false),
            ("10.0.0.0/8", "11.0.0.0", false), ("10.0.0.0/8", "::ffff:10.1.2.3", true),
            ("10.0.0.0/8", "::10.1.2.3", false),
            ("192.0.2.128/25", "192.0.2.128", true), ("192.0.2.128/25", "192.0.2.127", false),
            ("192.0.2.7", "192.0.2.7", true), ("192.0.2.7", "192.0.2.6", false), ("0.0.0.0/0", "255.255.255.255", true),
            ("2001:db8::/33", "2001:db8:7fff::1", true), ("2001:db8::/33", "2001:db8:8000::", false),
            ("::/0", "::1", true),
            ("::/0", "192.0.2.1", false), ("::ffff:10.0.0.0/104", "10.1.2.3", true),
            ("::ffff:0:0/96", "192.0.2.1", true),
        ])
    func contains(text: String, address: String, isIn: Bool) throws {
        #expect(try IPAddressRange(text).contains(#require(IPAddress(address))) == isIn)
    }

    @Test func `a range has one text`() throws {
        for (text, canonical) in [
            ("10.0.0.0/8", "10.0.0.0/8"), ("192.0.2.7/32", "192.0.2.7"), ("2001:DB8::/32", "2001:db8::/32"),
            ("::ffff:10.0.0.0/104", "10.0.0.0/8"),
        ] {
            #expect(try IPAddressRange(text).description == canonical)
            #expect(try IPAddressRange(canonical) == IPAddressRange(text))
        }
    }
}
