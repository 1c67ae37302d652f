/// How many connections may be open at once: each is an open file of the process, which needs some for itself.
public struct ConnectionBounds: Hashable, Sendable {
    /// Of all clients together.
    public let all: Int
    /// Of one client: an address of IPv4, or the first 64 bits of one of IPv6. This machine and trusted proxies, which
    /// carry the connections of others, have no bound of their own.
    ///
    /// A quarter, so that it takes several addresses to fill the server: an office or a mobile carrier has many users
    /// behind one.
    public var each: Int { max(1, all / 4) }

    /// What connections cost in memory allows no more: 8 KiB each while they are idle, 130 MiB together, and more of the
    /// system's.
    public static let most = 16_384
    /// Files that are no connections of clients: the database and its connections (200 at most), requests to
    /// providers, directories and gateways, logs, certificates.
    static let reserved = 512

    /// - Parameter openFiles: how many files the process may have open. Half of a small number is for clients.
    public init(openFiles: Int) {
        all = max(4, min(Self.most, openFiles - min(Self.reserved, openFiles / 2)))
    }

    /// - Parameter all: as it is.
    init(all: Int) {
        self.all = all
    }
}
