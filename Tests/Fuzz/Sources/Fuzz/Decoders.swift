import KeyturnBase
import KeyturnWebAuthn

/// Every way by which bytes of strangers come in, and what must be true of what is accepted.
enum Decoders {
    static func run(_ choice: UInt8, _ bytes: [UInt8]) {
        switch choice % 5 {
        case 0:
            guard let value = try? CBORValue(decoding: bytes) else { return }
            precondition(value.encoded == bytes, "one spelling of each value")
        case 1:
            guard let data = try? AuthenticatorData(bytes) else { return }
            precondition(data.encoded == bytes, "nothing is lost")
        case 2: _ = try? COSEKey(bytes)
        case 3: _ = try? ClientData(bytes)
        default: statement(bytes)
        }
    }

    /// A registration that is right up to its statement: format and statement are the input.
    private static func statement(_ bytes: [UInt8]) {
        guard let (format, count) = try? CBORValue.decodeFirst(of: bytes), let name = format.textValue,
            let statement = try? CBORValue(decoding: bytes[count...])
        else { return }
        let object = CBORValue.map(
            CBORMap([
                (.text("fmt"), .text(name)), (.text("attStmt"), statement), (.text("authData"), .bytes(Sample.data)),
            ]))
        let response = RegistrationResponse(
            id: [1], clientDataJSON: Sample.clientData, attestationObject: object.encoded)
        _ = try? Sample.ceremony?.verify(response)
    }
}

/// An honest registration, for what comes after its other parts.
private enum Sample {
    static let challenge = [UInt8](repeating: 0, count: 16)
    static let clientData = Array(
        #"{"type":"webauthn.create","challenge":"AAAAAAAAAAAAAAAAAAAAAA","origin":"https://keyturn.test"}"#.utf8)
    static let ceremony =
        (try? WebAuthnPolicy(
            rpID: "keyturn.test", rpName: "", origins: ["https://keyturn.test"])).map {
            RegistrationCeremony(policy: $0, challenge: challenge, userHandle: [1])
        }
    /// SHA-256 of `keyturn.test`, a user who is present, a credential of one byte, and the base point of P-256 as its
    /// key.
    static let data: [UInt8] =
        hash + [0x41, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 16) + [0, 1, 1]
        + CBORValue.map(
            CBORMap([
                (.integer(1), .integer(2)), (.integer(3), .integer(-7)), (.integer(-1), .integer(1)),
                (.integer(-2), .bytes(Base64URL.decode("axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY") ?? [])),
                (.integer(-3), .bytes(Base64URL.decode("T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU") ?? [])),
            ])
        ).encoded
    private static let hash = Base64URL.decode("vnZqRmi8C0wxQwaGNiaRnVDiFt8Jn9ar6u235UfebT0") ?? []
}
