import Foundation
import KeyturnBase
import KeyturnWebAuthn
import Testing

/// The test vectors of WebAuthn Level 3 §16, read where they are: in the folder that `KEYTURN_VECTORS` names, or beside
/// the repository.
struct Vector: Sendable, CustomTestStringConvertible {
    let name: String
    let registration: RegistrationResponse
    let registrationChallenge: [UInt8]
    let authentication: AuthenticationResponse
    let authenticationChallenge: [UInt8]

    var testDescription: String { name }

    static let userHandle = Array("somebody".utf8)

    static let all: [Vector] = {
        guard let file, let data = try? Data(contentsOf: file),
            let json = try? JSONValue(parsing: data, limits: .init(bytesMax: 1_048_576, depthMax: 8, membersMax: 64))
        else { return [] }
        return (json["examples"]?.arrayValue ?? []).compactMap(Vector.init)
    }()

    /// All but the one whose algorithm is not supported.
    static let supported = all.filter { !$0.name.contains("Ed448") }

    static var isThere: Bool {
        if file == nil { print("Skipped: no test vectors. Set KEYTURN_VECTORS to their folder.") }
        return file != nil
    }

    private static let file: URL? = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let named = ProcessInfo.processInfo.environment["KEYTURN_VECTORS"].map { URL(fileURLWithPath: $0) }
        let file = (named ?? root.appendingPathComponent("../shared/vectors"))
            .appendingPathComponent("webauthn-level3.json")
        return FileManager.default.fileExists(atPath: file.path) ? file : nil
    }()

    private init?(_ json: JSONValue) {
        let bytes = { (part: String, name: String) in json[part]?[name]?.stringValue.map(Self.bytes) }
        guard let name = json["name"]?.stringValue, let id = bytes("registration", "credential_id"),
            let created = bytes("registration", "clientDataJSON"),
            let object = bytes("registration", "attestationObject"),
            let registrationChallenge = bytes("registration", "challenge"),
            let got = bytes("authentication", "clientDataJSON"),
            let data = bytes("authentication", "authenticatorData"),
            let signature = bytes("authentication", "signature"),
            let authenticationChallenge = bytes("authentication", "challenge")
        else { return nil }
        self.name = name
        registration = RegistrationResponse(id: id, clientDataJSON: created, attestationObject: object)
        authentication = AuthenticationResponse(
            id: id, clientDataJSON: got, authenticatorData: data, signature: signature, userHandle: Self.userHandle)
        self.registrationChallenge = registrationChallenge
        self.authenticationChallenge = authenticationChallenge
    }

    private static func bytes(hex: String) -> [UInt8] {
        var result: [UInt8] = []
        var rest = hex[...]
        while rest.count >= 2 {
            result.append(UInt8(rest.prefix(2), radix: 16) ?? 0)
            rest = rest.dropFirst(2)
        }
        return result
    }
}

extension Vector {
    /// As strict as the example allows: frames of other sites where it runs in one, verification where the user was
    /// verified.
    func policy(isVerified: Bool) throws -> WebAuthnPolicy {
        let isCrossOrigin = String(decoding: registration.clientDataJSON, as: UTF8.self).contains(#"Origin":true"#)
        let hasTop = String(decoding: registration.clientDataJSON, as: UTF8.self).contains("topOrigin")
        return try WebAuthnPolicy(
            rpID: "example.org", rpName: "Example", origins: ["https://example.org"],
            topOrigins: hasTop ? ["https://example.com"] : [], allowsCrossOrigin: isCrossOrigin,
            userVerification: isVerified ? .required : .discouraged, algorithms: COSEAlgorithm.allCases,
            attestation: .ask)
    }

    func registrationCeremony() throws -> RegistrationCeremony {
        let data = try AttestationObject(registration.attestationObject).authenticatorData
        return RegistrationCeremony(
            policy: try policy(isVerified: data.flags.contains(.userVerified)), challenge: registrationChallenge,
            userHandle: Self.userHandle)
    }

    func authenticationCeremony() throws -> AuthenticationCeremony {
        let data = try AuthenticatorData(authentication.authenticatorData)
        return AuthenticationCeremony(
            policy: try policy(isVerified: data.flags.contains(.userVerified)), challenge: authenticationChallenge,
            subject: .user(handle: Self.userHandle), allowedIDs: [registration.id])
    }
}
