public import KeyturnBase
internal import KeyturnJose
internal import KeyturnWire
public import Model

/// An ID token of this server that a client sent back to name a user. It may have expired long ago.
public struct IDTokenHint: Hashable, Sendable {
    public let subject: String
    public let clientID: String
    public let sessionID: SessionID?
    /// When the user signed in.
    public let authenticatedAt: UnixTime?
    /// Of the device secret that came with it (`ds_hash`); `nil`: none did.
    public let deviceSecretHash: String?
    /// Whether the session is on another device than the browser of ``sessionID``, which let it in.
    public let isOfOtherDevice: Bool
}

/// Reads ID token hints: a genuine ID token of this server; its age does not matter (RP-Initiated Logout §2).
public struct IDTokenHintReader: Sendable {
    private let issuer: String
    private let keys: KeyRing
    private let ambient: Ambient

    public init(issuer: String, keys: KeyRing, ambient: Ambient) {
        self.issuer = issuer
        self.keys = keys
        self.ambient = ambient
    }

    /// The hint; `nil` if the text is not a genuine ID token of this server.
    public func read(_ text: String) -> IDTokenHint? {
        guard text.utf8.count <= Limits.tokenBytesMax, let jws = try? UnverifiedJWS(text),
            jws.header.type == TokenKind.idToken, let keyID = jws.header.keyID,
            let key = keys.verificationKey(keyID, at: ambient.now()),
            let claims = try? jws.verify(with: key).claims(),
            Project.isIssuer(claims["iss"]?.stringValue, of: issuer), let subject = claims["sub"]?.stringValue,
            let clientID = claims["aud"]?.stringValue
        else { return nil }
        return IDTokenHint(
            subject: subject, clientID: clientID,
            sessionID: claims["sid"]?.stringValue.map(SessionID.init(rawValue:)),
            authenticatedAt: claims["auth_time"]?.integerValue.map(UnixTime.init(rawValue:)),
            deviceSecretHash: claims["ds_hash"]?.stringValue,
            isOfOtherDevice: claims["amr"]?.stringArrayValue?.contains(AuthenticationMethod.otherDevice.reference)
                ?? false)
    }
}
