internal import Foundation
internal import Model
internal import NIOCore

/// Addresses that only the machine or its own network can reach (RFC 6890, RFC 4193). A logout notice goes there only if
/// the operator allows it.
public enum PrivateNetworks {
    private static let ranges = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.168.0.0/16", "198.18.0.0/15", "224.0.0.0/3", "::/96", "64:ff9b::/96", "64:ff9b:1::/48",
        "2002::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
    ].compactMap(AddressRange.init)

    static func contain(_ address: String) -> Bool {
        ranges.contains { $0.contains(address) }
    }

    /// Whether an address is one of the public network. What cannot be read, such as an address with a zone (RFC 4007),
    /// is not.
    static func isPublic(_ address: String) -> Bool {
        NetworkAddress.bytes(of: address) != nil && !contain(address)
    }

    /// Whether the host of an address is plainly private: a private IP address, or a name that stands for this machine.
    /// Resolves no name.
    public static func containHost(of uri: String) -> Bool {
        guard let host = host(of: uri)?.lowercased() else { return false }
        return host == "localhost" || host.hasSuffix(".localhost") || contain(host)
    }

    /// The host of an address, without the brackets of IPv6.
    static func host(of uri: String) -> String? {
        URLComponents(string: uri)?.host?.trimmingCharacters(in: ["[", "]"])
    }

    /// Every address of a host name, or the address itself. Asks the system's resolver and so blocks its thread.
    static func addresses(of host: String) -> [String] {
        if NetworkAddress.bytes(of: host) != nil { return [host] }
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [String] = []
        var entry = unsafe list
        while let current = unsafe entry, addresses.count < 64 {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let status = unsafe getnameinfo(
                current.pointee.ai_addr, current.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0,
                NI_NUMERICHOST)
            if status == 0 {
                addresses.append(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
            }
            unsafe entry = unsafe current.pointee.ai_next
        }
        return addresses
    }
}
