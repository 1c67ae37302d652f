internal import KeyturnBase

/// Who the server says it is.
enum IssuerSetting: Hashable, Sendable {
    /// The address that it listens on, known once it does: `auto`.
    case automatic
    /// The address by which clients know it: absolute, without a final slash.
    case fixed(String)

    /// The address itself, for a server that listens on `listen`.
    func text(listeningOn listen: ListenAddress) -> String {
        switch self {
        case .fixed(let issuer): return issuer
        case .automatic:
            let isEverywhere = IPAddress(listen.host)?.isUnspecified ?? false
            return "http://\(isEverywhere ? "\(IPAddress.loopbackV4):\(listen.port)" : listen.authority)"
        }
    }
}

/// Where the server listens: `HOST:PORT`.
struct ListenAddress: Hashable, Sendable {
    /// A name or an address, without brackets.
    let host: String
    /// 0 picks a free port.
    let port: Int

    /// 127.0.0.1:8080.
    static let standard = ListenAddress(host: IPAddress.loopbackV4.description, port: 8080)

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Parses `127.0.0.1:8080`, `localhost:0` or `[::1]:8080`.
    init(_ text: String) throws(Refusal) {
        let refusal = Refusal(
            "it is not HOST:PORT", "Write it as 127.0.0.1:8080, or 0.0.0.0:8080 for every interface; IPv6 in brackets.")
        guard let colon = text.lastIndex(of: ":"), let port = URIParts.port(text[text.index(after: colon)...]) else {
            throw refusal
        }
        var host = text[..<colon]
        let hasBrackets = host.hasPrefix("[") && host.hasSuffix("]") && host.count > 2
        if hasBrackets { host = host.dropFirst().dropLast() }
        guard URIHost(String(host)) != nil, host.contains(":") == hasBrackets else { throw refusal }
        self.init(host: String(host), port: port)
    }

    /// Whether only this machine can connect.
    var isLoopback: Bool { URIHost(host)?.isLoopbackInBrowsers ?? false }

    /// `HOST:PORT`, as it stands in an address.
    var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// Where the server keeps its data.
enum DatabaseLocation: Equatable, Sendable {
    /// SQLite in memory: gone when the server stops.
    case memory
    /// A file of SQLite, by path, relative to the working directory.
    case file(String)
    /// A database of PostgreSQL, by URL, which may hold a password.
    case postgreSQL(Secret)

    static func == (one: DatabaseLocation, other: DatabaseLocation) -> Bool {
        switch (one, other) {
        case (.memory, .memory): true
        case (.file(let path), .file(let otherPath)): path == otherPath
        case (.postgreSQL(let address), .postgreSQL(let otherAddress)): address.exposed() == otherAddress.exposed()
        default: false
        }
    }

    /// Parses `sqlite:PATH`, `sqlite::memory:` or `postgres://…`. Never repeats the text: it may hold a password.
    init(_ text: String) throws(Refusal) {
        if text == "sqlite::memory:" {
            self = .memory
        } else if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") {
            self = .postgreSQL(Secret(text))
        } else if text.hasPrefix("sqlite:"), text.utf8.count > 7, !text.hasPrefix("sqlite::") {
            self = .file(String(text.dropFirst(7)))
        } else {
            throw Refusal(
                "it is not a database this release knows",
                "Write sqlite:PATH, postgres://USER:PASSWORD@HOST:5432/NAME, or sqlite::memory: to forget.")
        }
    }
}

/// A key with which the server seals what it hands out: 32 bytes, never printed.
struct SealingKey: Sendable, CustomStringConvertible, CustomReflectable {
    let bytes: [UInt8]

    /// Parses base64 or base64url of exactly 32 bytes.
    init(_ text: String) throws(Refusal) {
        let unpadded = text.hasSuffix("=") ? text.dropLast() : text[...]
        let spelled = unpadded.utf8.map { byte in
            byte == UInt8(ascii: "+") ? UInt8(ascii: "-") : byte == UInt8(ascii: "/") ? UInt8(ascii: "_") : byte
        }
        guard let bytes = Base64URL.decode(utf8: spelled[...]), bytes.count == 32 else {
            throw Refusal("it is not base64 of exactly 32 bytes", "Make one with: openssl rand -base64 32")
        }
        self.bytes = bytes
    }

    var description: String { "«secret»" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
