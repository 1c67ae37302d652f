import Identity
import KeyturnAuthenticator
import KeyturnBase
import KeyturnWebAuthn
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Rate limits of a site's pages and backends")
struct SiteRateLimitTests {
    private func isRefused(_ answer: EndpointAnswer, within window: Int64) -> Bool {
        let seconds = Int64(answer.headers["retry-after"] ?? "") ?? 0
        return answer.status == 429 && answer.code == "TooManyRequests" && (1...window).contains(seconds)
    }

    @Test func `a network begins so many ceremonies at one site, then waits; others do not`() async throws {
        var site = try await Site.start(trustsForwarding: true)
        site.address = "192.0.2.1"
        _ = try await site.register("1")
        let begun = try site.device.register(try await site.creationOptions())
        let passkeys = site.server.services.sitePasskeys
        // Two were begun above, and one is begun below.
        for number in 3..<Limits.siteCeremoniesPerNetworkMax {
            let address = NetworkAddress("192.0.2.1")
            if number.isMultiple(of: 2) {
                _ = try await passkeys.beginRegistration(at: Site.shop, isUpgrade: false, from: address)
            } else {
                _ = try await passkeys.beginAuthentication(nil, at: Site.shop, from: address)
            }
        }
        site.server.clock.advance(10)
        #expect(try await site.page("/assertion/options", [:]).status == 200, "the last one")
        let window = Limits.siteCeremonyWindowSeconds
        for path in [
            "/attestation/options", "/registration/createOptions", "/assertion/options", "/auth/createOptions",
        ] {
            let answer = try await site.page(path, [:])
            #expect(isRefused(answer, within: window - 10), "\(path) \(answer.body)")
            #expect(answer.headers["access-control-expose-headers"]?.contains("Retry-After") == true)
        }
        let finished = try await site.page("/attestation/process", ["credential": begun.json])
        #expect(finished.status == 200, "what was begun is finished")
        let bank = try await site.page("/assertion/options", [:], key: "pubkey_bank", origin: .some(nil))
        #expect(bank.status == 200, "another site")
        var neighbour = site
        neighbour.address = "192.0.2.2"
        #expect(try await neighbour.page("/assertion/options", [:]).status == 200, "another network")
        site.server.clock.advance(window - 11)
        #expect(isRefused(try await site.page("/assertion/options", [:]), within: 1))
        site.server.clock.advance(1)
        #expect(try await site.page("/assertion/options", [:]).status == 200)
        await site.server.stop()
    }

    @Test func `a network of one IPv6 connection counts as one`() async throws {
        var site = try await Site.start(trustsForwarding: true)
        for number in 0..<Limits.siteCeremoniesPerNetworkMax {
            _ = try await site.server.services.sitePasskeys.beginRegistration(
                at: Site.shop, isUpgrade: false, from: NetworkAddress("2001:db8:0:1::\(number)"))
        }
        site.address = "2001:db8:0:1::ffff"
        let refused = try await site.page("/assertion/options", [:])
        #expect(isRefused(refused, within: Limits.siteCeremonyWindowSeconds))
        site.address = "2001:db8:0:2::1"
        #expect(try await site.page("/assertion/options", [:]).status == 200)
        await site.server.stop()
    }

    @Test func `secret keys are guessed so often from one network, and the right one always opens`()
        async throws
    {
        var site = try await Site.start(trustsForwarding: true)
        site.address = "192.0.2.1"
        let body: JSONValue = ["user": ["id": "1"]]
        for _ in 0...Limits.wrongSecretKeysPerNetworkMax {
            let outdated = try await site.backend("/credential/list", body, key: "secret_outdated")
            #expect(outdated.code == "SecretKeyNotFound", "the same one counts once")
        }
        for number in 1..<Limits.wrongSecretKeysPerNetworkMax {
            // A guess counts at the routes of pages as well, where no secret key belongs.
            let path = number.isMultiple(of: 2) ? "/credential/list" : "/assertion/options"
            #expect(try await site.backend(path, body, key: "secret_\(number)").code == "SecretKeyNotFound")
        }
        #expect(try await site.backend("/credential/list", body).status == 200, "the right one, before the last guess")
        let window = Limits.wrongSecretKeyWindowSeconds
        #expect(isRefused(try await site.backend("/auth/verify", body, key: "secret_last"), within: window))
        #expect(isRefused(try await site.backend("/credential/list", body, key: "secret_next"), within: window))
        #expect(try await site.backend("/credential/list", body).status == 200, "the right one")
        #expect(try await site.page("/assertion/options", [:]).status == 200, "pages are not concerned")
        var elsewhere = site
        elsewhere.address = "192.0.2.2"
        #expect(try await elsewhere.backend("/credential/list", body).status == 200)
        #expect(try await elsewhere.backend("/credential/list", body, key: "secret_1").code == "SecretKeyNotFound")
        site.server.clock.advance(window)
        #expect(try await site.backend("/credential/list", body, key: "secret_1").code == "SecretKeyNotFound")
        #expect(try await site.backend("/credential/list", body).status == 200)
        await site.server.stop()
    }
}
