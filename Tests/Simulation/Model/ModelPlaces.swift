/// Where a request comes from, in the model: a device has IPv4 and IPv6 wherever it is.
enum Place: Hashable {
    case home, homeOverIPv6, mobile, mobileOverIPv6
    /// The thief's own network.
    case elsewhere

    /// As ``NetworkAddress/network`` has it.
    var network: String {
        switch self {
        case .home: "192.0.2.1"
        case .homeOverIPv6: "2001:db8:1:1::/64"
        case .mobile: "198.51.100.1"
        case .mobileOverIPv6: "2001:db8:2:2::/64"
        case .elsewhere: "203.0.113.1"
        }
    }

    /// The other protocol of the same place.
    var overIPv6: Place {
        switch self {
        case .home: .homeOverIPv6
        case .mobile: .mobileOverIPv6
        default: self
        }
    }

    var isHome: Bool { self == .home || self == .homeOverIPv6 }
}
