internal import Foundation
internal import KeyturnBase
internal import KeyturnWebAuthn

/// A security key without hardware: what goes over USB to such a key goes into ``write(_:)``, and what comes back comes
/// out of ``read(milliseconds:)``, in reports of 64 bytes (CTAP 2.2 §11.2). Within is a ``SoftwareAuthenticator``.
///
/// Several threads may use it at once, as a device's descriptor.
public final class SoftwareSecurityKey: Sendable {
    /// How the key behaves beside its authenticator. May be changed between two commands.
    public struct Behaviour: Sendable {
        /// `nil`: the key has no PIN.
        public var pin: String?
        /// Whether it verifies people by itself, and how that ends.
        public var fingerprint: Fingerprint?
        /// Whether the person touches it when asked; without that it waits, and says so, until it is cancelled.
        public var isTouched = true
        /// Whether it wants its PIN for every new credential, as older keys do.
        public var demandsPIN = false
        /// Whether it keeps credentials that are found without naming them.
        public var keepsDiscoverable = true

        public init() {}
    }

    /// What becomes of a finger on the key.
    public enum Fingerprint: Hashable, Sendable {
        case recognised, unknown
    }

    struct State: Sendable {
        var frames = SecurityKeyFrames()
        var commands: SecurityKeyCommands
        var isCancelled = false
    }

    private let state: Locked<State>
    private let outgoing = NSCondition()

    public init(_ authenticator: SoftwareAuthenticator, behaviour: Behaviour = Behaviour()) {
        state = Locked(State(commands: SecurityKeyCommands(authenticator, behaviour)))
    }

    /// The authenticator within.
    public var authenticator: SoftwareAuthenticator { state.withLock { $0.commands.authenticator } }

    /// Wrong PINs that it still takes.
    public var pinTriesLeft: Int { state.withLock { $0.commands.pinTriesLeft } }

    /// Changes how it behaves.
    public func change(_ body: @Sendable (inout Behaviour) -> Void) {
        state.withLock { body(&$0.commands.behaviour) }
        wake()
    }

    /// Changes how the authenticator within behaves.
    public func changeAuthenticator(_ body: @Sendable (inout SoftwareAuthenticator) -> Void) {
        state.withLock { body(&$0.commands.authenticator) }
    }

    /// Takes a report.
    public func write(_ report: [UInt8]) {
        let message = state.withLock { state in state.frames.take(report) }
        guard let message else { return }
        switch message.command {
        case .cancel: state.withLock { $0.isCancelled = true }
        case .initialize: state.withLock { $0.frames.answerInitialization(message) }
        case .ping: state.withLock { $0.frames.send(message.payload, .ping, on: message.channel) }
        case .cbor:
            state.withLock { $0.isCancelled = false }
            // A thread of its own: the device works while its reader waits.
            DetachedThread.start { self.answer(message) }
        case .keepAlive, .error, nil:
            state.withLock { $0.frames.send([0x01], .error, on: message.channel) }
        }
        wake()
    }

    /// The next report.
    ///
    /// - Parameter milliseconds: How long to wait for it; negative: for ever.
    /// - Returns: `nil` if none came.
    public func read(milliseconds: Int) -> [UInt8]? {
        let deadline = Date(timeIntervalSinceNow: milliseconds < 0 ? 86_400 : Double(milliseconds) / 1_000)
        outgoing.lock()
        defer { outgoing.unlock() }
        while true {
            if let report = state.withLock({ $0.frames.next() }) { return report }
            guard outgoing.wait(until: deadline) else { return state.withLock { $0.frames.next() } }
        }
    }

    private func wake() {
        outgoing.lock()
        outgoing.broadcast()
        outgoing.unlock()
    }

    private func answer(_ message: SecurityKeyFrames.Message) {
        while state.withLock({ $0.commands.mustBeTouched(message.payload) && !$0.commands.behaviour.isTouched }) {
            guard !state.withLock({ $0.isCancelled }) else {
                return send([0x2D], message.channel)
            }
            // "Waiting for somebody" (CTAP 2.2 §11.2.9.2.1).
            state.withLock { $0.frames.send([0x02], .keepAlive, on: message.channel) }
            wake()
            Thread.sleep(forTimeInterval: 0.02)
        }
        send(state.withLock { $0.commands.answer(message.payload) }, message.channel)
    }

    private func send(_ payload: [UInt8], _ channel: [UInt8]) {
        state.withLock { $0.frames.send(payload, .cbor, on: channel) }
        wake()
    }
}
