/// The operator's settings for the key service.
public struct KeyServiceSettings: Hashable, Sendable {
    /// The existing realms; `nil`: any well-formed name. The service without a realm always exists.
    public let realms: Set<String>?
    /// A key that was not used for so many days is removed.
    public let unusedDays: Int

    /// Two years: what a key protects may be more than a session.
    public static let standardUnusedDays = 730

    public init(realms: Set<String>? = nil, unusedDays: Int = standardUnusedDays) {
        precondition(unusedDays > 0, "a key must stay for a while")
        self.realms = realms
        self.unusedDays = unusedDays
    }

    /// Whether a text can be a realm's name: 1 to ``Limits/realmLengthMax`` letters, digits, `-`, `_` and `.` of ASCII,
    /// the first of them no dot.
    public static func isRealm(_ text: String) -> Bool {
        (1...Limits.realmLengthMax).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: ".")
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }

    /// Whether the realm exists; the empty name is the service without one.
    public func knows(realm: String) -> Bool {
        realm.isEmpty || Self.isRealm(realm) && realms?.contains(realm) ?? true
    }
}
