internal import KeyturnBase

/// One ceremony at a time: a later one replaces the present one.
///
/// A request takes a ticket when it begins and the place when its options have arrived; only then is the ceremony that
/// was there ended. So a prompt stays up while the next one is being fetched, and a request whose options arrive after
/// those of a later one gives way.
actor CeremonyCoordinator {
    private struct Ceremony {
        let ticket: Int
        let work: Task<Void, Never>
        let end: @Sendable (AuthError) -> Void
    }

    private let sleep: any PollSleep
    private var tickets = 0
    private var current: Ceremony?
    /// What was ended last, and may still be letting go of its authenticator.
    private var leaving: Task<Void, Never>?

    init(sleep: any PollSleep = ContinuousSleep()) {
        self.sleep = sleep
    }

    /// A place in the order of requests.
    func ticket() -> Int {
        tickets += 1
        return tickets
    }

    /// Ends what is there, then runs `body`.
    ///
    /// - Parameter timeoutSeconds: How long it may take; `nil`: for ever, for what waits quietly in the background.
    /// - Throws: `passkey.superseded`; `passkey.timeout`; `sign_in.cancelled` if the calling task is cancelled; what
    ///   `body` throws.
    func perform<Answer: Sendable>(
        _ ticket: Int, timeoutSeconds: Int64?, _ body: @escaping @Sendable () async -> Result<Answer, AuthError>
    ) async throws(AuthError) -> Answer {
        let before = current
        guard before.map({ $0.ticket < ticket }) ?? true else { throw .passkeySuperseded }
        // A stream of one takes the first answer, ends with the calling task, and the rest is dropped.
        let (answers, answer) = AsyncStream.makeStream(
            of: Result<Answer, AuthError>.self, bufferingPolicy: .bufferingOldest(1))
        let sleep = sleep
        let predecessor = before?.work ?? leaving
        // Unstructured on purpose: an authenticator that never answers is left behind.
        let work = Task {
            // A task of its own, so that being superseded meanwhile does not end the wait: the next in line waits for
            // us.
            if let predecessor { await Task { await Self.wait(for: predecessor, sleep) }.value }
            guard !Task.isCancelled else { return }
            answer.yield(await body())
            answer.finish()
        }
        let watchdog = timeoutSeconds.map { seconds in
            Task {
                guard await sleep.seconds(seconds) else { return }
                answer.yield(.failure(.passkeyTimeout))
                answer.finish()
            }
        }
        current = Ceremony(ticket: ticket, work: work) { error in
            answer.yield(.failure(error))
            answer.finish()
        }
        before?.end(.passkeySuperseded)
        before?.work.cancel()
        defer {
            work.cancel()
            watchdog?.cancel()
            if current?.ticket == ticket { (current, leaving) = (nil, work) }
        }
        for await outcome in answers { return try outcome.get() }
        throw .taskCancelled
    }

    /// Waits until a cancelled ceremony has let go of its authenticator, but not for ever.
    private static func wait(for work: Task<Void, Never>, _ sleep: any PollSleep) async {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        // Unstructured: neither may keep the other from ending.
        let waiting = Task {
            await work.value
            end.finish()
        }
        let limit = Task {
            _ = await sleep.seconds(Limits.passkeyLettingGoSeconds)
            end.finish()
        }
        for await _ in ends {}
        waiting.cancel()
        limit.cancel()
    }
}
