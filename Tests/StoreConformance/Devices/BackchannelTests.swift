import KeyturnBase
import KeyturnWire
import Model
import Testing

@Suite("Store: sign-ins that are approved on another device")
struct BackchannelTests {
    private struct Requests: Sendable {
        let bench: Bench
        let andy: Account
        let session: BrowserSession

        init(_ engine: any Engine) async throws {
            bench = try await Bench(engine)
            andy = try await bench.user()
            session = try await bench.openSession(of: andy)
        }

        var store: any BackchannelStore { bench.stores.backchannel }
        var now: UnixTime { bench.now }

        func request(
            _ name: String = "request", user: UserID? = nil, key: String? = nil,
            purpose: BackchannelAuthentication.Purpose = .tokens
        ) -> BackchannelAuthentication {
            BackchannelAuthentication(
                id: bench.digest(name), clientID: "till", userID: user ?? andy.user.id,
                scope: Scope(names: ["openid"]), resources: ["https://api.example.com"], needsSeveralFactors: true,
                keyThumbprint: key, bindingMessage: "Till 4", number: 42, network: "192.0.2.1",
                device: "Firefox on Linux", purpose: purpose, sealedPing: purpose == .tokens ? [1, 2] : nil,
                createdAt: now,
                expiresAt: now + 300)
        }

        func add(
            _ name: String = "request", key: String? = nil, purpose: BackchannelAuthentication.Purpose = .tokens
        ) async throws -> BackchannelAuthentication {
            let request = request(name, key: key, purpose: purpose)
            let isShown = try await store.add(request, pendingMax: 5)
            try #require(isShown)
            return request
        }

        func grant() -> Grant { bench.grant(of: andy, client: "till", session: session.id) }

        func poll(
            _ request: BackchannelAuthentication, _ seconds: Int64 = 0, client: String = "till", key: String? = nil
        ) async throws -> DeviceAnswer {
            try await store.poll(
                DevicePoll(id: request.id, clientID: client, keyThumbprint: key), idleSeconds: 1_000, at: now + seconds)
        }
    }

    @Test(arguments: Engines.all)
    func `what is stored comes back as it was, until it expires`(_ engine: any Engine) async throws {
        let requests = try await Requests(engine)
        let (request, user) = (try await requests.add(key: "key"), requests.andy.user.id)
        #expect(try await requests.store.waiting(for: user, limit: 5, at: requests.now) == [request])
        #expect(try await requests.store.waiting(for: user, limit: 5, at: requests.now + 299) == [request])
        #expect(try await requests.store.waiting(for: user, limit: 5, at: requests.now + 300).isEmpty)
        let other = UserID(rawValue: "other")
        #expect(try await requests.store.waiting(for: other, limit: 5, at: requests.now).isEmpty)
    }

    @Test(arguments: Engines.all)
    func `of a hundred requests at once five are shown, and the others wait for no user`(_ engine: any Engine)
        async throws
    {
        let requests = try await Requests(engine)
        let all = (0..<100).map { requests.request("\($0)") }
        let shown = try await requests.bench.race { stores, number in
            (number, isShown: try await stores.backchannel.add(all[number], pendingMax: 5))
        }
        #expect(shown.count(where: \.isShown) == 5)
        let waiting = try await requests.store.waiting(for: requests.andy.user.id, limit: 100, at: requests.now)
        #expect(waiting.count == 5)
        let hidden = try #require(shown.first { !$0.isShown }).0
        #expect(try await requests.poll(all[hidden], 5) == .pending)
        let decision = try await requests.store.allow(
            all[hidden].id, number: 42, requests.grant(), at: requests.now)
        #expect(decision == .tooLate)
    }

    @Test(arguments: Engines.all)
    func `26: of a hundred polls one redeems`(_ engine: any Engine) async throws {
        let requests = try await Requests(engine)
        let (request, now) = (try await requests.add(), requests.now)
        #expect(try await requests.store.allow(request.id, number: 42, requests.grant(), at: now) == .made)
        let answers = try await requests.bench.race { stores, _ in
            try await stores.backchannel.poll(
                DevicePoll(id: request.id, clientID: "till"), idleSeconds: 1_000, at: now + 5)
        }
        #expect(answers.count { if case .granted = $0 { true } else { false } } == 1)
    }

    @Test(arguments: Engines.all)
    func `a request is allowed a hundred times at once: one grant is written`(_ engine: any Engine) async throws {
        let requests = try await Requests(engine)
        let (request, now) = (try await requests.add(), requests.now)
        let grants = (0..<100).map { _ in requests.grant() }
        let decisions = try await requests.bench.race { stores, number in
            number % 2 == 0
                ? try await stores.backchannel.allow(request.id, number: 42, grants[number], at: now)
                : try await stores.backchannel.deny(request.id, of: requests.andy.user.id, at: now)
        }
        #expect(decisions.count { $0 == .made } == 1 && decisions.count { $0 == .tooLate } == 99)
        let ended = try await requests.bench.stores.grants.endAll(
            of: requests.andy.user.id, reason: .administrator, at: now)
        #expect(ended <= 1)
    }

    @Test(arguments: Engines.all)
    func `a wrong number denies, and the right one after it is too late`(_ engine: any Engine) async throws {
        let requests = try await Requests(engine)
        let (request, now) = (try await requests.add(), requests.now)
        #expect(try await requests.store.allow(request.id, number: 43, requests.grant(), at: now) == .wrongNumber)
        #expect(try await requests.store.allow(request.id, number: 42, requests.grant(), at: now) == .tooLate)
        #expect(try await requests.poll(request, 5) == .denied)
    }

    @Test(arguments: Engines.all)
    func `another user, a session that is over and a request that expired decide nothing`(_ engine: any Engine)
        async throws
    {
        let requests = try await Requests(engine)
        let (request, now, store) = (try await requests.add(), requests.now, requests.store)
        #expect(try await store.deny(request.id, of: UserID(rawValue: "other"), at: now) == .tooLate)
        #expect(try await store.deny(request.id, of: requests.andy.user.id, at: now + 300) == .tooLate)
        #expect(try await store.allow(request.id, number: 42, requests.grant(), at: now + 300) == .tooLate)
        _ = try await requests.bench.stores.sessions.end(requests.session.id, of: requests.andy.user.id, at: now)
        #expect(try await store.allow(request.id, number: 42, requests.grant(), at: now) == .signedOut)
        #expect(try await requests.poll(request, 5) == .pending)
        #expect(try await requests.poll(request, 300) == .expired)
    }

    @Test(arguments: Engines.all)
    func `a poll of another client or key changes nothing, an early one waits longer`(_ engine: any Engine)
        async throws
    {
        let requests = try await Requests(engine)
        let request = try await requests.add(key: "key")
        #expect(try await requests.poll(request, key: "key") == .pending)
        #expect(try await requests.poll(request, 1) == .unknown)
        #expect(try await requests.poll(request, 1, client: "other", key: "key") == .unknown)
        #expect(try await requests.poll(request, 1, key: "key") == .slowDown(intervalSeconds: 10))
    }

    @Test(arguments: Engines.all)
    func `an expired request is removed an hour after its end`(_ engine: any Engine) async throws {
        let requests = try await Requests(engine)
        let request = try await requests.add()
        let end = requests.now + 300 + Limits.deviceMemorySeconds
        _ = try await requests.bench.stores.maintenance.removeExpired(limit: 9, at: end - 1)
        #expect(try await requests.poll(request, 300) == .expired)
        _ = try await requests.bench.stores.maintenance.removeExpired(limit: 9, at: end)
        #expect(try await requests.poll(request, 300) == .unknown)
    }

    @Test(arguments: Engines.all)
    func `B-4, B-5: of a hundred approvals at once one is made, and of a hundred browsers one collects it`(
        _ engine: any Engine
    ) async throws {
        let requests = try await Requests(engine)
        let (request, now) = (try await requests.add(purpose: .session), requests.now)
        let (session, user) = (requests.session, requests.andy.user.id)
        #expect(try await requests.store.approval(request.id, at: now) == .pending)
        #expect(try await requests.store.collectApproval(request.id, at: now) == .pending)
        let decisions = try await requests.bench.race { stores, number in
            number % 2 == 0
                ? try await stores.backchannel.approve(request.id, number: 42, by: session, at: now)
                : try await stores.backchannel.approve(request.id, number: 42, by: session, at: now + 1)
        }
        #expect(decisions.count { $0 == .made } == 1 && decisions.count { $0 == .tooLate } == 99)
        let approved = ApprovalAnswer.approved(user, authenticatedAt: session.authentication.time)
        #expect(try await requests.store.approval(request.id, at: now) == approved)
        let answers = try await requests.bench.race { stores, _ in
            try await stores.backchannel.collectApproval(request.id, at: now + 2)
        }
        #expect(answers.count { $0 == approved } == 1 && answers.count { $0 == .unknown } == 99)
    }

    @Test(arguments: Engines.all)
    func `B-2, B-3, B-8: a wrong number, another user, a session that is over and the end of time approve nothing`(
        _ engine: any Engine
    ) async throws {
        let requests = try await Requests(engine)
        let (now, store, session) = (requests.now, requests.store, requests.session)
        let wrong = try await requests.add("wrong", purpose: .session)
        #expect(try await store.approve(wrong.id, number: 43, by: session, at: now) == .wrongNumber)
        #expect(try await store.approve(wrong.id, number: 42, by: session, at: now) == .tooLate)
        #expect(try await store.collectApproval(wrong.id, at: now) == .denied)
        let tokens = try await requests.add("tokens")
        #expect(try await store.approve(tokens.id, number: 42, by: session, at: now) == .signedOut)
        #expect(try await store.collectApproval(tokens.id, at: now) == .unknown)
        let page = try await requests.add("page", purpose: .session)
        #expect(try await store.allow(page.id, number: 42, requests.grant(), at: now) == .signedOut)
        let bea = try await requests.bench.user("bea@example.com")
        let other = try await requests.bench.openSession(of: bea, "other")
        #expect(try await store.approve(page.id, number: 42, by: other, at: now) == .tooLate)
        #expect(try await store.approve(page.id, number: 42, by: session, at: now + 300) == .tooLate)
        #expect(try await store.collectApproval(page.id, at: now + 300) == .expired)
        #expect(try await store.approve(page.id, number: 42, by: session, at: now) == .made)
        _ = try await requests.bench.stores.sessions.end(session.id, of: requests.andy.user.id, at: now)
        #expect(try await store.collectApproval(page.id, at: now) == .denied, "signed out in between")
    }

    @Test(arguments: Engines.all)
    func `requests of the two purposes are counted apart`(_ engine: any Engine) async throws {
        let requests = try await Requests(engine)
        for number in 0..<2 { _ = try await requests.add("page \(number)", purpose: .session) }
        #expect(try await requests.store.add(requests.request("third", purpose: .session), pendingMax: 2) == false)
        _ = try await requests.add("tokens")
        let waiting = try await requests.store.waiting(for: requests.andy.user.id, limit: 9, at: requests.now)
        #expect(waiting.map(\.purpose).count { $0 == .session } == 2 && waiting.count == 3)
    }
}
