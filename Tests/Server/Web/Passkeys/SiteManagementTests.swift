import Foundation
import KeyturnAuthenticator
import KeyturnBase
import KeyturnWire
import ServerTesting
import Testing

@Suite("C7: a site's backend manages its users' passkeys")
struct SiteManagementTests {
    @Test func `credentials are listed, renamed, switched off and deleted, and devices can be told`() async throws {
        var site = try await Site.start()
        let first = try await site.register("1").result["id"] ?? .null
        let second = try await site.register("1").result["id"] ?? .null
        let renamed = try await site.backend("/credential/update", ["id": first, "name": "  Red phone 📱 "])
        #expect(renamed.result["name"] == "Red phone 📱")
        for name in ["", " \n", String(repeating: "x", count: 65), "a\u{202E}b"] {
            let refused = try await site.backend("/credential/update", ["id": first, "name": .string(name)])
            #expect(refused.code == "InvalidInput")
        }
        var list = try await site.backend("/credential/list", ["user": ["id": "1"]])
        let credentials = try PasskeyCredentialList(json: list.result)
        #expect(credentials.credentials.count == 2 && credentials.signals.flatMap(\.credentialIDs).count == 2)
        let signals = list.result["signals"]?.arrayValue ?? []
        #expect(signals.flatMap { $0["allAcceptedCredentialIds"]?.arrayValue ?? [] }.count == 2)
        #expect(try await site.backend("/credential/delete", ["id": second]).result["id"] == second)
        #expect(try await site.backend("/credential/delete", ["id": second]).code == "EntityNotFound")
        #expect(try await site.authenticate().code == "InvalidInput", "the newest of the device's is gone")
        list = try await site.backend("/credential/list", ["user": ["id": "1"]])
        #expect(list.result["credentials"]?.arrayValue?.map { $0["id"] } == [first])
        await site.server.stop()
    }

    @Test func `a site reaches no passkey of another site's, nor of this server's users`() async throws {
        var site = try await Site.start()
        let id = try await site.register("1").result["id"] ?? .null
        let bodies: [(String, JSONValue)] = [
            ("/credential/update", ["id": id, "isActive": false]), ("/credential/delete", ["id": id]),
        ]
        for (path, body) in bodies {
            #expect(try await site.backend(path, body, key: "secret_bank-backend").code == "EntityNotFound")
        }
        let others = try await site.backend("/credential/list", ["user": ["id": "1"]], key: "secret_bank-backend")
        #expect(others.result["credentials"] == [])
        let token = try await site.authenticate().token
        let answer = try await site.backend("/auth/verify", ["token": .string(token)], key: "secret_bank-backend")
        #expect(answer.code == "TokenNotFound")
        #expect(try await site.verify(token).status == 200)
        await site.server.stop()
    }

    @Test func `user names stay with their users, and a refused token can be used again`() async throws {
        var site = try await Site.start()
        #expect(try await site.register("1", username: "andy").status == 200)
        #expect(try await site.register("1", username: "ANDY").status == 200)
        #expect(try await site.register("1").status == 200, "no name is no other name")
        let token = try await site.registrationToken()
        #expect(try await site.attach(token, "1", username: "bea").code == "UsernameCannotChange")
        #expect(try await site.attach(token, "2", username: "Andy").code == "UsernameInUseByDifferentAccount")
        #expect(try await site.attach(token, "2", username: "bea").status == 200)
        await site.server.stop()
    }

    @Test func `of a user whose last passkey is deleted nothing stays, and the name is free`() async throws {
        var site = try await Site.start()
        let first = try await site.register("1", username: "andy").result["id"] ?? .null
        let second = try await site.register("1").result["id"] ?? .null
        let token = JSONValue.string(try await site.registrationToken())
        let other: JSONValue = ["token": token, "user": ["id": "2", "username": "andy"]]
        for (id, code) in [(first, "UsernameInUseByDifferentAccount"), (second, nil)] {
            #expect(try await site.backend("/credential/delete", ["id": id]).status == 200)
            #expect(try await site.backend("/credential/create", other).code == code)
        }
        #expect(try await site.register("1", username: "bea").status == 200, "the same user begins anew")
        await site.server.stop()
    }

    @Test func `a name with a zero in it is no name, and nobody else's passkey is deleted by one`() async throws {
        var site = try await Site.start()
        let id = try await site.register("admin", username: "andy").result["id"]?.stringValue ?? ""
        let token = JSONValue.string(try await site.registrationToken())
        for user: JSONValue in [["id": "admin\u{0}x"], ["id": "2", "username": "andy\u{0}"], ["id": "\u{0}"]] {
            let answer = try await site.backend("/credential/create", ["token": token, "user": user])
            #expect(answer.code == "InvalidInput")
        }
        let removal = try await site.backend("/credential/delete", ["id": .string(id + "\u{0}x")])
        #expect(removal.code == "InvalidInput")
        let list = try await site.backend("/credential/list", ["user": ["id": "admin"]])
        #expect(list.result["credentials"]?.arrayValue?.count == 1)
        await site.server.stop()
    }

    @Test func `identifiers that differ in case alone are two people, and each is told apart`() async throws {
        var first = try await Site.start()
        var second = first
        second.device = SoftwareAuthenticator(seed: [2])
        second.device.behaviour.origin = "https://shop.example"
        _ = try await first.register("aB3x")
        _ = try await second.register("Ab3X")
        for user: JSONValue? in [nil, ["id": "AB3X"]] {
            #expect(try await first.verify(try await first.authenticate(user).token).result["user"] == ["id": "aB3x"])
            let other = try await second.authenticate(user).token
            #expect(try await second.verify(other).result["user"] == ["id": "Ab3X"])
        }
        for (id, count) in [("aB3x", 1), ("Ab3X", 1), ("AB3X", 0)] {
            let list = try await first.backend("/credential/list", ["user": ["id": .string(id)]])
            #expect(list.result["credentials"]?.arrayValue?.count == count)
        }
        await first.server.stop()
    }

    @Test func `documents name the apps and sites of the domain that is asked`() async throws {
        let site = try await Site.start()
        func document(_ path: String, _ host: String) async throws -> EndpointAnswer {
            try await site.server.send("GET", "/.well-known/\(path)", headers: [("Host", host)], body: nil)
        }
        let apple = try await document("apple-app-site-association", "shop.example")
        #expect(apple.json == ["webcredentials": ["apps": ["ABCDE12345.example.shop"]]])
        #expect(apple.headers["content-type"] == "application/json")
        let android = try await document("assetlinks.json", "bank.example:443")
        let target = android.json.arrayValue?.first?["target"]
        #expect(target?["package_name"] == "example.bank" && target?["sha256_cert_fingerprints"] == ["AB:CD"])
        let related = try await document("webauthn", "shop.example")
        #expect(related.json == ["origins": ["https://shop.other"]])
        #expect(related.headers["content-type"] == "application/json")
        #expect(try await document("webauthn", "nobody.example").status == 404)
        await site.server.stop()
    }
}
