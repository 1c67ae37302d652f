import KeyturnBase
import KeyturnWebAuthn
import KeyturnWire
import ServerTesting
import SignIn
import Testing

@Suite("What a site's developers are warned of")
struct SiteWarningTests {
    @Test func `whoever calls as described is warned of nothing`() async throws {
        var site = try await Site.start()
        #expect(try await site.register("1", username: "andy").warnings.isEmpty)
        let signedIn = try await site.authenticate(["username": "andy"])
        #expect(signedIn.warnings.isEmpty)
        #expect(try await site.verify(signedIn.token).warnings.isEmpty)
        #expect(try await site.page("/attestation/options", [:], origin: .some(nil)).warnings.isEmpty)
        await site.server.stop()
    }

    @Test func `an outdated client is named so, an unknown one is not judged`() async throws {
        var site = try await Site.start()
        for sdk in ["js/0.2.0", "node/0.2.9", "php/0.1", "JS/0.2.14-beta.1"] {
            site.sdk = sdk
            #expect(try await site.page("/assertion/options", [:]).warnings == ["ClientOutdated"], "\(sdk)")
        }
        for sdk in [
            "js/0.3.0", "js/0.10.0", "js/1", "keyturn/1.0.0", "ruby/0.0.1", "js", "js/", "js/0.x.0", "js/0.2.0/1",
            "js/-1.0", "js/0.2.0.0.0", "js/99999999999999999999",
        ] {
            site.sdk = sdk
            #expect(try await site.page("/assertion/options", [:]).warnings.isEmpty, "\(sdk)")
        }
        await site.server.stop()
    }

    @Test func `the older paths and names are answered, and named`() async throws {
        var site = try await Site.start()
        _ = try await site.register("1", username: "andy")
        #expect(try await site.page("/registration/createOptions", [:]).warnings == ["RouteDeprecated"])
        let older: JSONValue = ["user": ["handle": "andy"]]
        #expect(try await site.page("/auth/createOptions", older).warnings == ["RouteDeprecated", "FieldDeprecated"])
        #expect(try await site.page("/assertion/options", older).warnings == ["FieldDeprecated"])
        #expect(try await site.backend("/credential/list", older).warnings == ["FieldDeprecated"])
        let token = JSONValue.string(try await site.registrationToken())
        let attached = try await site.backend(
            "/registration/attach", ["token": token, "user": ["id": "1", "handle": "andy"]])
        #expect(attached.warnings == ["RouteDeprecated", "FieldDeprecated"])
        for body: JSONValue in [["user": ["id": "1", "handle": .null]], ["user": .null], [:]] {
            #expect(try await site.page("/assertion/options", body).warnings.isEmpty)
        }
        await site.server.stop()
    }

    @Test func `of two names one counts, but a registration gives both`() async throws {
        var site = try await Site.start()
        #expect(try await site.register("1", username: "andy").warnings.isEmpty)
        let both: JSONValue = ["user": ["id": "1", "username": "andy"]]
        #expect(try await site.page("/assertion/options", both).warnings == ["FieldIgnored"])
        #expect(try await site.backend("/credential/list", both).warnings == ["FieldIgnored"])
        await site.server.stop()
    }

    @Test func `a page over http works on the developer's machine alone`() async throws {
        guard
            let policy = try? WebAuthnPolicy(
                rpID: "localhost", rpName: "Dev", origins: ["http://localhost:9000", "https://app.localhost"])
        else { preconditionFailure("a policy that can be met") }
        var site = try await Site.start([.init(policy: policy, publishableKey: "pubkey_dev")])
        site.publishableKey = "pubkey_dev"
        site.origin = "http://localhost:9000"
        #expect(try await site.page("/assertion/options", [:]).warnings == ["OriginInsecure"])
        site.origin = "https://app.localhost"
        #expect(try await site.page("/assertion/options", [:]).warnings.isEmpty)
        await site.server.stop()
    }

    @Test func `a backend with the outgoing secret key is told, one with the new key is not`() async throws {
        let keys = [Secret("secret_shop-old"), Secret("secret_shop-new")]
        let site = try await Site.start([Site.party("shop.example", key: "shop", secretKeys: keys)])
        let body: JSONValue = ["user": ["id": "1"]]
        let old = try await site.backend("/credential/list", body, key: "secret_shop-old")
        #expect(old.warnings == ["SecretKeyOutdated"])
        #expect(try await site.backend("/credential/list", body, key: "secret_shop-new").warnings.isEmpty)
        await site.server.stop()
    }

    @Test func `a refusal has its reason and no warnings`() async throws {
        var site = try await Site.start()
        site.sdk = "js/0.1.0"
        let answer = try await site.page("/auth/process", ["credential": [:], "user": ["handle": "andy"]])
        #expect(answer.code == "InvalidInput" && answer.json["errors"]?.arrayValue?.count == 1)
        await site.server.stop()
    }
}
