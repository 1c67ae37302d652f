import KeyturnBase
import KeyturnWire
import ServerTesting
import Testing

@Suite("The keys of a site")
struct SiteKeyTests {
    @Test func `while a secret key is changed both are good, and no third one`() async throws {
        let keys = ["secret_shop-old", "secret_shop-new"]
        let shop = Site.party("shop.example", key: "shop", secretKeys: keys.map { Secret($0) })
        var site = try await Site.start([shop, Site.bank])
        for key in keys {
            site.secretKey = key
            #expect(try await site.register(key).status == 200)
            let token = try await site.authenticate(["id": .string(key)]).token
            #expect(try await site.verify(token).result["user"] == ["id": .string(key)])
            #expect(try await site.page("/attestation/options", [:], key: key).code == "InvalidAuthorizationHeader")
        }
        for key in ["secret_shop-backend", "secret_shop-ol", "secret_shop-old-", "secret_shop-oldsecret_shop-new"] {
            let answer = try await site.backend("/credential/list", ["user": ["id": "1"]], key: key)
            #expect(answer.status == 401 && answer.code == "SecretKeyNotFound", "\(key)")
        }
        let others = try await site.backend(
            "/credential/list", ["user": ["id": "secret_shop-old"]], key: "secret_bank-backend")
        #expect(others.result["credentials"] == [], "the other site's key opens the other site")
        await site.server.stop()
    }
}
