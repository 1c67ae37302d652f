import Crypto
import Foundation
import KeyturnAuthenticator
import KeyturnBase
import KeyturnJose
import KeyturnWebAuthn
import KeyturnWire
import ServerTesting
import Testing

@Suite("Import of a site's passkeys")
struct SiteImportTests {
    /// What another service registered on this device.
    private func registered(
        _ site: inout Site, _ id: String, username: String? = nil, algorithm: COSEAlgorithm = .es256
    ) throws -> ImportedPasskey {
        _ = try site.device.register(
            PublicKeyCredentialCreationOptions(
                rpID: "shop.example", rpName: "Shop", user: .init(id: Array("handle of \(id)".utf8)),
                challenge: Array(repeating: 1, count: 32), algorithms: [algorithm.rawValue]))
        let made = try #require(site.device.credentials.last)
        return ImportedPasskey(
            rawID: made.id, publicKey: .cose(made.key.publicKey.encoded), userID: id, username: username,
            userHandle: made.userHandle, signCount: made.signCount, isBackupEligible: true, isBackedUp: true,
            transports: ["internal"])
    }

    private func call(_ site: Site, _ imported: [ImportedPasskey]) async throws -> EndpointAnswer {
        try await site.backend("/credential/import", CredentialImportRequest(credentials: imported).json)
    }

    @Test func `a passkey signs in after its import, whatever form its key came in`() async throws {
        var site = try await Site.start()
        for algorithm in [COSEAlgorithm.es256, .edDSA, .rs256] {
            for form in ["cose", "jwk", "spki"] {
                let id = "\(form) \(algorithm)"
                var imported = try registered(&site, id, username: id, algorithm: algorithm)
                let key = try #require(site.device.credentials.last?.key.publicKey.jsonWebKey)
                let number = algorithm == .rs256 ? algorithm.rawValue : nil
                switch form {
                case "jwk": imported.publicKey = .jwk(key.json, algorithm: number)
                case "spki":
                    guard algorithm == .es256 else { continue }
                    let point = ["x", "y"].flatMap { Base64URL.decode(key.json[$0]?.stringValue ?? "") ?? [] }
                    let der = try P256.Signing.PublicKey(rawRepresentation: point).derRepresentation
                    imported.publicKey = .spki(Array(der))
                default: break
                }
                let answer = try await call(site, [imported])
                #expect(answer.status == 200, "\(id) \(answer.body)")
                let credential = try #require(try PasskeyCredentialList(json: answer.result).credentials.first)
                for user: JSONValue? in [["id": .string(id)], ["username": .string(id.uppercased())], nil] {
                    let token = try await site.authenticate(user).token
                    let verified = try VerifiedPasskeyUser(json: try await site.verify(token).result)
                    #expect(verified.userID == id && verified.credentialID == credential.id)
                }
            }
        }
        await site.server.stop()
    }

    @Test func `what the other service knew is kept`() async throws {
        var site = try await Site.start()
        var imported = try registered(&site, "1", username: "andy")
        imported.signCount = 41
        imported.isUvInitialized = true
        imported.transports = ["usb", "nfc"]
        imported.createdAt = UnixTime(rawValue: 1_600_000_000)
        imported.name = " Blue key "
        imported.aaguid = "FBFC3007-154E-4ECC-8C0B-6E020557D7BD"
        let answer = try await call(site, [imported])
        let credential = try #require(try PasskeyCredentialList(json: answer.result).credentials.first)
        #expect(credential.name == "Blue key" && credential.aaguid == "fbfc3007-154e-4ecc-8c0b-6e020557d7bd")
        #expect(credential.transports == ["usb", "nfc"] && credential.createdAt.rawValue == 1_600_000_000)
        #expect(credential.isActive && credential.isUvInitialized && credential.isBackedUp && credential.usedAt == nil)
        let refused = try await site.authenticate(["id": "1"])
        #expect(refused.code == "InvalidInput", "the device's counter is behind the imported one")
        await site.server.stop()
    }

    @Test func `of a batch with one that is wrong nothing is imported, and its place is named`() async throws {
        var site = try await Site.start()
        #expect(try await site.register("known", username: "andy").status == 200)
        let known = try #require(site.device.credentials.last)
        let good = try registered(&site, "good")
        let other = try registered(&site, "other", username: "bea")
        let rsa = try CredentialKey(.rs256, seed: [1]).publicKey.jsonWebKey.json
        let clock = site.server.clock
        let changes: [(String, (inout ImportedPasskey) -> Void)] = [
            ("CredentialAlreadyRegistered", { $0.rawID = known.id }),
            ("CredentialAlreadyRegistered", { $0.rawID = good.rawID }),
            ("UsernameInUseByDifferentAccount", { $0.username = "ANDY" }),
            ("UsernameCannotChange", { ($0.userID, $0.username) = ("known", "bea") }),
            ("InvalidInput", { $0.publicKey = .cose([1, 2, 3]) }),
            ("InvalidInput", { $0.publicKey = .spki([0x30, 0]) }),
            ("InvalidInput", { $0.publicKey = .jwk(["kty": "oct", "k": "AA"]) }),
            ("InvalidInput", { $0.publicKey = .jwk(rsa) }),
            ("InvalidInput", { $0.publicKey = .jwk(rsa, algorithm: -7) }),
            ("InvalidInput", { $0.publicKey = .jwk(rsa, algorithm: -65_535) }),
            ("InvalidInput", { $0.aaguid = String(repeating: "x", count: 36) }),
            ("InvalidInput", { $0.transports = ["USB key"] }),
            ("InvalidInput", { $0.transports = ["usb", "usb"] }),
            ("InvalidInput", { $0.name = "a\u{7}b" }),
            ("InvalidInput", { $0.createdAt = clock.now + 1 }),
        ]
        for (code, change) in changes {
            var wrong = other
            change(&wrong)
            let answer = try await call(site, [good, wrong])
            #expect(answer.code == code && [400, 409].contains(answer.status), "\(code) \(answer.body)")
            #expect(answer.body.contains("credentials[1]"), "\(answer.body)")
            for id in ["good", "other"] {
                let list = try await site.backend("/credential/list", ["user": ["id": .string(id)]])
                #expect(list.result["credentials"] == [], "\(code)")
            }
        }
        #expect(try await call(site, [good, other]).status == 200)
        #expect(try await call(site, [good]).code == "CredentialAlreadyRegistered")
        await site.server.stop()
    }

    @Test func `a hundred come in one call, and more do not`() async throws {
        var site = try await Site.start()
        var batch: [ImportedPasskey] = []
        for number in 0..<101 {
            var imported = try registered(&site, "user \(number)")
            imported.rawID += [UInt8](repeating: UInt8(number), count: 900)
            batch.append(imported)
        }
        #expect(try await call(site, batch).code == "InvalidInput")
        #expect(try await call(site, []).code == "InvalidInput")
        let answer = try await call(site, Array(batch.dropLast()))
        #expect(answer.result["credentials"]?.arrayValue?.count == 100)
        await site.server.stop()
    }

    @Test func `a list is no attestation, and no page imports`() async throws {
        let strict = Site.party("shop.example", key: "shop") { $0.attestation = .trustedOnly }
        var site = try await Site.start([strict])
        let imported = try registered(&site, "1")
        let refused = try await call(site, [imported])
        #expect(refused.status == 403 && refused.code == "PermissionViolation")
        let body = CredentialImportRequest(credentials: [imported]).json
        #expect(try await site.page("/credential/import", body).code == "PermissionViolation")
        await site.server.stop()
    }
}
