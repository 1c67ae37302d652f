import Foundation
import KeyturnAuthenticator
import KeyturnBase
import KeyturnWebAuthn
import KeyturnWire
import Model
import ServerTesting
import Testing

/// Whether clients of the documented service work unchanged: the list of what they rely on, point by point.
@Suite("C1–C4: a site's pages and backends")
struct SiteCompatibilityTests {
    @Test func `a passkey is registered, attached, and signs its user in`() async throws {
        var site = try await Site.start()
        let attached = try await site.register("User-42", username: "Andy@Example.com")
        let credential = try PasskeyCredential(json: attached.result)
        #expect(attached.status == 200 && credential.isActive && credential.name == "Passkey")
        #expect(credential.id.hasPrefix("ctl_") && credential.id.count == 28 && credential.isUvInitialized)
        #expect(credential.transports == ["hybrid", "internal"] || credential.transports == ["internal", "hybrid"])
        for user: JSONValue? in [nil, ["id": "User-42"], ["username": "andy@example.com"]] {
            let token = try await site.authenticate(user)
            #expect(token.status == 200)
            let lifetime = (token.result["expiresAt"]?.integerValue ?? 0) - site.server.clock.now.rawValue
            #expect(lifetime == Limits.authenticationTokenSeconds, "in whole seconds")
            let verified = try VerifiedPasskeyUser(json: try await site.verify(token.token).result)
            #expect(verified.userID == "User-42" && verified.isUserVerified == true)
            #expect(verified.credentialID == credential.id)
        }
        await site.server.stop()
    }

    @Test func `1: bodies exactly as the Swift client sends them, and as the TypeScript client does`() async throws {
        var site = try await Site.start()
        for isSwift in [true, false] {
            let options = try await site.page("/attestation/options", isSwift ? [:] : ["upgrade": false])
            let creation = try PublicKeyCredentialCreationOptions(json: options.result["publicKey"] ?? .null)
            let made = try site.device.register(creation)
            let rawID = JSONValue.string(Base64URL.encode(made.id))
            var response: [String: JSONValue] = [
                "clientDataJSON": .string(Base64URL.encode(made.clientDataJSON)),
                "attestationObject": .string(Base64URL.encode(made.attestationObject)), "transports": [],
            ]
            var credential: [String: JSONValue] = ["type": "public-key", "rawId": rawID]
            if !isSwift {
                response["publicKeyAlgorithm"] = -7
                response["authenticatorData"] = "AAAA"
                response["transports"] = ["internal", "hybrid"]
                credential["id"] = rawID
                credential["authenticatorAttachment"] = "platform"
                credential["clientExtensionResults"] = ["credProps": ["rk": true]]
            }
            credential["response"] = .object(response)
            let token = try await site.page("/attestation/process", ["credential": .object(credential)])
            let id = isSwift ? "swift" : "typescript"
            #expect(try await site.attach(token.token, id).status == 200)

            let request = try await site.requestOptions(["id": .string(id)])
            let signed = try site.device.authenticate(request)
            var assertion: [String: JSONValue] = [
                "authenticatorData": .string(Base64URL.encode(signed.authenticatorData)),
                "clientDataJSON": .string(Base64URL.encode(signed.clientDataJSON)),
                "signature": .string(Base64URL.encode(signed.signature)),
                "userHandle": .string(Base64URL.encode(signed.userHandle ?? [])),
            ]
            var answer: [String: JSONValue] = [
                "type": "public-key", "rawId": .string(Base64URL.encode(signed.id)),
            ]
            if !isSwift {
                assertion["attestationObject"] = ""
                answer["id"] = .string(Base64URL.encode(signed.id))
                answer["clientExtensionResults"] = [:]
            }
            answer["response"] = .object(assertion)
            let signedIn = try await site.process(.object(answer), ["id": .string(id)])
            #expect(try await site.verify(signedIn.token).result["user"] == ["id": .string(id)])
        }
        await site.server.stop()
    }

    @Test func `2: the older routes do the same`() async throws {
        var site = try await Site.start()
        let options = try await site.page("/registration/createOptions", [:])
        let made = try site.device.register(
            try PublicKeyCredentialCreationOptions(json: options.result["publicKey"] ?? .null))
        let token = try await site.page("/registration/process", ["credential": made.json])
        let attached = try await site.backend(
            "/registration/attach", ["token": .string(token.token), "user": ["id": "old"]])
        #expect(attached.status == 200)
        let request = try await site.page("/auth/createOptions", ["user": ["id": "OLD"]])
        let signed = try site.device.authenticate(
            try PublicKeyCredentialRequestOptions(json: request.result["publicKey"] ?? .null))
        let signedIn = try await site.page("/auth/process", ["credential": signed.json, "user": ["id": "old"]])
        #expect(try await site.verify(signedIn.token).result["user"] == ["id": "old"])
        await site.server.stop()
    }

    @Test func `3: each key has its place, and opens nothing of the other's`() async throws {
        let site = try await Site.start()
        func basic(_ pair: String) -> String { "Basic \(Data(pair.utf8).base64EncodedString())" }
        let cases: [(path: String, header: String?, code: String, status: Int)] = [
            ("/attestation/options", nil, "InvalidAuthorizationHeader", 401),
            ("/attestation/options", "Bearer pubkey_shop", "InvalidAuthorizationHeader", 401),
            ("/attestation/options", basic(":pubkey_shop"), "InvalidAuthorizationHeader", 401),
            ("/attestation/options", basic("secret_shop-backend:"), "InvalidAuthorizationHeader", 401),
            ("/attestation/options", basic("pubkey_shop:x"), "InvalidAuthorizationHeader", 401),
            ("/attestation/options", basic("pubkey_nobody:"), "PublishableKeyNotFound", 401),
            ("/attestation/options", basic(":secret_shop-backend"), "PermissionViolation", 403),
            ("/auth/verify", basic("pubkey_shop:"), "PermissionViolation", 403),
            ("/auth/verify", basic(":secret_nobody"), "SecretKeyNotFound", 401),
            ("/credential/create", basic("secret_shop-backend:"), "InvalidAuthorizationHeader", 401),
        ]
        for (path, header, code, status) in cases {
            let answer = try await site.call(path, [:], authorization: header, origin: nil)
            #expect(answer.code == code && answer.status == status, "\(path) \(header ?? "without a header")")
        }
        await site.server.stop()
    }

    @Test func `4: a token is redeemed once, of racing redemptions one wins`() async throws {
        var site = try await Site.start()
        let registration = try await site.registrationToken()
        #expect(try await site.attach(registration, "1").status == 200)
        #expect(try await site.attach(registration, "1").code == "TokenNotFound")
        let token = try await site.authenticate().token
        let racing = site
        let codes = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 {
                group.addTask { try await racing.verify(token).code ?? "won" }
            }
            return try await group.reduce(into: [String]()) { $0.append($1) }
        }
        #expect(codes.count { $0 == "won" } == 1 && codes.count { $0 == "TokenNotFound" } == 99)
        await site.server.stop()
    }

    @Test func `5: neither token passes for the other, nor is it spent by trying`() async throws {
        var site = try await Site.start()
        let registration = try await site.registrationToken()
        #expect(try await site.verify(registration).code == "TokenNotFound")
        #expect(try await site.attach(registration, "1").status == 200)
        let token = try await site.authenticate().token
        #expect(try await site.attach(token, "1").code == "TokenNotFound")
        #expect(try await site.verify(token).status == 200)
        await site.server.stop()
    }

    @Test func `6: nobody named: conditional, and no list`() async throws {
        let site = try await Site.start()
        let answer = try await site.page("/assertion/options", [:])
        #expect(answer.result["mediation"] == "conditional")
        #expect(answer.result["publicKey"]?["allowCredentials"] == nil)
        let named = try await site.page("/assertion/options", ["user": ["id": "1"]])
        #expect(named.result["mediation"] == nil && named.result["publicKey"]?["allowCredentials"] != nil)
        await site.server.stop()
    }

    @Test func `7: an upgrade is conditional and needs no touch, everything else needs one`() async throws {
        var site = try await Site.start()
        site.device.behaviour.isUserPresent = false
        for isUpgrade in [true, false] {
            let options = try await site.page("/attestation/options", ["upgrade": .bool(isUpgrade)])
            #expect(options.result["mediation"] == (isUpgrade ? "conditional" : nil))
            let made = try site.device.register(
                try PublicKeyCredentialCreationOptions(json: options.result["publicKey"] ?? .null))
            let answer = try await site.page("/attestation/process", ["credential": made.json])
            #expect(answer.status == (isUpgrade ? 200 : 400))
        }
        await site.server.stop()
    }

    @Test func `8: whom nobody knows and who has no passkey look like everybody else, each time the same`()
        async throws
    {
        var site = try await Site.start()
        let id = try await site.register("1", username: "known").result["id"]?.stringValue ?? ""
        _ = try await site.register("2", username: "off")
        let second = try await site.backend("/credential/list", ["user": ["id": "2"]])
        let deactivated = second.result["credentials"]?.arrayValue?.first?["id"] ?? .null
        _ = try await site.backend("/credential/update", ["id": deactivated, "isActive": false])
        var shapes: Set<[String]> = []
        for user: JSONValue in [
            ["username": "known"], ["username": "nobody"], ["id": "nobody"], ["username": "off"], ["id": "1"],
        ] {
            let first = try await site.page("/assertion/options", ["user": user])
            let again = try await site.page("/assertion/options", ["user": user])
            let list = first.result["publicKey"]?["allowCredentials"]
            #expect(first.status == 200 && list == again.result["publicKey"]?["allowCredentials"])
            #expect(list?.arrayValue?.isEmpty == false)
            shapes.insert((first.result["publicKey"]?.objectValue ?? [:]).keys.sorted())
            for entry in list?.arrayValue ?? [] {
                #expect(entry.objectValue?.keys.filter { $0 != "transports" }.sorted() == ["id", "type"])
            }
        }
        #expect(shapes.count == 1 && id.hasPrefix("ctl_"))
        await site.server.stop()
    }

    @Test func `8: some of whom nobody knows seem to come from apps that tell of no transports`() async throws {
        var site = try await Site.start()
        site.device.behaviour.transports = []
        _ = try await site.register("1", username: "native")
        let names = ["native"] + (0..<64).map { "nobody-\($0)" }
        var withoutTransports: [String] = []
        for name in names {
            let answer = try await site.page("/assertion/options", ["user": ["username": .string(name)]])
            let list = answer.result["publicKey"]?["allowCredentials"]?.arrayValue ?? []
            if list.contains(where: { $0["transports"] == nil }) { withoutTransports.append(name) }
        }
        #expect(withoutTransports.first == "native" && (2..<64).contains(withoutTransports.count))
        await site.server.stop()
    }

    @Test func `9: names are compared without regard to case and compatibility forms`() async throws {
        var site = try await Site.start()
        _ = try await site.register("Straße", username: "USERNAME@Ｂ")
        for user: JSONValue in [
            ["username": "username@b"], ["id": "STRASSE"], ["id": "straße"], ["username": "Username@B"],
        ] {
            let token = try await site.authenticate(user).token
            #expect(try await site.verify(token).result["user"] == ["id": "Straße"])
        }
        await site.server.stop()
    }

    @Test func `10: another site's challenge is no challenge, and its backend redeems nothing`() async throws {
        var site = try await Site.start()
        let made = try site.device.register(try await site.creationOptions())
        let elsewhere = try await site.page(
            "/attestation/process", ["credential": made.json], key: "pubkey_bank", origin: .some(nil))
        #expect(elsewhere.code == "InvalidInput")
        let token = try await site.page("/attestation/process", ["credential": made.json]).token
        let stolen = try await site.backend(
            "/credential/create", ["token": .string(token), "user": ["id": "1"]], key: "secret_bank-backend")
        #expect(stolen.code == "TokenNotFound")
        #expect(try await site.attach(token, "1").status == 200)
        await site.server.stop()
    }

    @Test func `11: whatever goes wrong is an envelope`() async throws {
        let site = try await Site.start()
        let bodies: [JSONValue] = [
            .null, [], "text", ["credential": []], ["credential": ["rawId": "!"]], ["user": ["id": ""]],
            ["user": ["id": .string(String(repeating: "x", count: 256))]], ["user": 1], ["upgrade": "yes"],
        ]
        for path in ["/attestation/process", "/assertion/process", "/assertion/options", "/attestation/options"] {
            for body in bodies {
                let answer = try await site.page(path, body)
                #expect(answer.status == 200 || answer.code == "InvalidInput", "\(path) \(answer.body)")
                #expect(answer.status < 500)
            }
        }
        let wrongMethod = try await site.server.send("GET", "/attestation/options", headers: [], body: nil)
        #expect(wrongMethod.status == 405 && wrongMethod.code == "InvalidInput")
        #expect(wrongMethod.headers["allow"] == "POST")
        let large = try await site.call(
            "/attestation/options", ["x": .string(String(repeating: "x", count: 200_000))],
            authorization: "Basic \(Data("pubkey_shop:".utf8).base64EncodedString())", origin: nil)
        #expect(large.status == 413 && large.code == "InvalidInput")
        await site.server.stop()
    }

    @Test func `12: pages of registered origins are let in, others are not`() async throws {
        let site = try await Site.start()
        let origins = [
            ("https://shop.example", true), ("https://app.shop.example", true), ("https://shop.other", true),
            ("https://evil.example", false), ("https://shop.example.evil", false), ("null", false),
        ]
        for (origin, isAllowed) in origins {
            let preflight = try await site.server.send(
                "OPTIONS", "/attestation/options",
                headers: [
                    ("Origin", origin), ("Access-Control-Request-Method", "POST"),
                    ("Access-Control-Request-Headers", "authorization,content-type,accept,x-sdk"),
                ], body: nil)
            let allowed = preflight.headers["access-control-allow-origin"]
            #expect(allowed == (isAllowed ? origin : nil), "\(origin)")
            if isAllowed {
                let headers = preflight.headers["access-control-allow-headers"]?.lowercased() ?? ""
                for name in ["authorization", "content-type", "accept", "x-sdk"] { #expect(headers.contains(name)) }
                #expect(preflight.headers["access-control-allow-methods"]?.contains("POST") == true)
            }
            let answer = try await site.page("/attestation/options", [:], origin: origin)
            #expect((answer.status == 200) == isAllowed)
        }
        let other = try await site.page("/attestation/options", [:], origin: "https://bank.example")
        #expect(other.code == "PermissionViolation", "another site's page with this site's key")
        let backend = try await site.server.send(
            "OPTIONS", "/auth/verify", headers: [("Origin", "https://shop.example")], body: nil)
        #expect(backend.headers["access-control-allow-origin"] == nil, "a secret key has no business in a page")
        await site.server.stop()
    }
}
