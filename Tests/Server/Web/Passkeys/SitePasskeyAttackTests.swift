import Foundation
import Identity
import KeyturnAuthenticator
import KeyturnBase
import KeyturnWebAuthn
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Attacks on passkeys, from outside")
struct SitePasskeyAttackTests {
    @Test func `94: a challenge is answered once, by whomever it was for, before it expires`() async throws {
        var site = try await Site.start()
        _ = try await site.register("1")
        let made = try site.device.register(try await site.creationOptions())
        #expect(try await site.page("/attestation/process", ["credential": made.json]).status == 200)
        #expect(try await site.page("/attestation/process", ["credential": made.json]).code == "InvalidInput")

        let signed = try site.device.authenticate(try await site.requestOptions(["id": "1"]))
        #expect(try await site.process(signed.json).code == "InvalidInput", "begun for a named user")
        #expect(try await site.process(signed.json, ["id": "2"]).code == "InvalidInput", "named another one")
        #expect(try await site.process(signed.json, ["id": "1"]).status == 200)
        #expect(try await site.process(signed.json, ["id": "1"]).code == "InvalidInput", "answered before")

        let late = try site.device.authenticate(try await site.requestOptions())
        site.server.clock.advance(300 + Limits.passkeyAnswerSeconds)
        #expect(try await site.process(late.json).code == "InvalidInput")
        let invented = try site.device.authenticate(
            PublicKeyCredentialRequestOptions(
                challenge: Array(repeating: 7, count: 32), rpID: "shop.example", timeoutMilliseconds: nil))
        #expect(try await site.process(invented.json).code == "InvalidInput")
        await site.server.stop()
    }

    @Test func `94: a challenge that was answered badly is not answered well afterwards`() async throws {
        var site = try await Site.start()
        _ = try await site.register("1")
        let options = try await site.requestOptions()
        var bad = try site.device.authenticate(options)
        bad.signature[8] ^= 1
        let good = try site.device.authenticate(options)
        #expect(try await site.process(bad.json).code == "InvalidInput")
        #expect(try await site.process(good.json).code == "InvalidInput")
        await site.server.stop()
    }

    @Test func `94: of a hundred answers to one challenge one is taken`() async throws {
        var site = try await Site.start()
        _ = try await site.register("1")
        let signed = try site.device.authenticate(try await site.requestOptions())
        let made = try site.device.register(try await site.creationOptions())
        let racing = site
        for (path, credential) in [("/assertion/process", signed.json), ("/attestation/process", made.json)] {
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<100 {
                    group.addTask { try await racing.page(path, ["credential": credential]).status }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 200 } == 1 && statuses.count { $0 == 400 } == 99)
        }
        await site.server.stop()
    }

    @Test func `95: a registration's answer is no sign-in, and the other way round`() async throws {
        var site = try await Site.start()
        _ = try await site.register("1")
        let creation = try await site.creationOptions()
        let signed = try site.device.authenticate(
            PublicKeyCredentialRequestOptions(
                challenge: creation.challenge, rpID: creation.rpID, timeoutMilliseconds: nil))
        #expect(try await site.process(signed.json).code == "InvalidInput")
        let request = try await site.requestOptions()
        let made = try site.device.register(
            PublicKeyCredentialCreationOptions(
                rpID: request.rpID, rpName: "", user: .init(id: [1]), challenge: request.challenge, algorithms: [-7]))
        #expect(try await site.page("/attestation/process", ["credential": made.json]).code == "InvalidInput")
        await site.server.stop()
    }

    @Test func `96, 97: other origins, frames and relying parties are refused`() async throws {
        var site = try await Site.start()
        _ = try await site.register("1")
        let changes: [(inout SoftwareAuthenticator.Behaviour) -> Void] = [
            { $0.origin = "https://shop.example.evil" }, { $0.origin = "http://shop.example" },
            { $0.origin = "https://SHOP.example" }, { $0.origin = "android:apk-key-hash:AAAA" },
            { $0.crossOrigin = true }, { ($0.crossOrigin, $0.topOrigin) = (true, "https://evil.example") },
        ]
        for change in changes {
            var changed = site
            change(&changed.device.behaviour)
            #expect(try await changed.authenticate().code == "InvalidInput")
            #expect(try await changed.registrationToken().hasPrefix("refused"))
        }
        site.device.behaviour.origin = "https://shop.other"
        #expect(try await site.authenticate().status == 200, "a related origin")
        var creation = try await site.creationOptions()
        creation.rpID = "app.shop.example"
        let made = try site.device.register(creation)
        #expect(try await site.page("/attestation/process", ["credential": made.json]).code == "InvalidInput")
        await site.server.stop()
    }

    @Test func `98: somebody is there, and is verified where that is demanded`() async throws {
        let strict = Site.party("shop.example", key: "shop") { $0.userVerification = .required }
        var site = try await Site.start([strict])
        #expect(try await site.creationOptions().authenticatorSelection.userVerification == .required)
        _ = try await site.register("1")
        site.device.behaviour.isUserVerified = false
        #expect(try await site.authenticate().code == "InvalidInput")
        #expect(try await site.registrationToken().hasPrefix("refused"))
        site.device.behaviour.isUserVerified = true
        site.device.behaviour.isUserPresent = false
        #expect(try await site.authenticate().code == "InvalidInput")
        await site.server.stop()
    }

    @Test func `99: a backup without eligibility, or another eligibility than before, is refused`() async throws {
        var site = try await Site.start()
        _ = try await site.register("1")
        (site.device.behaviour.isBackupEligible, site.device.behaviour.isBackedUp) = (false, true)
        #expect(try await site.authenticate().code == "InvalidInput")
        site.device.behaviour.isBackedUp = false
        #expect(try await site.authenticate().code == "InvalidInput")
        (site.device.behaviour.isBackupEligible, site.device.behaviour.isBackedUp) = (true, false)
        let token = try await site.authenticate().token
        #expect(try await site.verify(token).result["backedUp"] == false)
        await site.server.stop()
    }

    @Test func `100: a copy of a key shows by its counter, and somebody is told`() async throws {
        var site = try await Site.start()
        _ = try await site.register("1")
        var copy = site
        #expect(try await site.authenticate().status == 200)
        #expect(try await copy.authenticate().code == "InvalidInput")
        _ = try await site.server.services.auditLog.flush()
        var query = AuditQuery()
        query.kinds = [.passkeyCopied]
        #expect(try await site.server.services.stores.audit.search(query).count == 1)
        await site.server.stop()
    }

    @Test func `100: a site may take what a copy made, and learns of it`() async throws {
        let lenient = Site.party("shop.example", key: "shop") { $0.signatureCounter = .report }
        var site = try await Site.start([lenient])
        _ = try await site.register("1")
        var copy = site
        for _ in 0..<2 { #expect(try await site.authenticate().status == 200) }
        #expect(try await copy.authenticate().status == 200)
        _ = try await site.server.services.auditLog.flush()
        var query = AuditQuery()
        query.kinds = [.passkeyCopied]
        #expect(try await site.server.services.stores.audit.search(query).count == 1)
        await site.server.stop()
    }

    @Test func `101: a credential of somebody else's, or outside the list, signs nobody in`() async throws {
        var site = try await Site.start()
        _ = try await site.register("1")
        var other = site
        other.device = SoftwareAuthenticator(seed: [9])
        other.device.behaviour.origin = "https://shop.example"
        _ = try await other.register("2")
        // The other one's credential, for a ceremony that names the first.
        let named = try await site.requestOptions(["id": "1"])
        var unlisted = named
        unlisted.allowCredentials = []
        let signed = try other.device.authenticate(unlisted)
        #expect(try await site.process(signed.json, ["id": "1"]).code == "InvalidInput")
        // A user handle that is not the credential's.
        var forged = try site.device.authenticate(try await site.requestOptions())
        forged.userHandle = signed.userHandle
        #expect(try await site.process(forged.json).code == "InvalidInput")
        // None, and nobody was named.
        var mute = try site.device.authenticate(try await site.requestOptions())
        mute.userHandle = nil
        #expect(try await site.process(mute.json).code == "InvalidInput")
        // A security key says none, and its user was named.
        var key = try site.device.authenticate(try await site.requestOptions(["id": "1"]))
        key.userHandle = nil
        #expect(try await site.process(key.json, ["id": "1"]).status == 200)
        await site.server.stop()
    }

    @Test func `102: a credential belongs to one user for good`() async throws {
        var site = try await Site.start()
        _ = try await site.register("1")
        // The same device makes the same credential once more, for somebody else.
        var twin = site
        twin.device = SoftwareAuthenticator(seed: Array("device".utf8))
        twin.device.behaviour.origin = "https://shop.example"
        let token = try await twin.registrationToken()
        #expect(try await site.attach(token, "2").code == "InvalidInput")
        #expect(try await site.attach(token, "1").code == "InvalidInput")
        let listed = try await site.backend("/credential/list", ["user": ["id": "2"]])
        #expect(listed.result["credentials"] == [], "nobody came about")
        await site.server.stop()
    }

    @Test func `103: an algorithm that was not offered is refused`() async throws {
        var site = try await Site.start()
        var creation = try await site.creationOptions()
        creation.algorithms = [-36]
        let made = try site.device.register(creation)
        #expect(try await site.page("/attestation/process", ["credential": made.json]).code == "InvalidInput")
        await site.server.stop()
    }

    @Test func `tokens expire, and stand for nothing once the passkey is switched off`() async throws {
        var site = try await Site.start()
        let late = try await site.registrationToken()
        site.server.clock.advance(Limits.registrationTokenSeconds)
        #expect(try await site.attach(late, "1").code == "TokenExpired")
        let id = try await site.register("1").result["id"] ?? .null
        let token = try await site.authenticate().token
        _ = try await site.backend("/credential/update", ["id": id, "isActive": false])
        #expect(try await site.verify(token).code == "TokenNotFound")
        #expect(try await site.authenticate().code == "UsingDeactivatedCredential")
        _ = try await site.backend("/credential/update", ["id": id, "isActive": true])
        let next = try await site.authenticate().token
        site.server.clock.advance(Limits.authenticationTokenSeconds)
        #expect(try await site.verify(next).code == "TokenExpired")
        await site.server.stop()
    }

    @Test func `before a backend redeems the token only the answered challenge and its rate limit are stored`()
        async throws
    {
        let statements = ServerStatements()
        var site = Site(
            try await TestServer.start(relyingParties: [Site.shop]) { statements.add($0) })
        _ = statements.take()
        let token = try await site.registrationToken()
        func isWrite(_ statement: String) -> Bool { !statement.hasPrefix("SELECT") && !statement.contains("audit") }
        let writes = statements.take().filter(isWrite)
        #expect(writes.count { $0.hasPrefix("INSERT INTO spent") } == 1)
        #expect(writes.allSatisfy { $0.hasPrefix("INSERT INTO spent") || $0.contains(" budget") }, "\(writes)")
        #expect(try await site.attach(token, "1").status == 200)
        _ = statements.take()
        #expect(try await site.authenticate().status == 200)
        let all = statements.take().filter { !$0.contains("audit") }
        #expect(all.count == 4, "one look, one mark, one counter, one rate limit: \(all)")
        await site.server.stop()
    }
}
