internal import KeyturnBase
internal import KeyturnWebAuthn
internal import KeyturnWire

/// A ceremony of the methods' wire between its start and its end: sealed into the `transactionId`, so that no row exists.
struct PasskeyTransaction: Hashable, Sendable {
    /// What the ceremony is for: ``ProofFacts/Purpose/signUp``, `signIn` or `update`.
    let facts: ProofFacts
    let relyingParty: String
    /// Where it takes place, if whoever began it said so.
    let origin: String?
    /// Of a sign-up or another passkey: whose it becomes.
    let userHandle: [UInt8]
    let expiresAt: UnixTime

    /// Whether a credential is to be made.
    var creates: Bool { facts.purpose != .signIn }
}

/// Seals transactions into their identifiers.
struct PasskeyTransactionSeal: Sendable {
    private let seal: Seal
    private static let context = Array("transaction".utf8)

    init(_ secrets: ServerSecrets, ambient: Ambient) {
        seal = Seal(secrets, purpose: .passkey, ambient: ambient)
    }

    func close(_ transaction: PasskeyTransaction) -> String {
        let form: JSONValue = [
            "facts": transaction.facts.json, "rp": .string(transaction.relyingParty),
            "handle": .string(Base64URL.encode(transaction.userHandle)),
            "exp": .integer(transaction.expiresAt.rawValue),
            "origin": transaction.origin.map(JSONValue.string) ?? .null,
        ]
        return Base64URL.encode(seal.seal(form.serialized, context: Self.context))
    }

    /// `nil` if it is not one of this server's.
    func open(_ text: String) -> PasskeyTransaction? {
        guard text.utf8.count <= Limits.transactionBytesMax, let sealed = Base64URL.decode(text),
            let plain = seal.open(sealed, context: Self.context),
            let form = try? JSONValue(
                parsing: plain, limits: .init(bytesMax: Limits.transactionBytesMax, depthMax: Limits.bodyDepthMax)),
            let facts = form["facts"].flatMap(ProofFacts.init(json:)), let party = form["rp"]?.stringValue,
            let handle = form["handle"]?.stringValue.flatMap({ Base64URL.decode($0) }),
            let expiry = form["exp"]?.integerValue
        else { return nil }
        return PasskeyTransaction(
            facts: facts, relyingParty: party, origin: form["origin"]?.stringValue, userHandle: handle,
            expiresAt: UnixTime(rawValue: expiry))
    }
}
