import KeyturnAuthenticator
import KeyturnBase
import KeyturnClientAuthenticator
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Passkeys: one ceremony at a time", .timeLimit(.minutes(1)))
struct PasskeyTurnTests {
    let world = PasskeyWorld()
    let device = SoftwarePasskeys(SoftwareAuthenticator(seed: [1]))

    /// A clock whose time is over when it is told so.
    actor Sand: PollSleep {
        private var isOver = false
        private var waiting: [(seconds: Int64, end: CheckedContinuation<Void, Never>)] = []
        private(set) var asked: [Int64] = []

        func seconds(_ seconds: Int64) async -> Bool {
            asked.append(seconds)
            if !isOver { await withCheckedContinuation { waiting.append((seconds, $0)) } }
            return !Task.isCancelled
        }

        func runOut() {
            isOver = true
            for sleeper in waiting { sleeper.end.resume() }
            waiting = []
        }
    }

    @Test func `a new request ends the one before, once its own options have arrived`() async throws {
        let authenticator = ScriptedAuthenticator([.wait], then: device)
        let auth = world.container(authenticator)
        let first = Task { try await auth.passkeys.handleAutoFill() }
        await authenticator.arrived.pass()
        let gate = Gate()
        await world.service.fail(.attestationOptions, .held(gate))
        let second = Task { try await auth.passkeys.startRegister(username: "a@b") }
        await gate.someoneArrives()
        #expect(await authenticator.events == ["asked"], "the form still offers passkeys")
        await gate.open()
        #expect(try await second.value.token == "reg")
        let error = await #expect(throws: AuthError.self) { try await first.value }
        #expect(error?.code == .passkeySuperseded)
        #expect(error?.passkey?.native == .newRequestStarting)
        #expect(await authenticator.events == ["asked", "let go", "asked"], "never two at once")
    }

    @Test func `options that arrive after those of a later request are too late`() async throws {
        let authenticator = ScriptedAuthenticator([.wait], then: device)
        let auth = world.container(authenticator)
        let gate = Gate()
        await world.service.fail(.assertionOptions, .held(gate))
        let first = Task { try await auth.passkeys.startAuth(.id("1")) }
        await gate.someoneArrives()
        let second = Task { try await auth.passkeys.startRegister(username: "a@b") }
        await authenticator.arrived.pass()
        await gate.open()
        await #expect(throws: AuthError(.passkeySuperseded, "")) { try await first.value }
        second.cancel()
        let error = await #expect(throws: AuthError.self) { try await second.value }
        #expect(error?.isTaskCancelled == true)
    }

    @Test func `a request that fails before its options ends nothing`() async throws {
        let authenticator = ScriptedAuthenticator([.wait], then: device)
        let auth = world.container(authenticator)
        let first = Task { try await auth.passkeys.handleAutoFill() }
        await authenticator.arrived.pass()
        await world.service.fail(.attestationOptions, .unreachable)
        await #expect(throws: AuthError(.unavailable, "")) { try await auth.passkeys.startRegister(username: "a") }
        #expect(await authenticator.events == ["asked"])
        first.cancel()
        _ = await first.result
    }

    @Test func `cancelling the task cancels the ceremony`() async throws {
        let authenticator = ScriptedAuthenticator([.wait], then: device)
        let auth = world.container(authenticator)
        let task = Task { try await auth.passkeys.startRegister(username: "a") }
        await authenticator.arrived.pass()
        task.cancel()
        let error = await #expect(throws: AuthError.self) { try await task.value }
        #expect(error?.isTaskCancelled == true)
        #expect(error?.passkeyCode == .canceledByUser)
        #expect(await world.service.requests.count == 1)
    }

    @Test func `after a cancelled ceremony the next one waits until the authenticator is free`() async throws {
        let authenticator = ScriptedAuthenticator([.wait], then: device)
        let auth = world.container(authenticator)
        let task = Task { try await auth.passkeys.startRegister(username: "a") }
        await authenticator.arrived.pass()
        task.cancel()
        _ = await task.result
        #expect(try await auth.passkeys.startRegister(username: "a").token == "reg")
        #expect(await authenticator.events == ["asked", "let go", "asked"])
    }

    @Test func `of three in a row the last waits for the first, whatever becomes of the one between`() async throws {
        actor Log {
            var lines: [String] = []
            func add(_ line: String) { lines.append(line) }
        }
        let sand = Sand()
        let (coordinator, log, leaving, begun) = (CeremonyCoordinator(sleep: sand), Log(), Gate(), Gate())
        let tickets = [await coordinator.ticket(), await coordinator.ticket(), await coordinator.ticket()]
        let first = Task {
            try await coordinator.perform(tickets[0], timeoutSeconds: nil) { () async -> Result<Int, AuthError> in
                await begun.open()
                while !Task.isCancelled { await Task.yield() }
                await leaving.pass()
                await log.add("first let go")
                return .success(1)
            }
        }
        await begun.pass()
        let second = Task {
            try await coordinator.perform(tickets[1], timeoutSeconds: nil) { .success(2) as Result<Int, AuthError> }
        }
        _ = await first.result
        let third = Task {
            try await coordinator.perform(tickets[2], timeoutSeconds: nil) { () async -> Result<Int, AuthError> in
                await log.add("third begins")
                return .success(3)
            }
        }
        _ = await second.result
        await leaving.open()
        #expect(try await third.value == 3)
        #expect(await log.lines == ["first let go", "third begins"])
        await sand.runOut()
    }

    @Test func `an authenticator that never answers is left behind when its time is over`() async throws {
        let sand = Sand()
        let coordinator = CeremonyCoordinator(sleep: sand)
        let authenticator = ScriptedAuthenticator([.ignore], then: device)
        let options = SecurityOptions.any
        let ceremony = PasskeyCeremony(origin: "https://example.com")
        let ticket = await coordinator.ticket()
        async let outcome = Result {
            try await coordinator.perform(ticket, timeoutSeconds: 65) {
                await Result { try await authenticator.get(options, in: ceremony) }
            }
        }
        await authenticator.arrived.pass()
        await sand.runOut()
        let ended = await outcome
        #expect(throws: AuthError(.passkeyTimeout, "")) { try ended.get() }
        #expect(await sand.asked == [65])
    }

    @Test func `one that does not let go holds nobody up for long`() async throws {
        let sand = Sand()
        let coordinator = CeremonyCoordinator(sleep: sand)
        let authenticator = ScriptedAuthenticator([.ignore], then: device)
        let ceremony = PasskeyCeremony(origin: "https://example.com")
        let (one, two) = (await coordinator.ticket(), await coordinator.ticket())
        async let first = Result {
            try await coordinator.perform(one, timeoutSeconds: nil) {
                await Result { try await authenticator.get(SecurityOptions.any, in: ceremony) }
            }
        }
        await authenticator.arrived.pass()
        async let second = Result {
            try await coordinator.perform(two, timeoutSeconds: nil) { Result<Int, AuthError>.success(2) }
        }
        let ended = await first
        #expect(throws: AuthError(.passkeySuperseded, "")) { try ended.get() }
        await sand.runOut()
        let answered = await second
        #expect(try answered.get() == 2)
        #expect(await sand.asked == [2])
    }

    @Test func `a hundred requests at once: one is shown at a time, and the last one ends well`() async throws {
        actor Counter {
            var now = 0
            var most = 0
            func enter() {
                now += 1
                most = max(most, now)
            }
            func leave() { now -= 1 }
        }
        let (coordinator, counter) = (CeremonyCoordinator(), Counter())
        let results = await withTaskGroup(of: (Int, Result<Int, AuthError>).self) { group in
            for _ in 0..<100 {
                let ticket = await coordinator.ticket()
                group.addTask {
                    let result = await Result {
                        try await coordinator.perform(ticket, timeoutSeconds: nil) {
                            await counter.enter()
                            for _ in 0..<20 where !Task.isCancelled { await Task.yield() }
                            await counter.leave()
                            return Result<Int, AuthError>.success(ticket)
                        }
                    }
                    return (ticket, result)
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(await counter.most == 1)
        #expect(try results[100]?.get() == 100)
        for (ticket, result) in results {
            if case .failure(let error) = result { #expect(error.code == .passkeySuperseded, "\(ticket)") }
        }
    }

    @Test(
        arguments: [
            (nil, 600), (0, 15), (60_000, 65), (600_000, 600), (.max, 600),
        ] as [(Int64?, Int64)])
    func `how long an authenticator may take is what the service says, within reason`(
        _ milliseconds: Int64?, _ seconds: Int64
    ) {
        #expect(PasskeyMethods.patience(milliseconds) == seconds)
    }
}
