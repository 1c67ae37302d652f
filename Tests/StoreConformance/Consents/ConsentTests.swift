import KeyturnBase
import KeyturnWire
import Model
import Testing

@Suite("Store: consents")
struct ConsentTests {
    @Test(arguments: Engines.withValues)
    func `what is allowed adds up, to each client and of each user by itself`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (consents, now) = (bench.stores.consents, bench.now)
        let (andy, bea) = (try await bench.user().user.id, try await bench.user("bea@example.com").user.id)
        #expect(try await consents.consent(of: andy, to: "web") == .none)
        try await consents.remember(
            Consent(scope: Scope(names: ["openid", "email"]), claims: ["name"], resources: ["https://api/"]),
            redirectURI: "https://web/", of: andy, to: "web", at: now)
        try await consents.remember(
            Consent(
                scope: Scope(names: ["email", "phone"]), claims: ["name", "groups"],
                resources: ["https://api/", "https://other/"]), redirectURI: nil, of: andy, to: "web", at: now)
        let allowed = try await consents.consent(of: andy, to: "web")
        #expect(Set(allowed.scope.names) == ["openid", "email", "phone"] && allowed.scope.names.count == 3)
        #expect(allowed.claims == ["name", "groups"] && allowed.resources == ["https://api/", "https://other/"])
        for (user, client) in [(andy, "other"), (bea, "web")] {
            #expect(try await consents.consent(of: user, to: client) == .none)
            #expect(try await !consents.includes(redirectURI: "https://web/", of: user, to: client))
        }
        #expect(try await consents.includes(redirectURI: "https://web/", of: andy, to: "web"))
        #expect(try await !consents.includes(redirectURI: "https://web/other", of: andy, to: "web"))
    }

    @Test(arguments: Engines.withValues)
    func `of a hundred consents at once none is lost`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (andy, now) = (try await bench.user().user.id, bench.now)
        _ = try await bench.race { stores, number in
            try await stores.consents.remember(
                Consent(
                    scope: Scope(names: ["openid", "s\(number)"]), claims: ["name", "c\(number)"],
                    resources: ["https://api/", "https://api/\(number)"]),
                redirectURI: "https://web/", of: andy, to: "web", at: now)
        }
        let allowed = try await bench.stores.consents.consent(of: andy, to: "web")
        #expect(allowed.scope.names.count == 101 && allowed.claims.count == 101)
        #expect(allowed.resources.count == 101)
    }

    @Test(arguments: Engines.withValues)
    func `the clients that a user allowed something are known in order`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (consents, now) = (bench.stores.consents, bench.now)
        let (andy, bea) = (try await bench.user().user.id, try await bench.user("bea@example.com").user.id)
        let agreed = [
            "web": Consent(scope: Scope(names: ["openid"])), "app": Consent(scope: .none, claims: ["name"]),
            "service": Consent(scope: .none, resources: ["https://api/"]), "none": Consent.none,
        ]
        for (id, consent) in agreed {
            try await consents.remember(consent, redirectURI: nil, of: andy, to: id, at: now)
        }
        #expect(try await consents.clients(of: andy) == ["app", "service", "web"])
        #expect(try await consents.clients(of: bea).isEmpty)
    }

    @Test(arguments: Engines.withValues)
    func `a consent that is taken back ends the client's grants of this user`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (consents, now) = (bench.stores.consents, bench.now)
        let (andy, bea) = (try await bench.user(), try await bench.user("bea@example.com"))
        for account in [andy, bea] {
            try await consents.remember(
                Consent(scope: Scope(names: ["openid"]), claims: ["name"], resources: ["https://api/"]),
                redirectURI: "https://web/", of: account.user.id, to: "web", at: now)
        }
        let grant = try await bench.openGrant(of: andy)
        let others = [
            try await bench.openGrant(of: andy, client: "other"), try await bench.openGrant(of: bea),
        ]
        try await consents.withdraw(from: andy.user.id, to: "web", at: now)
        #expect(try await consents.consent(of: andy.user.id, to: "web") == .none)
        #expect(try await !consents.includes(redirectURI: "https://web/", of: andy.user.id, to: "web"))
        #expect(try await !bench.isAlive(grant))
        for other in others { #expect(try await bench.isAlive(other)) }
        #expect(try await consents.consent(of: bea.user.id, to: "web").claims == ["name"])
    }
}
