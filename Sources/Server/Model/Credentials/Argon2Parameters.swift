/// The cost of Argon2id (RFC 9106), kept in the hash (PHC string format).
public struct Argon2Parameters: Hashable, Sendable {
    /// Memory, in KiB.
    public let memoryKiB: UInt32
    /// Passes over the memory.
    public let passes: UInt32
    /// Lanes.
    public let lanes: UInt32

    public init(memoryKiB: UInt32, passes: UInt32, lanes: UInt32) {
        self.memoryKiB = memoryKiB
        self.passes = passes
        self.lanes = lanes
    }

    /// 19 MiB, two passes, one lane: the least that OWASP's password storage guidance accepts.
    public static let standard = Argon2Parameters(memoryKiB: 19_456, passes: 2, lanes: 1)

    /// The most that a stored hash may ask for: beyond it, one password check could exhaust the server.
    package static let most = Argon2Parameters(memoryKiB: 262_144, passes: 10, lanes: 8)

    /// Reads them from `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. `nil` if malformed or beyond ``most``.
    public init?(encodedHash: String) {
        let parts = encodedHash.split(separator: "$", omittingEmptySubsequences: true)
        guard parts.count == 5, parts[0] == "argon2id", parts[1] == "v=19", encodedHash.utf8.count <= 512 else {
            return nil
        }
        var values: [Substring: UInt32] = [:]
        for pair in parts[2].split(separator: ",") {
            let sides = pair.split(separator: "=")
            guard sides.count == 2, let value = UInt32(sides[1]) else { return nil }
            values[sides[0]] = value
        }
        guard let memory = values["m"], let passes = values["t"], let lanes = values["p"],
            memory <= Self.most.memoryKiB, passes <= Self.most.passes, lanes <= Self.most.lanes
        else { return nil }
        self.init(memoryKiB: memory, passes: passes, lanes: lanes)
    }

    /// Reads them from a store's columns. `nil` if no hash can have been made with them.
    public init?(storedMemoryKiB memory: Int64, passes: Int64, lanes: Int64) {
        guard (1...Int64(Self.most.memoryKiB)).contains(memory), (1...Int64(Self.most.passes)).contains(passes),
            (1...Int64(Self.most.lanes)).contains(lanes)
        else { return nil }
        self.init(memoryKiB: UInt32(memory), passes: UInt32(passes), lanes: UInt32(lanes))
    }
}
