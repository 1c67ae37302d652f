#if os(Linux)
    internal import Foundation
    internal import KeyturnBase

    #if canImport(Musl)
        internal import Musl
    #else
        internal import Glibc
    #endif

    /// Lets this process's tasks use the TPM one after the other, each on a thread of its own.
    ///
    /// Behind a resource manager the connection stays open for a while, with its session and the key that was used last:
    /// a request after another costs one command. A TPM without one gets everything back at once.
    actor TPMQueue {
        static let shared = TPMQueue()

        private let waitSeconds: Int64
        private var isTaken = false
        private var waiting: [CheckedContinuation<Bool, Never>] = []
        private var kept: (address: TPMAddress, tpm: TPM)?
        private var closing: Task<Void, Never>?

        /// - Parameter waitSeconds: The longest wait for one piece of work.
        init(waitSeconds: Int64 = Limits.tpmSeconds) {
            self.waitSeconds = waitSeconds
        }

        /// Does some work with a TPM. If an open connection fails, the work is done once more with a new one: the TPM may
        /// have been reset meanwhile. So it must be harmless to do it twice.
        ///
        /// - Throws: what `work` throws; ``TPMProblem/unreachable(_:)`` if it takes too long.
        func use<Value: Sendable>(
            _ address: TPMAddress, _ work: @escaping @Sendable (inout TPM) throws(TPMProblem) -> Value
        ) async throws(TPMProblem) -> Value {
            guard await takeTurn() else { throw Self.late }
            closing?.cancel()
            let open = kept
            kept = nil
            let turn = await turn(address, open, work)
            guard let turn else {
                // The others would wait as long, for nothing.
                leave(isHopeless: true)
                throw Self.late
            }
            if let tpm = turn.open { keep(tpm, address) }
            leave(isHopeless: false)
            return try turn.result.get()
        }

        private func keep(_ tpm: TPM, _ address: TPMAddress) {
            kept = (address, tpm)
            // Unstructured on purpose: the caller does not wait until the connection is closed.
            closing = Task {
                try? await Task.sleep(for: .seconds(Limits.tpmIdleSeconds))
                if !Task.isCancelled { closeKept() }
            }
        }

        private func closeKept() {
            guard !isTaken, let tpm = kept?.tpm else { return }
            kept = nil
            DetachedThread.start {
                var tpm = tpm
                tpm.close()
            }
        }

        private func takeTurn() async -> Bool {
            guard isTaken else {
                isTaken = true
                return true
            }
            return await withCheckedContinuation { waiting.append($0) }
        }

        private func leave(isHopeless: Bool) {
            if isHopeless {
                for waiter in waiting { waiter.resume(returning: false) }
                waiting = []
            }
            guard !waiting.isEmpty else { return isTaken = false }
            waiting.removeFirst().resume(returning: true)
        }

        private static let late = TPMProblem.unreachable("no answer in time")
    }

    extension TPMQueue {
        private struct Turn<Value: Sendable>: Sendable {
            let result: Result<Value, TPMProblem>
            /// The connection, if the next one may use it.
            var open: TPM?
        }

        /// - Returns: `nil` if it takes too long. Its thread then ends when the TPM answers.
        private nonisolated func turn<Value: Sendable>(
            _ address: TPMAddress, _ open: (address: TPMAddress, tpm: TPM)?,
            _ work: @escaping @Sendable (inout TPM) throws(TPMProblem) -> Value
        ) async -> Turn<Value>? {
            let answer = Locked<CheckedContinuation<Turn<Value>?, Never>?>(nil)
            let give = { @Sendable (turn: Turn<Value>?) -> Bool in
                let continuation = answer.withLock { $0.take() }
                continuation?.resume(returning: turn)
                return continuation != nil
            }
            let seconds = waitSeconds
            // Unstructured on purpose: a thread that waits for a chip cannot be cancelled, only be left behind.
            let timer = Locked<Task<Void, Never>?>(nil)
            defer { timer.withLock { $0.take() }?.cancel() }
            return await withCheckedContinuation { continuation in
                answer.withLock { $0 = continuation }
                timer.withLock {
                    $0 = Task {
                        try? await Task.sleep(for: .seconds(seconds))
                        _ = give(nil)
                    }
                }
                let started = DetachedThread.start {
                    var turn = Self.work(address, open, work)
                    if !give(turn) { turn.open?.close() }
                }
                if !started { _ = give(Turn(result: .failure(.unreachable("no thread to be had")))) }
            }
        }

        private static func work<Value>(
            _ address: TPMAddress, _ open: (address: TPMAddress, tpm: TPM)?,
            _ work: (inout TPM) throws(TPMProblem) -> Value
        ) -> Turn<Value> {
            if var tpm = open?.tpm {
                if open?.address == address, let value = try? work(&tpm) {
                    return Turn(result: .success(value), open: tpm)
                }
                tpm.close()
            }
            var attempt = 1
            while true {
                do throws(TPMProblem) {
                    var tpm = try TPM(address)
                    let result = Result { () throws(TPMProblem) in try work(&tpm) }
                    if case .success = result, address.isManaged { return Turn(result: result, open: tpm) }
                    tpm.close()
                    return Turn(result: .success(try result.get()))
                } catch {
                    guard error.isFull, attempt < Limits.tpmRetries else { return Turn(result: .failure(error)) }
                }
                // Processes that have met once are not to meet again.
                Thread.sleep(forTimeInterval: 0.02 * Double(attempt) + 0.005 * Double(getpid() % 16))
                attempt += 1
            }
        }
    }
#endif
