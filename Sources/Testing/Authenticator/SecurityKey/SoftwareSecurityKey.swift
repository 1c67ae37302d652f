internal import Foundation
internal import KeyturnBase
internal import KeyturnWebAuthn

/// A security key without hardware: ``write(_:)`` takes what USB would carry to it, and ``read(milliseconds:)`` returns
/// its answers, in reports of 64 bytes (CTAP 2.2 §11.2). Inside is a ``SoftwareAuthenticator``.
///
/// Several threads may use it at once, like a device's descriptor.
public final class SoftwareSecurityKey: Sendable {
    /// The behaviour of the key besides its authenticator. May be changed between two commands.
    public struct Behaviour: Sendable {
        /// `nil`: the key has no PIN.
        public var pin: String?
        /// Whether it verifies users by itself, and with which result.
        public var fingerprint: Fingerprint?
        /// Whether the user touches it when asked; if not, it waits and reports so, until it is cancelled.
        public var isTouched = true
        /// Whether it demands its PIN for every new credential, as older keys do.
        public var demandsPIN = false
        /// Whether it stores credentials that are found without being named.
        public var keepsDiscoverable = true

        public init() {}
    }

    /// The result of a fingerprint.
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

    /// The authenticator inside.
    public var authenticator: SoftwareAuthenticator { state.withLock { $0.commands.authenticator } }

    /// The number of wrong PINs until it locks.
    public var pinTriesLeft: Int { state.withLock { $0.commands.pinTriesLeft } }

    /// Changes its behaviour.
    public func change(_ body: @Sendable (inout Behaviour) -> Void) {
        state.withLock { body(&$0.commands.behaviour) }
        wake()
    }

    /// Changes the authenticator inside.
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
            // A thread of its own: the device works while the caller waits for its answer.
            DetachedThread.start { self.answer(message) }
        case .keepAlive, .error, nil:
            state.withLock { $0.frames.send([0x01], .error, on: message.channel) }
        }
        wake()
    }

    /// The next report.
    ///
    /// - Parameter milliseconds: How long to wait; negative: for ever.
    /// - Returns: `nil` if no report came.
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
            // "User presence needed" (CTAP 2.2 §11.2.9.2.1).
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
