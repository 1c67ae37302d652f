import KeyturnBase
import Testing

@Suite("IP addresses, RFC 4291 and RFC 5952")
struct IPAddressTests {
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

    @Test(
        "`a text that other readers take for 127.0.0.1 is no address`",
        arguments: [
            "0177.0.0.1", "127.1", "127.0.1", "0x7f.0.0.1", "0x7f000001", "2130706433", "017700000001", "127.0.0.1.",
            "127.0.0.01", " 127.0.0.1", "127.0.0.1 ", "127.0.0.1\u{0}", "127.0.0.1\u{0}.evil.test", "127.0.0.1\n",
            "127.0.0.1:80", "[::1]", "::1%lo", "::1\u{0}", "１２７.0.0.1", "١٢٧.0.0.1", "localhost",
        ])
    func ambiguous(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(
        "`an address has one text`",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"), ("::", "::"),
            ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"), ("2001:0db8::0001", "2001:db8::1"),
            ("1:0:0:2:0:0:0:3", "1:0:0:2::3"), ("64:ff9b::192.0.2.1", "64:ff9b::c000:201"),
            ("::ffff:192.0.2.1", "192.0.2.1"), ("::FFFF:c000:201", "192.0.2.1"),
        ])
    func canonical(text: String, canonical: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.description == canonical)
        #expect(IPAddress(address.description) == address)
    }

    @Test func `a mapped address is the IPv4 address`() {
        #expect(IPAddress("::ffff:127.0.0.1") == .loopbackV4)
        #expect(IPAddress("::ffff:127.0.0.1")?.bytes == [127, 0, 0, 1])
        #expect(IPAddress("::127.0.0.1")?.isIPv4 == false, "that form is another")
    }

    @Test func `a zone is dropped only where the system wrote it`() {
        #expect(IPAddress(ignoringZone: "fe80::1%eth0") == IPAddress("fe80::1"))
        #expect(IPAddress(ignoringZone: "192.0.2.1") == IPAddress("192.0.2.1"))
        #expect(IPAddress(ignoringZone: "%eth0") == nil)
    }

    @Test func `the addresses with names are these`() {
        #expect(IPAddress.loopbackV4.description == "127.0.0.1" && IPAddress.loopbackV6.description == "::1")
        #expect(IPAddress("0.0.0.0")?.isUnspecified == true && IPAddress("::")?.isUnspecified == true)
        #expect(IPAddress("0.0.0.1")?.isUnspecified == false)
    }

    @Test(
        "`only an address of the public network is public`",
        arguments: [
            ("93.184.216.34", true), ("2606:2800::1", true), ("1.1.1.1", true), ("172.15.255.255", true),
            ("172.32.0.0", true), ("100.63.255.255", true), ("100.128.0.0", true), ("223.255.255.255", true),
            ("9.255.255.255", true), ("11.0.0.0", true), ("2001:4860::1", true), ("2001::1", false),
            ("::ffff:0:7f00:1", false), ("100::1", false), ("fbff::1", true),
            ("0.0.0.0", false), ("10.0.0.0", false), ("10.255.255.255", false), ("100.64.0.1", false),
            ("127.0.0.1", false), ("169.254.169.254", false), ("172.16.0.0", false), ("172.31.255.255", false),
            ("192.0.0.1", false), ("192.168.0.1", false), ("198.18.0.1", false), ("198.19.255.255", false),
            ("224.0.0.1", false), ("240.0.0.1", false), ("255.255.255.255", false), ("::", false), ("::1", false),
            ("::10.0.0.1", false), ("::ffff:10.0.0.1", false), ("::ffff:93.184.216.34", true),
            ("64:ff9b::a00:1", false), ("64:ff9b:1::1", false), ("2002:a00:1::", false), ("fc00::1", false),
            ("fdff::1", false), ("fe80::1", false), ("febf::1", false), ("fec0::1", false), ("ff02::1", false),
        ])
    func publicNetwork(text: String, isPublic: Bool) {
        #expect(IPAddress(text)?.isPublic == isPublic)
    }
}
