internal import KeyturnBase
internal import KeyturnJose
internal import KeyturnWire
internal import Model

/// What a device asks for by a request that one of its keys signs.
protocol SignedRequestAction: RawRepresentable<String>, CaseIterable, Sendable {
    /// `typ` of the requests: one kind of request never passes for another.
    static var requestType: String { get }
}

extension BiometricAction: SignedRequestAction {
    static var requestType: String { BiometricNames.requestType }
}

extension AnonymousAction: SignedRequestAction {
    static var requestType: String { AnonymousNames.requestType }
}

/// A request signed by a device's key, parsed and not verified: only its form is known to be right.
struct UnverifiedSignedRequest<Action: SignedRequestAction>: Sendable {
    let action: Action
    let keyID: String
    /// The key itself, where the server does not know it yet.
    let publicKey: JSONWebKey?
    private let jws: UnverifiedJWS

    /// Whether a request asks for an action. Decides only which check handles the request.
    static func asks(for action: Action, _ jwt: String) -> Bool {
        guard let jws = try? UnverifiedJWS(jwt) else { return false }
        return (try? JSONValue(parsing: jws.unverifiedPayload))?["action"]?.stringValue == action.rawValue
    }

    /// The request in a form.
    ///
    /// - Throws: `invalid_request` if there is none; otherwise as ``init(_:)``.
    init(in form: FormParameters) throws(OAuthProblem) {
        guard let jwt = form.single(BiometricNames.jwt) else {
            throw OAuthProblem(.invalidRequest, "jwt is missing")
        }
        try self.init(jwt)
    }

    /// - Throws: `invalid_request` for an unknown action; otherwise `invalid_grant`, with the word by which devices
    ///   know that it was the request.
    init(_ jwt: String) throws(OAuthProblem) {
        guard jwt.utf8.count <= Limits.signedRequestBytesMax, let jws = try? UnverifiedJWS(jwt),
            jws.header.type == Action.requestType, let keyID = jws.header.keyID, Self.isKeyID(keyID),
            Self.algorithms.contains(jws.header.algorithm),
            let claims = try? JSONValue(parsing: jws.unverifiedPayload), let word = claims["action"]?.stringValue
        else { throw .invalidCredentials }
        guard let action = Action(rawValue: word) else {
            let words = Action.allCases.map(\.rawValue).joined(separator: " or ")
            throw OAuthProblem(.invalidRequest, "action is \(words)")
        }
        var publicKey: JSONWebKey?
        if let jwk = jws.header.members["jwk"] {
            guard let key = try? JSONWebKey(jwk), key.keyID == nil || key.keyID == keyID else {
                throw .invalidCredentials
            }
            publicKey = key
        }
        self.jws = jws
        self.keyID = keyID
        self.action = action
        self.publicKey = publicKey
    }

    /// Algorithms of such keys: P-256 in a chip, RSA on older devices.
    static var algorithms: [SignatureAlgorithm] { [.es256, .rs256] }

    var algorithm: SignatureAlgorithm { jws.header.algorithm }

    /// Checks the signature and the times.
    ///
    /// - Throws: `invalid_grant`.
    func verify(with key: JSONWebKey, at now: UnixTime) throws(OAuthProblem) -> VerifiedSignedRequest {
        guard let verifier = try? VerificationKey(key, algorithm: algorithm),
            let claims = try? jws.verify(with: verifier).claims(),
            let issuedAt = claims["iat"]?.integerValue, let expiresAt = claims["exp"]?.integerValue,
            let challenge = claims["challenge"]?.stringValue
        else { throw .invalidCredentials }
        let skew = Limits.clockSkewSeconds
        let bound: Int64 = 1 << 53
        guard (0...bound).contains(issuedAt), (0...bound).contains(expiresAt),
            now.rawValue < expiresAt + skew, issuedAt <= now.rawValue + skew,
            expiresAt - issuedAt <= Limits.signedRequestSecondsMax
        else { throw .invalidCredentials }
        return VerifiedSignedRequest(
            challenge: challenge, device: BiometricDeviceName(claims["device_info"])?.text ?? "")
    }

    /// 8 to 64 letters, digits, `-` and `_`.
    private static func isKeyID(_ text: String) -> Bool {
        (8...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            }
    }
}

/// A request that its key has signed; its challenge is not checked yet.
struct VerifiedSignedRequest: Sendable {
    let challenge: String
    /// The device's own name; may be empty.
    let device: String

    fileprivate init(challenge: String, device: String) {
        self.challenge = challenge
        self.device = device
    }
}

extension OAuthProblem {
    /// The one word for every flaw of a signed request: a device that gets it forgets the key.
    static let invalidCredentials = OAuthProblem(.invalidGrant, BiometricNames.invalidCredentials)
}
