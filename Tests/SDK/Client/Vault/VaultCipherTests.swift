import KeyturnBase
import Testing

@testable import Keyturn

@Suite("What a vault seals")
struct VaultCipherTests {
    static let plain = Array("eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1c2VyLTEifQ.".utf8)
    static let short = Secret("UWZUalduWnI0dTd4IUElRA==")
    static let long = Secret("/RT5VXFinR27coWdsieCt3UxoKibplkO+bCVNkDJK9o=")

    struct Vector: Sendable, CustomTestStringConvertible {
        let key: Secret
        let method: LegacyVaultMethod
        let nonceBytes: UInt8
        let stored: String
        var testDescription: String { "\(method.rawValue), \(stored.prefix(24))…" }
    }

    /// The values of a real client's library.
    static let vectors = [
        Vector(
            key: short, method: .aesGCM, nonceBytes: 12,
            stored: "AAECAwQFBgcICQoLZPCS9nKcSpjaYVvWTx8Bx1gYHrXYGgg2KxPCql25mJhtlSY1ug2y+auBBAcY4V3i5pFKWYkmFGZDBjU="),
        Vector(
            key: short, method: .aesCBC, nonceBytes: 16,
            stored: "AAECAwQFBgcICQoLDA0OD0l9rbOI4aimxN4J0pzJdqU3qd8IXcDoNK+n0JE3CJw4ep/ZTuvQCSRYrdprKvKDsQ=="),
        Vector(
            key: long, method: .aesGCM, nonceBytes: 12,
            stored: "AAECAwQFBgcICQoLfP66peje+gzpc3MeFZ+eoG8LHcPOmogCDF/aYcI1VMoeyE+UPiDz4TbGiQdfO9r+U3v/LNtDTjujwWQ="),
        Vector(
            key: long, method: .aesCBC, nonceBytes: 16,
            stored: "AAECAwQFBgcICQoLDA0OD824itpoYnY/xwpXb8S2kfGUYqG2iCy8Xuh2OGVWlOc4D2iontb0e8I1Qb3qpcxSKQ=="),
    ]

    static func bytes(_ base64: String) -> [UInt8] {
        Base64URL.decode(base64.replacing("+", with: "-").replacing("/", with: "_").filter { $0 != "=" }) ?? []
    }

    @Test(arguments: vectors)
    func `1: Trifork's items go both ways, byte for byte`(_ vector: Vector) throws {
        let key = try DataKey(base64: vector.key)
        let stored = Self.bytes(vector.stored)
        #expect(try key.open(stored, by: vector.method) == Self.plain)
        let nonce = Array(0..<vector.nonceBytes)
        #expect(try key.seal(Self.plain, by: vector.method, nonce: nonce) == stored)
    }

    @Test func `2: one bit of the tag, and nothing opens`() throws {
        let key = try DataKey(base64: Self.long)
        for vector in Self.vectors where vector.method == .aesGCM {
            var stored = Self.bytes(vector.stored)
            stored[stored.count - 1] ^= 1
            #expect(throws: AuthError.code(.vaultDamaged)) {
                try DataKey(base64: vector.key).open(stored, by: .aesGCM)
            }
        }
        let label = VaultLabel(user: "andy", keyID: "k", kind: .item("a"))
        var sealed = try key.seal([1, 2, 3], label, ambient: .live)
        #expect(try key.open(sealed, label) == [1, 2, 3])
        sealed[sealed.count - 1] ^= 1
        #expect(throws: AuthError.code(.vaultDamaged)) { try key.open(sealed, label) }
    }

    @Test(arguments: ["123", "", "AAAA", "not base64!", "UWZUalduWnI0dTd4IUElRA"])
    func `3: what is no AES key is refused by name`(_ text: String) {
        #expect(throws: AuthError.code(.vaultInvalidKey)) { try DataKey(base64: Secret(text)) }
    }

    @Test func `one method's item does not open by the other, whatever its length`() throws {
        for vector in Self.vectors {
            let other: LegacyVaultMethod = vector.method == .aesGCM ? .aesCBC : .aesGCM
            let key = try DataKey(base64: vector.key)
            // CBC notices nothing by itself: what it makes of it is no token, and that is refused.
            if let wrong = try? key.open(Self.bytes(vector.stored), by: other) { #expect(wrong != Self.plain) }
        }
    }

    @Test func `whatever is moved to another user, key, name or generation does not open`() throws {
        let key = try DataKey(base64: Self.long)
        let label = VaultLabel(user: "andy", keyID: "k", kind: .item("pin"))
        let sealed = try key.seal(Self.plain, label, ambient: .live)
        let generation = Generation(signIn: "pin", number: 1)
        let others = [
            VaultLabel(user: "bert", keyID: "k", kind: .item("pin")),
            VaultLabel(user: "andy", keyID: "l", kind: .item("pin")),
            VaultLabel(user: "andy", keyID: "k", kind: .item("pan")),
            VaultLabel(user: "andyk", keyID: "", kind: .item("pin")),
            VaultLabel(user: "andy", keyID: "k", kind: .session(generation)),
        ]
        for other in others { #expect(throws: AuthError.code(.vaultDamaged)) { try key.open(sealed, other) } }
        let session = VaultLabel(user: "andy", keyID: "k", kind: .session(generation))
        let next = VaultLabel(user: "andy", keyID: "k", kind: .session(generation.next))
        let sealedSession = try key.seal(Self.plain, session, ambient: .live)
        #expect(throws: AuthError.code(.vaultDamaged)) { try key.open(sealedSession, next) }
    }

    @Test(arguments: [16, 24, 32])
    func `keys of all three lengths seal, and the length is authenticated`(_ count: Int) throws {
        let key = try #require(DataKey(bytes: Array(repeating: 7, count: count)))
        let label = VaultLabel(user: "andy", keyID: "k", kind: .item("a"))
        #expect(try key.open(try key.seal(Self.plain, label, ambient: .live), label) == Self.plain)
        #expect(key.algorithm == "A\(count * 8)GCM")
    }

    @Test func `a key prints nothing`() throws {
        let key = try DataKey(base64: Self.long)
        let opened = OpenedVault(user: "andy", keyID: "k", key: key)
        var text = ""
        dump(opened, to: &text)
        #expect("\(key)\(String(reflecting: key))" == "«key»«key»")
        #expect(!text.contains("SymmetricKey") && !text.contains("253"))
    }

    @Test(arguments: [
        (#"{"sub":"user-1","exp":4102444800,"iss":"i"}"#, 3, true), (#"{"exp":1}"#, 3, false),
        (#"{"sub":7}"#, 3, false), (#"{"sub":"user-1"}"#, 2, false), (#"{"sub":"user-1"}"#, 5, false),
        (#"{"sub":""}"#, 3, false), ("[]", 3, false),
    ])
    func `6: a token says whose it is only as a JWT of three segments with a textual sub`(
        _ payload: String, _ segments: Int, _ isRead: Bool
    ) {
        let all = ["e30", Base64URL.encode(Array(payload.utf8)), "c2ln", "eA", "eA"]
        let data = TokenData(all.prefix(segments).joined(separator: "."))
        #expect((data != nil) == isRead)
        guard isRead else { return }
        #expect(data?.userID == "user-1" && data?.issuer == "i")
        // Beyond what 32 bits hold.
        #expect(data?.expiresAt == UnixTime(rawValue: 4_102_444_800))
    }
}
