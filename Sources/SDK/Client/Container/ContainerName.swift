internal import Crypto

/// The name of a container that was given none.
enum ContainerName {
    /// The name that earlier releases gave to every container without one. The command line uses it on purpose.
    static let shared = "default"

    /// The container of one program at one service as one client: another program, another issuer or another client
    /// has another name.
    static func derived(of client: SessionRecord.Client, program: String) -> String {
        // The lengths keep the parts apart.
        let text = [client.kind.rawValue, client.issuer, client.clientID]
            .map { "\($0.utf8.count):\($0)" }.joined()
        // 16 bytes: names that differ do not meet by accident.
        let digest = SHA256.hash(data: Array(text.utf8)).prefix(16)
        let digits = Array("0123456789abcdef".utf8)
        let spelled = digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0x0F)]] }
        return "\(program)/\(String(decoding: spelled, as: UTF8.self))"
    }

    /// Whether ``derived(of:program:)`` could have made the name.
    static func isDerived(_ name: String) -> Bool {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 2 && parts[1].utf8.count == 32
            && parts[1].utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// The last part of an executable's path, without what Linux adds after the file was replaced by an update.
    static func program(atPath path: String) -> String {
        let suffix = " (deleted)"
        let path = path.hasSuffix(suffix) ? path.dropLast(suffix.count) : path[...]
        return path.split(separator: "/").last.map(String.init) ?? "program"
    }
}
