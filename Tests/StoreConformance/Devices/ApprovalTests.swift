import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Store: approvals of sign-in pages and in apps")
struct ApprovalTests {
    @Test(arguments: Engines.all)
    func `B-4, B-5: of a hundred approvals at once one is made, and of a hundred browsers one collects it`(
        _ engine: any Engine
    ) async throws {
        let requests = try await BackchannelRequests(engine)
        let (request, now) = (try await requests.add(purpose: .session), requests.now)
        let (approver, user) = (requests.approver, requests.andy.user.id)
        #expect(try await requests.store.approval(request.id, at: now) == .pending)
        #expect(try await requests.store.collectApproval(request.id, at: now) == .pending)
        let decisions = try await requests.bench.race { stores, number in
            number % 2 == 0
                ? try await stores.backchannel.approve(request.id, number: 42, by: approver, at: now)
                : try await stores.backchannel.approve(request.id, number: 42, by: approver, at: now + 1)
        }
        #expect(decisions.count { $0 == .made } == 1 && decisions.count { $0 == .tooLate } == 99)
        let approved = ApprovalAnswer.approved(
            user, epoch: try await requests.bench.epoch(of: requests.andy),
            authenticatedAt: approver.authentication.time)
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
        let requests = try await BackchannelRequests(engine)
        let (now, store, session) = (requests.now, requests.store, requests.approver)
        let wrong = try await requests.add("wrong", purpose: .session)
        #expect(try await store.approve(wrong.id, number: 43, by: session, at: now) == .wrongNumber)
        #expect(try await store.approve(wrong.id, number: 42, by: session, at: now) == .tooLate)
        #expect(try await store.collectApproval(wrong.id, at: now) == .denied)
        let tokens = try await requests.add("tokens")
        #expect(try await store.approve(tokens.id, number: 42, by: session, at: now) == .signedOut)
        #expect(try await store.collectApproval(tokens.id, at: now) == .unknown)
        let page = try await requests.add("page", purpose: .session)
        #expect(try await store.allow(page.id, number: 42, requests.grant(), by: session, at: now) == .signedOut)
        let bea = try await requests.bench.user("bea@example.com")
        let other = try await requests.bench.openSession(of: bea, "other")
        #expect(try await store.approve(page.id, number: 42, by: Approver(other), at: now) == .tooLate)
        #expect(try await store.approve(page.id, number: 42, by: session, at: now + 300) == .tooLate)
        #expect(try await store.collectApproval(page.id, at: now + 300) == .expired)
        #expect(try await store.approve(page.id, number: 42, by: session, at: now) == .made)
        _ = try await requests.bench.stores.sessions.end(requests.session.id, of: requests.andy.user.id, at: now)
        #expect(try await store.collectApproval(page.id, at: now) == .denied, "signed out in between")
    }

    @Test(arguments: Engines.all)
    func `B-8: what ends sessions or codes denies what was approved and not collected`(_ engine: any Engine)
        async throws
    {
        let requests = try await BackchannelRequests(engine)
        let (bench, now, store) = (requests.bench, requests.now, requests.store)
        let (page, collected) = (
            try await requests.add("page", purpose: .session), try await requests.add("other", purpose: .session)
        )
        for request in [page, collected] {
            #expect(try await store.approve(request.id, number: 42, by: requests.approver, at: now) == .made)
        }
        _ = try await store.collectApproval(collected.id, at: now)
        let change = PasswordChange(
            hash: "new", origin: .strong, historyMax: 0, keepingSession: requests.session.id)
        _ = try await bench.stores.passwords.set(change, of: requests.andy.user.id, at: now)
        #expect(try await store.approval(page.id, at: now) == .denied)
        #expect(try await store.collectApproval(page.id, at: now) == .denied)
        #expect(try await store.isApproverAlive(collected.id, at: now), "the session that approved goes on")
    }

    @Test(arguments: Engines.all)
    func `B-8: the sign-in that approved is asked for after the collection, too`(_ engine: any Engine) async throws {
        let requests = try await BackchannelRequests(engine)
        let (bench, now, store) = (requests.bench, requests.now, requests.store)
        let (page, other) = (
            try await requests.add("page", purpose: .session), try await requests.add("other", purpose: .session)
        )
        #expect(try await !store.isApproverAlive(page.id, at: now), "nobody has approved")
        #expect(try await store.approve(page.id, number: 42, by: requests.approver, at: now) == .made)
        let opened = try await bench.openGrant(of: requests.andy, client: "app")
        #expect(try await store.approve(other.id, number: 42, by: Approver(opened), at: now) == .made)
        for request in [page, other] {
            guard case .approved = try await store.collectApproval(request.id, at: now) else {
                Issue.record("\(request)")
                return
            }
            #expect(try await store.isApproverAlive(request.id, at: now + 301), "the request itself is over")
        }
        _ = try await bench.stores.sessions.end(requests.session.id, of: requests.andy.user.id, at: now)
        #expect(try await !store.isApproverAlive(page.id, at: now))
        #expect(try await store.isApproverAlive(other.id, at: now))
        _ = try await bench.stores.grants.end(opened.id, clientID: "app", reason: .logout, at: now)
        #expect(try await !store.isApproverAlive(other.id, at: now))
        #expect(try await !store.isApproverAlive(bench.digest("unknown"), at: now))
    }

    @Test(arguments: Engines.all)
    func `B-8: the collection names the epoch that it was made in, and a later sign-out begins another`(
        _ engine: any Engine
    ) async throws {
        let requests = try await BackchannelRequests(engine)
        let (request, now, user) = (try await requests.add(purpose: .session), requests.now, requests.andy.user.id)
        #expect(try await requests.store.approve(request.id, number: 42, by: requests.approver, at: now) == .made)
        let answer = try await requests.store.collectApproval(request.id, at: now)
        guard case .approved(user, let epoch, _) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(try await requests.bench.epoch(of: requests.andy) == epoch)
        _ = try await requests.bench.stores.grants.endEverything(of: user, reason: .logout, at: now)
        #expect(try await requests.bench.epoch(of: requests.andy) != epoch)
    }

    @Test(arguments: Engines.all)
    func `B-8: what an app approved ends with it, if it does not outlive sessions`(_ engine: any Engine) async throws {
        let requests = try await BackchannelRequests(engine)
        let (bench, now, store) = (requests.bench, requests.now, requests.store)
        let opened = try await bench.openGrant(of: requests.andy, client: "app")
        let app = Approver(opened)
        let (page, late) = (
            try await requests.add("page", purpose: .session), try await requests.add("late", purpose: .session)
        )
        let (first, second) = (try await requests.add("first"), try await requests.add("second"))
        let offline = bench.grant(of: requests.andy, client: "till", scope: ["openid", "offline_access"])
        #expect(try await store.approve(page.id, number: 42, by: app, at: now) == .made)
        #expect(try await store.allow(first.id, number: 42, requests.grant(), by: app, at: now) == .made)
        #expect(try await store.allow(second.id, number: 42, offline, by: app, at: now) == .made)
        #expect(try await store.approval(page.id, at: now) != .denied)
        _ = try await bench.stores.grants.end(opened.id, clientID: "app", reason: .logout, at: now)
        #expect(try await store.approval(page.id, at: now) == .denied)
        #expect(try await store.collectApproval(page.id, at: now) == .denied)
        #expect(try await store.approve(late.id, number: 42, by: app, at: now) == .signedOut)
        #expect(try await requests.poll(first, 5) == .ended)
        #expect(try await requests.poll(second, 5) != .ended)
    }

    @Test(arguments: Engines.all)
    func `B-1: “This was not me” denies all that waits from the same source, and nothing else`(_ engine: any Engine)
        async throws
    {
        let requests = try await BackchannelRequests(engine)
        let (now, store, user) = (requests.now, requests.store, requests.andy.user.id)
        for name in ["page", "page 2", "page 3"] { _ = try await requests.add(name, purpose: .session) }
        for name in ["till", "till 2"] { _ = try await requests.add(name) }
        #expect(try await store.add(requests.request("kiosk", client: "kiosk"), pendingMax: 5))
        let page = requests.request("page", purpose: .session)
        #expect(try await store.deny(page.id, of: user, withOthers: true, at: now) == .made)
        let till = requests.request("till")
        let left = try await store.waiting(for: user, limit: 9, at: now)
        #expect(Set(left.map(\.purpose)) == [.tokens] && left.count == 3)
        #expect(try await store.deny(till.id, of: user, withOthers: true, at: now) == .made)
        #expect(try await store.waiting(for: user, limit: 9, at: now).map(\.clientID) == ["kiosk"])
        let pings = try await requests.bench.stores.pingNotices.claim(limit: 9, leaseSeconds: 20, at: now)
        #expect(pings.count == 2, "both of the client are told")
    }

    @Test(arguments: Engines.all)
    func `B-14: a client, and a network at sign-in pages, use up their own limit alone`(_ engine: any Engine)
        async throws
    {
        let requests = try await BackchannelRequests(engine)
        let store = requests.store
        for number in 0..<3 {
            let isFirst = number < 2
            #expect(try await store.add(requests.request("till \(number)"), pendingMax: 2) == isFirst)
            let page = requests.request("page \(number)", purpose: .session)
            #expect(try await store.add(page, pendingMax: 2) == isFirst)
        }
        #expect(try await store.add(requests.request("kiosk", client: "kiosk"), pendingMax: 2))
        for network in ["198.51.100.1", nil] {
            let page = requests.request("at \(network ?? "none")", purpose: .session, network: network)
            #expect(try await store.add(page, pendingMax: 2))
        }
    }

    @Test(arguments: Engines.all)
    func `requests of the two purposes are counted apart`(_ engine: any Engine) async throws {
        let requests = try await BackchannelRequests(engine)
        for number in 0..<2 { _ = try await requests.add("page \(number)", purpose: .session) }
        #expect(try await requests.store.add(requests.request("third", purpose: .session), pendingMax: 2) == false)
        _ = try await requests.add("tokens")
        let waiting = try await requests.store.waiting(for: requests.andy.user.id, limit: 9, at: requests.now)
        #expect(waiting.map(\.purpose).count { $0 == .session } == 2 && waiting.count == 3)
    }
}
