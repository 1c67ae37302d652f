internal import KeyturnBase
internal import KeyturnWebAuthn
internal import KeyturnWire
internal import Model

/// A ceremony of the methods' API between its two calls, sealed into the `transactionId`, so that no row is stored.
struct PasskeyTransaction: Hashable, Sendable {
    /// The purpose: ``VerificationFacts/Purpose/signUp``, `signIn` or `update`.
    let facts: VerificationFacts
    let relyingParty: String
    /// The origin of the ceremony, if the client named it.
    let origin: String?
    /// In a sign-up or an update, the user handle of the new credential.
    let userHandle: [UInt8]
    let expiresAt: UnixTime

    /// Whether it creates a credential.
    var creates: Bool { facts.purpose != .signIn }
}

/// Seals transactions into their identifiers.
struct PasskeyTransactionSeal: Sendable {
    private let seal: Seal
    private static let context = Array("transaction".utf8)
    private static let pageContext = Array("transaction-page".utf8)

    init(_ secrets: ServerSecrets, ambient: Ambient) {
        seal = Seal(secrets, purpose: .passkey, ambient: ambient)
    }

    func close(_ transaction: PasskeyTransaction) -> String {
        close(transaction.form, Self.context)
    }

    /// The transaction's identifier for the page that performs it. It is part of the page's address, which others may
    /// read: it can begin the ceremony, but not end it.
    func page(of transaction: PasskeyTransaction, _ challenge: [UInt8]) -> String {
        var form = transaction.form
        form["challenge"] = .string(Base64URL.encode(challenge))
        return close(form, Self.pageContext)
    }

    /// `nil` if this server did not make it.
    func open(_ text: String) -> PasskeyTransaction? {
        form(text, Self.context).flatMap(Self.transaction)
    }

    /// The transaction that a page performs, and its challenge.
    func open(page text: String) -> (PasskeyTransaction, challenge: [UInt8])? {
        guard let form = form(text, Self.pageContext), let transaction = Self.transaction(form),
            let challenge = form["challenge"]?.stringValue.flatMap({ Base64URL.decode($0) })
        else { return nil }
        return (transaction, challenge)
    }

    private func close(_ form: [String: JSONValue], _ context: [UInt8]) -> String {
        Base64URL.encode(seal.seal(JSONValue.object(form).serialized, context: context))
    }

    private func form(_ text: String, _ context: [UInt8]) -> JSONValue? {
        guard text.utf8.count <= Limits.transactionBytesMax, let sealed = Base64URL.decode(text),
            let plain = seal.open(sealed, context: context)
        else { return nil }
        return try? JSONValue(
            parsing: plain, limits: .init(bytesMax: Limits.transactionBytesMax, depthMax: Limits.bodyDepthMax))
    }

    private static func transaction(_ form: JSONValue) -> PasskeyTransaction? {
        guard let facts = form["facts"].flatMap(VerificationFacts.init(json:)), let party = form["rp"]?.stringValue,
            let handle = form["handle"]?.stringValue.flatMap({ Base64URL.decode($0) }),
            let expiry = form["exp"]?.integerValue
        else { return nil }
        return PasskeyTransaction(
            facts: facts, relyingParty: party, origin: form["origin"]?.stringValue, userHandle: handle,
            expiresAt: UnixTime(rawValue: expiry))
    }
}

extension PasskeyTransaction {
    fileprivate var form: [String: JSONValue] {
        [
            "facts": facts.json, "rp": .string(relyingParty), "handle": .string(Base64URL.encode(userHandle)),
            "exp": .integer(expiresAt.rawValue), "origin": origin.map(JSONValue.string) ?? .null,
        ]
    }
}
