internal import KeyturnBase

/// What a container does, told to the app's own log: for finding out why a sign-in or a renewal fails.
///
/// ```swift
/// let logger = KeyturnLogger(.debug) { level, text in print(level, text) }
/// let auth = Keyturn(.keyturn(issuer: "https://id.example.com", clientID: "app"), logger: logger)
/// ```
///
/// It is told methods, hosts, the names of the service's endpoints, statuses, times, steps of the session and codes of
/// errors. It is never told a token, a password, a PIN, a code, a key, who the user is, a header, a query or a body: not
/// at any level, and not in debug builds either.
public struct KeyturnLogger: Sendable {
    /// How much is told; each level tells what those before it do.
    public enum Level: Int, CaseIterable, Comparable, Sendable {
        /// Requests that were not answered or that a server failed at, and sessions that ended or could not be stored.
        case error
        /// Steps of the session, requests that a server refused, and what of its answers was not used.
        case info
        /// Every request.
        case debug

        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// What is told at most.
    public let level: Level
    private let output: @Sendable (Level, String) -> Void

    /// - Parameters:
    ///   - level: What to tell at most.
    ///   - output: Gets a line without its end, in English. Called from any thread, before the work goes on: it must
    ///     return soon, and must not use the container.
    public init(_ level: Level = .info, output: @escaping @Sendable (Level, String) -> Void) {
        self.level = level
        self.output = output
    }

    func log(_ level: Level, _ text: @autoclosure () -> String) {
        if level <= self.level { output(level, text()) }
    }

    /// The code of an error, and what the server said in its own codes.
    static func text(_ error: AuthError?) -> String {
        guard let error else { return "" }
        let answer = error.server.map { " \($0.status)" + ($0.code.map { " " + code($0) } ?? "") } ?? ""
        return " (" + error.code.rawValue + answer + ")"
    }

    /// The address of a request, without whatever may be a secret: without query, and of its path only what looks like
    /// the name of an endpoint.
    static func address(_ url: String, namesPath: Bool) -> String {
        guard let parts = URIParts(url, bytesMax: .max), let origin = parts.origin else { return "…" }
        guard namesPath else { return origin }
        return origin + parts.path.split(separator: "/").map { "/" + name($0) }.joined()
    }

    /// A word that the protocols define; `…` if it may be anything else.
    private static func name(_ text: Substring) -> String {
        let isName = text.utf8.allSatisfy { isLetter($0) || isDigit($0) || [0x2D, 0x2E, 0x5F].contains($0) }
        return isName && text.utf8.count(where: isDigit) <= 2 && text.utf8.count <= 32 ? String(text) : "…"
    }

    /// A server's code for an error, such as `invalid_grant` or `E061102`; `…` if it may be anything else.
    private static func code(_ text: String) -> String {
        let isNumber = text.utf8.count == 7 && text.hasPrefix("E") && text.utf8.dropFirst().allSatisfy(isDigit)
        return isNumber ? text : name(text[...])
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
