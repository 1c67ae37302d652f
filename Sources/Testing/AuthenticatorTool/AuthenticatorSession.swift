internal import KeyturnAuthenticator
internal import KeyturnBase
internal import KeyturnWebAuthn

/// One authenticator, and the commands for it.
///
/// Commands: `begin` (`seed`, text) deletes everything, `create` and `get` (`options`, as a service sent them, in
/// `publicKey` or bare) run a ceremony, `list` returns the credentials, `forget` (`id`) deletes one. Each may change
/// the `behaviour` from then on. An answer has `credential`, `credentials`, nothing, or an `error` with a browser's
/// name for it and its `reason`.
struct AuthenticatorSession {
    private static let lineLimits = JSONValue.Limits(bytesMax: 1_048_576)
    private var authenticator = SoftwareAuthenticator(seed: [])

    mutating func answer(to line: [UInt8]) -> JSONValue {
        do {
            let request = try JSONValue(parsing: line, limits: Self.lineLimits)
            if request["command"] == "begin" {
                authenticator = SoftwareAuthenticator(seed: Array((request["seed"]?.stringValue ?? "").utf8))
            }
            for (name, value) in request["behaviour"]?.objectValue ?? [:] {
                guard authenticator.behaviour.change(name, value) else { throw Misunderstood("behaviour.\(name)") }
            }
            return try run(request)
        } catch let refusal as SoftwareAuthenticator.Refusal {
            return ["error": .string(refusal.browserName), "reason": .string(refusal.rawValue)]
        } catch let misunderstood as Misunderstood {
            return ["error": "TypeError", "reason": .string(misunderstood.member)]
        } catch {
            return ["error": "TypeError", "reason": .string("\(error)")]
        }
    }

    private mutating func run(_ request: JSONValue) throws -> JSONValue {
        let options = request["options"].map { $0["publicKey"] ?? $0 } ?? .null
        switch request["command"]?.stringValue {
        case "begin": return [:]
        case "create":
            let asked = try PublicKeyCredentialCreationOptions(json: options)
            return ["credential": try authenticator.register(asked).json]
        case "get":
            let asked = try PublicKeyCredentialRequestOptions(json: options)
            return ["credential": try authenticator.authenticate(asked).json]
        case "list": return ["credentials": .array(authenticator.credentials.map(Self.describe))]
        case "forget":
            guard let id = request["id"]?.stringValue.flatMap({ Base64URL.decode($0) }) else {
                throw Misunderstood("id")
            }
            authenticator.forget(id)
            return [:]
        default: throw Misunderstood("command")
        }
    }

    private static func describe(_ credential: SoftwareAuthenticator.Credential) -> JSONValue {
        [
            "id": .string(Base64URL.encode(credential.id)), "rpId": .string(credential.rpID),
            "userHandle": .string(Base64URL.encode(credential.userHandle)),
            "publicKey": .string(Base64URL.encode(credential.key.publicKey.encoded)),
            "algorithm": .integer(credential.key.algorithm.rawValue),
            "signCount": .integer(Int64(credential.signCount)),
        ]
    }
}

/// A member of a command is missing or malformed.
struct Misunderstood: Error {
    let member: String

    init(_ member: String) { self.member = member }
}

extension SoftwareAuthenticator.Refusal {
    /// The name of the browser's exception.
    var browserName: String {
        switch self {
        case .excluded: "InvalidStateError"
        case .noCredential: "NotAllowedError"
        case .noAlgorithm: "NotSupportedError"
        }
    }
}
