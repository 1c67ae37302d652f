extension IPAddress {
    /// Whether it is one of this machine: 127.0.0.0/8 or ::1 (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3).
    public var isLoopback: Bool { Self.loopback.contains { $0.contains(self) } }

    /// Whether it stands for every address of the machine: 0.0.0.0 or ::.
    public var isUnspecified: Bool { bytes.allSatisfy { $0 == 0 } }

    /// Whether it is one of the public network: none of those that only the machine, its own network or nothing at
    /// all can reach (RFC 6890), and none that could lead to one of them by translation.
    public var isPublic: Bool {
        ![Self.loopback, Self.privateUse, Self.linkLocal, Self.translated, Self.reserved].joined().contains {
            $0.contains(self)
        }
    }

    private static let loopback = ranges(["127.0.0.0/8", "::1"])

    /// Networks of their own (RFC 1918, RFC 6598, RFC 4193, RFC 3879).
    private static let privateUse = ranges([
        "10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "fec0::/10",
    ])

    /// One link alone (RFC 3927, RFC 4291 §2.5.6). Services that hand machines their credentials answer there.
    private static let linkLocal = ranges(["169.254.0.0/16", "fe80::/10"])

    /// Addresses of IPv6 that hold one of IPv4 (RFC 4291 §2.5.5.1, RFC 7915, RFC 6052, RFC 8215, RFC 4380, RFC 3056).
    private static let translated = ranges([
        "::/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "2001::/32", "2002::/16",
    ])

    /// This network, protocols, benchmarks, multicast and the rest (RFC 6890).
    private static let reserved = ranges([
        "0.0.0.0/8", "192.0.0.0/24", "198.18.0.0/15", "224.0.0.0/3", "100::/64", "ff00::/8",
    ])

    private static func ranges(_ texts: [String]) -> [IPAddressRange] {
        texts.map { text in
            guard let range = try? IPAddressRange(text) else { preconditionFailure("\(text) is no range") }
            return range
        }
    }
}
