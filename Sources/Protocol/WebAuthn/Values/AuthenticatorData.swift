/// What an authenticator asserts (WebAuthn Level 3 §6.1), read but not believed: the signature over it decides.
public struct AuthenticatorData: Hashable, Sendable {
    /// One bit each (§6.1).
    public struct Flags: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// UP: a user was present.
        public static let userPresent = Flags(rawValue: 1 << 0)
        /// UV: and it was this person, by PIN or biometrics.
        public static let userVerified = Flags(rawValue: 1 << 2)
        /// BE: the credential may be copied to other devices.
        public static let backupEligible = Flags(rawValue: 1 << 3)
        /// BS: and it has been.
        public static let backedUp = Flags(rawValue: 1 << 4)
        /// AT: a new credential follows.
        public static let attestedCredential = Flags(rawValue: 1 << 6)
        /// ED: extensions follow.
        public static let extensionData = Flags(rawValue: 1 << 7)
    }

    /// A new credential (§6.5.1).
    public struct AttestedCredential: Hashable, Sendable {
        /// The authenticator's model; zero if it does not say.
        public let aaguid: AAGUID
        /// The credential's identifier, 1 to 1,023 bytes.
        public let credentialID: [UInt8]
        /// The key in COSE form, not yet judged.
        public let publicKey: [UInt8]
    }

    /// SHA-256 of the relying party's identifier.
    public let rpIDHash: [UInt8]
    /// What the authenticator did and has (§6.1).
    public let flags: Flags
    /// The signature counter; 0 if the authenticator does not count.
    public let signCount: UInt32
    /// The new credential; only in registrations.
    public let attestedCredential: AttestedCredential?
    /// What extensions say; `nil` if the authenticator says nothing.
    public let extensions: CBORMap?
    /// The bytes that all this was read from: what is signed.
    public let encoded: [UInt8]

    /// Reads authenticator data. Nothing may be missing, and nothing may follow.
    ///
    /// - Throws: `authenticatorDataMalformed`.
    public init(_ encoded: [UInt8]) throws(WebAuthnProblem) {
        guard encoded.count <= WebAuthnLimits.authenticatorDataBytes else { throw Self.problem("it is too long") }
        self.encoded = encoded
        var reader = ByteReader(encoded)
        do {
            rpIDHash = try reader.bytes(32)
            flags = Flags(rawValue: try reader.uint8())
            signCount = try reader.uint32()
        } catch {
            throw Self.problem("it is shorter than 37 bytes")
        }
        attestedCredential = flags.contains(.attestedCredential) ? try Self.credential(&reader) : nil
        if flags.contains(.extensionData) {
            let (value, count) = try Self.item(reader.rest)
            guard let map = value.mapValue, map.names != nil else { throw Self.problem("the extensions are no map") }
            extensions = map
            _ = try? reader.bytes(count)
        } else {
            extensions = nil
        }
        guard reader.rest.isEmpty else { throw Self.problem("bytes follow that no flag announces") }
    }

    private static func credential(_ reader: inout ByteReader) throws(WebAuthnProblem) -> AttestedCredential {
        do {
            guard let aaguid = AAGUID(try reader.bytes(16)) else { throw problem("the model has no 16 bytes") }
            let credentialID = try reader.sized()
            let (value, count) = try item(reader.rest)
            guard value.mapValue != nil else { throw problem("the key is no map") }
            return AttestedCredential(
                aaguid: aaguid, credentialID: credentialID, publicKey: try reader.bytes(count))
        } catch let found as WebAuthnProblem {
            throw found
        } catch {
            throw problem("the credential is cut off")
        }
    }

    private static func item(
        _ bytes: ArraySlice<UInt8>
    ) throws(WebAuthnProblem) -> (value: CBORValue, byteCount: Int) {
        do {
            return try CBORValue.decodeFirst(of: bytes)
        } catch {
            throw problem("what follows is not canonical CBOR: \(error.rule.rawValue)")
        }
    }

    private static func problem(_ detail: String) -> WebAuthnProblem {
        WebAuthnProblem(.authenticatorDataMalformed, "authenticator data: \(detail)")
    }
}
