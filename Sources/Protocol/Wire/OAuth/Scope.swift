/// What a token allows: a set of names, written with spaces between them (RFC 6749 §3.3).
public struct Scope: Hashable, Sendable {
    /// The names in the order in which they were asked for, each once.
    public let names: [String]

    /// The empty scope.
    public static let none = Scope(names: [])

    /// Keeps the first of each name.
    public init(names: [String]) {
        if names.count <= Self.fewNames {
            // Most scopes: comparing is faster than hashing.
            self.names = names.indices.filter { !names[..<$0].contains(names[$0]) }.map { names[$0] }
        } else {
            var seen: Set<String> = []
            self.names = names.filter { seen.insert($0).inserted }
        }
    }

    private static let fewNames = 8

    /// Parses the wire form. `nil` if a name holds a character that RFC 6749 §3.3 does not allow.
    public init?(_ text: String) {
        let allowed: (UInt8) -> Bool = { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) }
        // Before it is split: characters of other alphabets are costly to find the borders of.
        guard text.utf8.allSatisfy({ $0 == 0x20 || allowed($0) }) else { return nil }
        self.init(names: text.utf8.split(separator: 0x20).map { String(Substring($0)) })
    }

    /// Whether `name` is in it.
    public func contains(_ name: String) -> Bool {
        names.contains(name)
    }

    /// Whether every name of this scope is in `other`.
    public func isSubset(of other: Scope) -> Bool {
        names.allSatisfy(other.contains)
    }

    /// The names that are in both, in this scope's order.
    public func intersection(_ other: Scope) -> Scope {
        Scope(names: names.filter(other.contains))
    }

    /// The wire form.
    public var text: String { names.joined(separator: " ") }
    /// Whether there is no name.
    public var isEmpty: Bool { names.isEmpty }
}

extension Scope: ExpressibleByArrayLiteral {
    /// One name of a scope, as it is written in a list of them: a string, or a constant of the service's.
    public struct Name: RawRepresentable, ExpressibleByStringLiteral, Hashable, Sendable {
        /// The name on the wire.
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        public init(stringLiteral value: String) {
            rawValue = value
        }
    }

    /// Keeps the first of each name.
    public init(arrayLiteral elements: Name...) {
        self.init(names: elements.map(\.rawValue))
    }
}

extension Scope {
    /// The scope that makes a request an OpenID request (OpenID Connect Core §3.1.2.1).
    public static let openID = "openid"
    /// Access that outlives the browser's session (OpenID Connect Core §11).
    public static let offlineAccess = "offline_access"
    /// A secret that other apps of the same vendor on the device sign in with (OpenID Connect Native SSO §3.1).
    public static let deviceSSO = "device_sso"
    /// Streams of security events for a receiver of shared signals: to make and to change them (CAEP Interoperability
    /// Profile 1.0).
    public static let signalsManage = "ssf.manage"
    /// To look at them alone.
    public static let signalsRead = "ssf.read"
    /// A Keyturn server's management interface, in the name of an operator.
    public static let management = "keyturn:management"
}
