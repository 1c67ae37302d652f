#if os(Linux)
    /// Whether a person may be asked, and until when.
    enum Asking: Sendable {
        case never
        case until(ContinuousClock.Instant, orInterruptedBy: BusInterrupt)
    }

    extension SecretService {
        /// Shows a prompt of the keyring and waits for the person's answer (Secret Service API 0.2, “Prompts”).
        ///
        /// Afterwards the deadline of the connection starts anew: the person's time is not the service's.
        ///
        /// - Throws: ``BusProblem/dismissed`` if the person does not agree in time.
        func answer(_ prompt: String, _ asking: Asking) throws(BusProblem) {
            guard case .until(let deadline, let interrupt) = asking else { throw .locked }
            try connection.listen(
                to: "type='signal',interface='org.freedesktop.Secret.Prompt',member='Completed',path='\(prompt)'")
            let shown = try call(prompt, "Prompt", "Prompt", "s") { $0.write("") }
            let isCompletion = { (message: BusMessage) in
                message.path == prompt && message.member == "Completed" && message.sender == shown.sender
                    && message.interface == "org.freedesktop.Secret.Prompt"
            }
            let completed: BusMessage
            do throws(BusProblem) {
                completed = try connection.signal(where: isCompletion, until: deadline, or: interrupt)
            } catch {
                // No caller waits for the answer any more, so the window may go.
                connection.deadline = ContinuousClock.now + .seconds(1)
                if error != .closed { _ = try? call(prompt, "Prompt", "Dismiss", "") { _ in } }
                throw error == .timedOut ? .dismissed : error
            }
            connection.deadline = ContinuousClock.now + .seconds(Limits.keyringSeconds)
            // The result that follows has a type of its own for each prompt; what came of it is looked up instead.
            var reader = try completed.reader("bv")
            guard try !reader.bool() else { throw .dismissed }
        }
    }
#endif
