import KeyturnBase
import KeyturnWire
import Model
import Testing

@Suite("Store: sign-ins that are approved on another device")
struct BackchannelTests {
    @Test(arguments: Engines.all)
    func `what is stored comes back as it was, until it expires`(_ engine: any Engine) async throws {
        let requests = try await BackchannelRequests(engine)
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
        let requests = try await BackchannelRequests(engine)
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
            all[hidden].id, number: 42, requests.grant(), by: requests.approver, at: requests.now)
        #expect(decision == .tooLate)
    }

    @Test(arguments: Engines.all)
    func `26: of a hundred polls one redeems`(_ engine: any Engine) async throws {
        let requests = try await BackchannelRequests(engine)
        let (request, now) = (try await requests.add(), requests.now)
        #expect(
            try await requests.store.allow(request.id, number: 42, requests.grant(), by: requests.approver, at: now)
                == .made)
        let answers = try await requests.bench.race { stores, _ in
            try await stores.backchannel.poll(
                DevicePoll(id: request.id, clientID: "till"), idleSeconds: 1_000, at: now + 5)
        }
        #expect(answers.count { if case .granted = $0 { true } else { false } } == 1)
    }

    @Test(arguments: Engines.all)
    func `a request is allowed a hundred times at once: one grant is written`(_ engine: any Engine) async throws {
        let requests = try await BackchannelRequests(engine)
        let (request, now) = (try await requests.add(), requests.now)
        let grants = (0..<100).map { _ in requests.grant() }
        let decisions = try await requests.bench.race { stores, number in
            number % 2 == 0
                ? try await stores.backchannel.allow(
                    request.id, number: 42, grants[number], by: requests.approver, at: now)
                : try await stores.backchannel.deny(request.id, of: requests.andy.user.id, withOthers: false, at: now)
        }
        #expect(decisions.count { $0 == .made } == 1 && decisions.count { $0 == .tooLate } == 99)
        let ended = try await requests.bench.stores.grants.endAll(
            of: requests.andy.user.id, reason: .administrator, at: now)
        #expect(ended <= 1)
    }

    @Test(arguments: Engines.all)
    func `a wrong number denies, and the right one after it is too late`(_ engine: any Engine) async throws {
        let requests = try await BackchannelRequests(engine)
        let (request, now) = (try await requests.add(), requests.now)
        #expect(
            try await requests.store.allow(request.id, number: 43, requests.grant(), by: requests.approver, at: now)
                == .wrongNumber)
        #expect(
            try await requests.store.allow(request.id, number: 42, requests.grant(), by: requests.approver, at: now)
                == .tooLate)
        #expect(try await requests.poll(request, 5) == .denied)
    }

    @Test(arguments: Engines.all)
    func `another user, a session that is over and a request that expired decide nothing`(_ engine: any Engine)
        async throws
    {
        let requests = try await BackchannelRequests(engine)
        let (request, now, store) = (try await requests.add(), requests.now, requests.store)
        #expect(try await store.deny(request.id, of: UserID(rawValue: "other"), withOthers: true, at: now) == .tooLate)
        #expect(
            try await store.deny(request.id, of: requests.andy.user.id, withOthers: false, at: now + 300) == .tooLate)
        #expect(
            try await store.allow(request.id, number: 42, requests.grant(), by: requests.approver, at: now + 300)
                == .tooLate)
        _ = try await requests.bench.stores.sessions.end(requests.session.id, of: requests.andy.user.id, at: now)
        #expect(
            try await store.allow(request.id, number: 42, requests.grant(), by: requests.approver, at: now)
                == .signedOut)
        #expect(try await requests.poll(request, 5) == .pending)
        #expect(try await requests.poll(request, 300) == .expired)
    }

    @Test(arguments: Engines.all)
    func `a poll of another client or key changes nothing, an early one waits longer`(_ engine: any Engine)
        async throws
    {
        let requests = try await BackchannelRequests(engine)
        let request = try await requests.add(key: "key")
        #expect(try await requests.poll(request, key: "key") == .pending)
        #expect(try await requests.poll(request, 1) == .unknown)
        #expect(try await requests.poll(request, 1, client: "other", key: "key") == .unknown)
        #expect(try await requests.poll(request, 1, key: "key") == .slowDown(intervalSeconds: 10))
    }

    @Test(arguments: Engines.all)
    func `an expired request is removed an hour after its end`(_ engine: any Engine) async throws {
        let requests = try await BackchannelRequests(engine)
        let request = try await requests.add()
        let end = requests.now + 300 + Limits.deviceMemorySeconds
        _ = try await requests.bench.stores.maintenance.removeExpired(limit: 9, at: end - 1)
        #expect(try await requests.poll(request, 300) == .expired)
        _ = try await requests.bench.stores.maintenance.removeExpired(limit: 9, at: end)
        #expect(try await requests.poll(request, 300) == .unknown)
    }
}
