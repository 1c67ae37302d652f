internal import HTTPTypes
internal import KeyturnBase

/// What `X-Forwarded-For` says: the client, then each proxy on the way but the last. No standard describes the field;
/// its entries are read as RFC 7239 §6 has them, with and without a port.
enum ForwardedFor {
    /// The addresses from left to right; `nil` for an entry that is no address, such as `unknown`.
    static func hops(_ text: String) -> [IPAddress?] {
        text.split(separator: ",").map(\.trimmingBlanks).filter { !$0.isEmpty }.map(address)
    }

    /// Reads `192.0.2.1`, `192.0.2.1:51234` (as Azure's gateways and IIS write it), `2001:db8::1`, `[2001:db8::1]` or
    /// `[2001:db8::1]:443`, also in quotes. A zone is dropped: it belongs to the proxy.
    static func address(_ entry: String) -> IPAddress? {
        var text = entry[...]
        if text.utf8.count >= 2, text.first == "\"", text.last == "\"" { text = text.dropFirst().dropLast() }
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return nil }
            let inner = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || isPort(rest), let address = IPAddress(ignoringZone: String(inner)),
                inner.contains(":")
            else { return nil }
            return address
        }
        // One colon: an address of IPv6 has two at least.
        if let colon = text.firstIndex(of: ":"), text[text.index(after: colon)...].firstIndex(of: ":") == nil {
            guard isPort(text[colon...]) else { return nil }
            text = text[..<colon]
        }
        return IPAddress(ignoringZone: String(text))
    }

    /// A colon and a number that a port can have.
    private static func isPort(_ text: Substring) -> Bool {
        let digits = text.dropFirst().utf8
        return text.first == ":" && (1...5).contains(digits.count) && digits.allSatisfy { (0x30...0x39).contains($0) }
            && (Int(Substring(digits)) ?? 0) <= 65_535
    }
}

extension RequestFields {
    /// Whether a field tells that a proxy passed this request on. Proxies name themselves, or the client, in many
    /// fields, and each of them counts.
    var isForwarded: Bool { names.contains(where: Self.isForwarding) }

    private static let forwarding: Set<String> = ["forwarded", "via", "x-forwarded", "cdn-loop"]
    private static let beginnings = [
        "x-forwarded-", "x-original-", "x-envoy-", "x-arr-", "x-amzn-", "x-azure-", "x-proxy", "cf-", "x-real-",
    ]
    /// `X-Real-IP`, `True-Client-IP`, `X-Client-IP`, `X-Cluster-Client-IP`, `X-Azure-ClientIP`, and others of their kind.
    private static let ends = ["-ip", "clientip", "socketip", "-client-address", "-forwarded-for"]

    private static func isForwarding(_ name: String) -> Bool {
        let name = name.lowercased()
        return forwarding.contains(name) || beginnings.contains { name.hasPrefix($0) }
            || ends.contains { name.hasSuffix($0) }
    }
}
