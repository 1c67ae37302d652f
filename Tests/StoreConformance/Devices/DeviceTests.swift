import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Store: devices that wait to be let in")
struct DeviceTests {
    /// A user with a session in which devices are let in.
    private struct Devices: Sendable {
        let bench: Bench
        let andy: Account
        let session: BrowserSession

        init(_ engine: any Engine) async throws {
            bench = try await Bench(engine)
            andy = try await bench.user()
            session = try await bench.openSession(of: andy)
        }

        var store: any DeviceStore { bench.stores.devices }
        var now: UnixTime { bench.now }

        /// Adds a device whose user code is its name.
        func add(_ name: String = "device", key: String? = nil) async throws -> DeviceAuthorization {
            let device = bench.device(name, key: key)
            let isAdded = try await store.add(device, userCode: bench.digest("user code \(name)"))
            try #require(isAdded)
            return device
        }

        func grant() -> Grant { bench.grant(of: andy, client: "television", session: session.id) }
    }

    @Test(arguments: Engines.all)
    func `what is stored comes back as it was, by either code`(_ engine: any Engine) async throws {
        let devices = try await Devices(engine)
        let (store, bench) = (devices.store, devices.bench)
        let device = try await devices.add(key: "key")
        let (code, other) = (bench.digest("user code device"), bench.digest("other"))
        #expect(try await store.authorization(device.id) == device)
        #expect(try await store.authorization(userCode: [other, code]) == device)
        #expect(try await store.authorization(userCode: [other]) == nil)
        #expect(try await !store.add(bench.device("two"), userCode: code))
        #expect(try await store.authorization(bench.device("two").id) == nil)
    }

    @Test(arguments: Engines.all)
    func `of a hundred devices with one user code one is added`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let added = try await bench.race { stores, number in
            try await stores.devices.add(bench.device("\(number)"), userCode: bench.digest("user code"))
        }
        #expect(added.count { $0 } == 1)
    }

    @Test(arguments: Engines.all)
    func `26: of a hundred polls one redeems, and ninety-nine repeat what it got`(_ engine: any Engine) async throws {
        let devices = try await Devices(engine)
        let device = try await devices.add()
        let now = devices.now
        #expect(try await devices.store.allow(device.id, devices.grant(), at: now) == .made)
        let answers = try await devices.bench.race { stores, _ in
            try await stores.devices.poll(
                DevicePoll(id: device.id, clientID: "television"), idleSeconds: 1_000, at: now + 5)
        }
        let granted = answers.compactMap { if case .granted(let grant) = $0 { grant.id } else { nil } }
        let repeated = answers.compactMap { if case .repeated(let grant) = $0 { grant.id } else { nil } }
        #expect(granted.count == 1 && repeated.count == 99 && Set(granted + repeated).count == 1)
    }

    @Test(arguments: Engines.all)
    func `what was granted is repeated for a minute, and not after its use`(_ engine: any Engine) async throws {
        let devices = try await Devices(engine)
        let bench = devices.bench
        for (name, isUsed) in [("unused", false), ("used", true)] {
            let device = try await devices.add(name)
            #expect(try await devices.store.allow(device.id, devices.grant(), at: devices.now) == .made)
            guard case .granted(let grant) = try await bench.poll(device, 5) else {
                Issue.record("\(name)")
                continue
            }
            #expect(grant.clientID == "television" && grant.userID == devices.andy.user.id)
            if isUsed {
                #expect(try await bench.renew(grant, counter: 0, client: "television", at: devices.now + 6).isRenewed)
            }
            let inTime = try await bench.poll(device, 65)
            if case .repeated = inTime { #expect(!isUsed) } else { #expect(isUsed && inTime == .spent(grant.id)) }
            #expect(try await bench.poll(device, 80) == .spent(grant.id))
            #expect(try await bench.isAlive(grant), "a late question ends nothing")
        }
    }

    @Test(arguments: Engines.all)
    func `of a hundred decisions at once one is made, and there is one grant at most`(_ engine: any Engine)
        async throws
    {
        let devices = try await Devices(engine)
        let (device, now) = (try await devices.add(), devices.now)
        let grants = (0..<100).map { _ in devices.grant() }
        let decisions = try await devices.bench.race { stores, number in
            number % 2 == 0
                ? try await stores.devices.allow(device.id, grants[number], at: now)
                : try await stores.devices.deny(device.id, at: now)
        }
        #expect(decisions.count { $0 == .made } == 1)
        #expect(decisions.count { $0 == .tooLate } == 99)
        let ended = try await devices.bench.stores.grants.endAll(
            of: devices.andy.user.id, reason: .administrator, at: now)
        #expect(ended <= 1)
    }

    @Test(arguments: Engines.all)
    func `one device is let in a hundred times at once: one grant is written`(_ engine: any Engine) async throws {
        let devices = try await Devices(engine)
        let (device, now) = (try await devices.add(), devices.now)
        let grants = (0..<100).map { _ in devices.grant() }
        let decisions = try await devices.bench.race { stores, number in
            try await stores.devices.allow(device.id, grants[number], at: now)
        }
        let winner = try #require(decisions.firstIndex(of: .made))
        #expect(decisions.count { $0 == .made } == 1 && decisions.count { $0 == .tooLate } == 99)
        #expect(try await devices.store.authorization(device.id)?.decision == .allowed)
        guard case .granted(let grant) = try await devices.bench.poll(device, 5) else {
            Issue.record("round \(winner)")
            return
        }
        #expect(grants.map(\.id).contains(grant.id))
        let ended = try await devices.bench.stores.grants.endAll(
            of: devices.andy.user.id, reason: .administrator, at: now)
        #expect(ended == 1, "no second grant waits")
    }

    @Test(arguments: Engines.all)
    func `a device that is refused hears of it`(_ engine: any Engine) async throws {
        let devices = try await Devices(engine)
        let device = try await devices.add()
        #expect(try await devices.store.deny(device.id, at: devices.now) == .made)
        #expect(try await devices.store.allow(device.id, devices.grant(), at: devices.now) == .tooLate)
        #expect(try await devices.store.authorization(device.id)?.decision == .denied)
        #expect(try await devices.bench.poll(device, 5) == .denied)
        #expect(try await devices.store.deny(devices.bench.digest("unknown"), at: devices.now) == .expired)
    }

    @Test(arguments: Engines.all)
    func `no decision counts in a session that is over, and the device waits on`(_ engine: any Engine) async throws {
        let devices = try await Devices(engine)
        let (device, now) = (try await devices.add(), devices.now)
        _ = try await devices.bench.stores.sessions.end(devices.session.id, of: devices.andy.user.id, at: now)
        #expect(try await devices.store.allow(device.id, devices.grant(), at: now) == .signedOut)
        #expect(try await devices.bench.poll(device) == .pending)
        #expect(try await devices.store.deny(device.id, at: now + 900) == .expired)
    }

    @Test(arguments: Engines.all)
    func `a session ends while it lets a device in: the device gets nothing, many times`(_ engine: any Engine)
        async throws
    {
        let devices = try await Devices(engine)
        let (bench, andy, now) = (devices.bench, devices.andy, devices.now)
        for round in 0..<20 {
            let (device, session) = (
                try await devices.add("\(round)"), try await bench.openSession(of: andy, "session \(round)")
            )
            let grant = bench.grant(of: andy, client: "television", session: session.id)
            let (decision, _) = try await bench.both(
                { try await $0.devices.allow(device.id, grant, at: now) },
                { try await $0.sessions.end(session.id, of: andy.user.id, at: now) })
            let answer = try await bench.poll(device, 5)
            #expect(answer == (decision == .made ? .ended : .pending), "round \(round)")
            #expect(try await !bench.isAlive(grant), "round \(round)")
        }
    }

    @Test(arguments: Engines.all)
    func `who was let in at the last moment has a minute to ask`(_ engine: any Engine) async throws {
        let devices = try await Devices(engine)
        for (seconds, isGranted) in [(Int64(958), true), (959, false)] {
            let device = try await devices.add("\(seconds)")
            #expect(try await devices.store.allow(device.id, devices.grant(), at: devices.now + 899) == .made)
            let answer = try await devices.bench.poll(device, seconds)
            if case .granted = answer { #expect(isGranted) } else { #expect(!isGranted && answer == .expired) }
        }
    }

    @Test(arguments: Engines.all)
    func `a device that asks too early waits longer each time, up to a limit`(_ engine: any Engine) async throws {
        let devices = try await Devices(engine)
        let (bench, device) = (devices.bench, try await devices.add())
        #expect(try await bench.poll(device, 0) == .pending)
        var interval = Limits.deviceIntervalSeconds
        for _ in 0..<30 {
            interval = min(interval + Limits.deviceSlowDownSeconds, Limits.deviceIntervalSecondsMax)
            #expect(try await bench.poll(device, 1) == .slowDown(intervalSeconds: interval))
        }
        #expect(try await bench.poll(device, 1 + interval) == .pending)
        #expect(try await bench.poll(device, 900) == .expired)
    }

    @Test(arguments: Engines.all)
    func `a poll of another client or key changes nothing`(_ engine: any Engine) async throws {
        let devices = try await Devices(engine)
        let (bench, device) = (devices.bench, try await devices.add(key: "key"))
        #expect(try await bench.poll(device, key: "key") == .pending)
        #expect(try await bench.poll(device, 1) == .unknown)
        #expect(try await bench.poll(device, 1, key: "other") == .unknown)
        #expect(try await bench.poll(device, 1, client: "other", key: "key") == .unknown)
        #expect(try await bench.poll(device, 5, key: "key") == .pending)
    }
}
