public import KeyturnBase

/// A compact token that was taken apart but not checked (RFC 7515 §5.2): only its form is known to be right.
public struct UnverifiedJWS: Sendable {
    /// The header, not verified.
    public let header: JWSHeader
    /// What the token says. It is not verified: use it to choose a key, and for nothing else.
    public let unverifiedPayload: [UInt8]
    private let signingInput: ArraySlice<UInt8>
    private let signature: [UInt8]

    /// Longest token, in bytes, unless a caller says otherwise.
    public static let bytesMax = 16_384

    /// Takes a token apart.
    ///
    /// - Parameters:
    ///   - compact: The token.
    ///   - bytesMax: The longest token, in bytes.
    /// - Throws: ``JoseProblem`` unless it is three parts of canonical base64url with a header that is understood.
    public init(_ compact: String, bytesMax: Int = UnverifiedJWS.bytesMax) throws(JoseProblem) {
        try self.init(utf8: Array(compact.utf8), bytesMax: bytesMax)
    }

    /// The same as ``init(_:bytesMax:)``, from ASCII bytes.
    public init(utf8 bytes: [UInt8], bytesMax: Int = UnverifiedJWS.bytesMax) throws(JoseProblem) {
        guard bytes.count <= bytesMax else { throw JoseProblem(.tooLarge, "the token is too long") }
        let dot = UInt8(ascii: ".")
        guard let first = bytes.firstIndex(of: dot), let last = bytes.lastIndex(of: dot), first < last,
            !bytes[(first + 1)..<last].contains(dot)
        else { throw JoseProblem(.malformed, "a token has three parts") }
        guard let head = Base64URL.decode(utf8: bytes[..<first]),
            let payload = Base64URL.decode(utf8: bytes[(first + 1)..<last]),
            let signature = Base64URL.decode(utf8: bytes[(last + 1)...])
        else { throw JoseProblem(.malformed, "a part of the token is not canonical base64url") }
        guard !signature.isEmpty else { throw JoseProblem(.malformed, "the token is not signed") }
        header = try JWSHeader(parsing: head)
        unverifiedPayload = payload
        signingInput = bytes[..<last]
        self.signature = signature
    }

    /// Checks the signature.
    ///
    /// - Throws: `algorithmMismatch` if the header names another algorithm than the key is bound to; `signature` if
    ///   the signature is not by the key.
    public func verify(with key: VerificationKey) throws(JoseProblem) -> VerifiedJWS {
        guard header.algorithm == key.algorithm else {
            throw JoseProblem(.algorithmMismatch, "the token names another algorithm than the key is for")
        }
        guard key.isValid(signature, for: signingInput) else {
            throw JoseProblem(.signature, "the signature is not by this key")
        }
        return VerifiedJWS(header: header, payload: unverifiedPayload)
    }
}

/// A token whose signature was checked. Only ``UnverifiedJWS/verify(with:)`` makes one.
public struct VerifiedJWS: Sendable {
    /// The header.
    public let header: JWSHeader
    /// The payload, byte for byte.
    public let payload: [UInt8]

    /// The payload as an object of claims (RFC 7519 §4), parsed strictly.
    ///
    /// - Parameter limits: The bounds within which it is parsed at all.
    /// - Throws: `malformed` if it is not a JSON object, or names a member twice.
    public func claims(limits: JSONValue.Limits = .standard) throws(JoseProblem) -> JSONValue {
        let json: JSONValue
        do {
            json = try JSONValue(parsing: payload, limits: limits)
        } catch {
            throw JoseProblem(.malformed, "the claims are not JSON as they should be: \(error.rule.rawValue)")
        }
        guard json.objectValue != nil else { throw JoseProblem(.malformed, "the claims are not a JSON object") }
        return json
    }
}
