internal import KeyturnBase
internal import Logging
internal import Model
internal import Synchronization
internal import Telemetry

/// What is known of a request beside its text.
struct WebContext: Sendable {
    let peer: Peer
    /// The trace of the request; `nil` where none is.
    var trace: TraceIdentity?
    private let number: UInt64
    private let base: Logger

    private static let first = Ambient.live.randomBytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    private static let count = Atomic<UInt64>(0)

    init(peer: Peer, logger: Logger) {
        self.peer = peer
        base = logger
        number = Self.first &+ Self.count.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// The request's identifier in the log, of 16 hexadecimal digits. Another start of the server counts from elsewhere.
    var reference: String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Writes with the request's identifier, and its trace's.
    var logger: Logger {
        var logger = base
        logger[metadataKey: "request_id"] = .string(reference)
        if let trace { logger[metadataKey: "trace_id"] = .string(trace.traceID) }
        return logger
    }
}

/// The other end of a connection, read once for all its requests.
struct Peer: Sendable {
    /// `nil` for a connection without an address.
    let address: NetworkAddress?

    init(_ text: String?) {
        address = text.map { NetworkAddress($0) }
    }
}
