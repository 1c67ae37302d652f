/// Who used a refresh token, as far as a server can see.
public struct RefreshParty: Hashable, Sendable {
    /// The network (``NetworkAddress/network``); `nil` if unknown.
    public let network: String?
    /// The kind of client, such as `Firefox on Linux`: at most ``clientBytesMax`` bytes. `nil` if unknown.
    public let client: String?

    /// Longest kind that is kept, in bytes.
    public static let clientBytesMax = 40
    /// Longest network that is kept, in bytes: what is no address may be of any length.
    static let networkBytesMax = 64
    public static let unknown = RefreshParty(network: nil, client: nil)

    public init(network: String?, client: String?) {
        self.network = network.map { Self.short($0, bytesMax: Self.networkBytesMax) }
        self.client = client.map { Self.short($0, bytesMax: Self.clientBytesMax) }
    }

    /// By bytes, since one character can have any length; and the same when it is shortened again.
    private static func short(_ text: String, bytesMax: Int) -> String {
        guard text.utf8.count > bytesMax else { return text }
        var short = ""
        var bytes = 0
        for scalar in text.unicodeScalars {
            bytes += scalar.utf8.count
            if bytes > bytesMax { break }
            short.unicodeScalars.append(scalar)
        }
        return short
    }

    /// Whether the two may be one device that has not moved: the same kind of client in the same network. IPv4 and IPv6
    /// count as one network, because a device that has both uses them in turn (RFC 8305). What is unknown is no
    /// difference.
    public func mayBe(_ other: RefreshParty) -> Bool {
        if let client, let its = other.client, client != its { return false }
        guard let network, let its = other.network, network != its else { return true }
        return network.contains(":") != its.contains(":")
    }
}
