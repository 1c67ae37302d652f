#if os(Linux)
    internal import KeyturnBase

    /// Waits for a key to be plugged in, and for the person to say which, if there are several.
    struct SecurityKeyFinder: Sendable {
        let source: any SecurityKeySource
        let interaction: (any SecurityKeyInteraction)?
        let sleep: any PollSleep

        func find() async throws(AuthError) -> any SecurityKeyPort {
            var hasAsked = false
            while true {
                guard !Task.isCancelled else { throw .taskCancelled }
                let source = source
                let ports = await DetachedThread.run { () -> [any SecurityKeyPort] in
                    source.list().prefix(Limits.securityKeysMax).compactMap { try? source.open($0) }
                }
                if ports.count == 1 { return ports[0] }
                if ports.count > 1 { return try await touched(ports) }
                if !hasAsked { await interaction?.insertKey() }
                hasAsked = true
                guard await sleep.seconds(1) else { throw .taskCancelled }
            }
        }

        /// The key that is touched; the others are let go.
        private func touched(_ ports: [any SecurityKeyPort]) async throws(AuthError) -> any SecurityKeyPort {
            await interaction?.touchKey(.choose)
            let waiting = await DetachedThread.run { ports.filter { (try? $0.beginTouch()) != nil } }
            var chosen: Int?
            while chosen == nil, !waiting.isEmpty, !Task.isCancelled {
                chosen = await DetachedThread.run {
                    waiting.firstIndex { (try? $0.wasTouched(withinMilliseconds: Limits.securityKeyLook)) == true }
                }
            }
            let kept = chosen.map { waiting[$0] }
            await DetachedThread.run {
                for port in waiting where kept.map({ $0 !== port }) ?? true { port.cancel() }
            }
            for port in ports where kept.map({ $0 !== port }) ?? true { port.close() }
            guard let kept else {
                if Task.isCancelled { throw .taskCancelled }
                throw .passkey(.passkeyFailed, .unexpected, .failed, "no security key can be asked")
            }
            return kept
        }
    }
#endif
