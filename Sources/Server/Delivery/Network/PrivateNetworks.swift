internal import Foundation
internal import KeyturnBase

/// Addresses that only the machine or its own network can reach (``KeyturnBase/IPAddress/isPublic``). A logout notice
/// goes there only if the operator allows it.
public enum PrivateNetworks {
    /// Whether an address is one of the public network. What cannot be read, such as an address with a zone (RFC 4007),
    /// is not.
    static func isPublic(_ address: String) -> Bool {
        IPAddress(address)?.isPublic ?? false
    }

    /// Whether the host of an address is plainly private: a private IP address, or a name that stands for this machine.
    /// Resolves no name.
    public static func containHost(of uri: String) -> Bool {
        guard let host = URIParts(uri)?.host else { return false }
        return host.isLoopbackInBrowsers || host.address?.isPublic == false
    }

    /// Every address of a host name, or the address itself. Asks the system's resolver and so blocks its thread.
    static func addresses(of host: URIHost) -> [String] {
        if host.address != nil { return [host.text] }
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host.text, nil, &hints, &list) == 0 else { return [] }
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
