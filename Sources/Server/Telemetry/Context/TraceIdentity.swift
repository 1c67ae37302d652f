package import Instrumentation

/// Which trace and which span something belongs to (W3C Trace Context §3.2).
package struct TraceIdentity: Hashable, Sendable {
    /// The two halves of the trace's 16 bytes.
    let traceHigh: UInt64
    let traceLow: UInt64
    /// The span's 8 bytes.
    let span: UInt64
    /// Whether the spans of the trace are kept.
    package let isSampled: Bool

    init(traceHigh: UInt64, traceLow: UInt64, span: UInt64, isSampled: Bool) {
        self.traceHigh = traceHigh
        self.traceLow = traceLow
        self.span = span
        self.isSampled = isSampled
    }

    /// 32 hexadecimal digits.
    package var traceID: String { Self.hexadecimal(traceHigh) + Self.hexadecimal(traceLow) }
    /// 16 hexadecimal digits.
    package var spanID: String { Self.hexadecimal(span) }

    static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// The header `traceparent` (W3C Trace Context §3.2).
enum TraceParent {
    static let name = "traceparent"

    /// The caller's span; `nil` if the header is not well-formed, which is as if it were not there (§3.2.2.5).
    static func read(_ text: String) -> TraceIdentity? {
        let parts = text.split(separator: "-", maxSplits: 4, omittingEmptySubsequences: false)
        guard text.utf8.count >= 55, parts.count >= 4, parts[1].utf8.count == 32, let version = number(parts[0], 2),
            version != 0xFF, version != 0 || text.utf8.count == 55,
            let high = number(parts[1].prefix(16), 16), let low = number(parts[1].dropFirst(16), 16),
            high != 0 || low != 0, let span = number(parts[2], 16), span != 0, let flags = number(parts[3], 2)
        else { return nil }
        return TraceIdentity(traceHigh: high, traceLow: low, span: span, isSampled: flags & 1 == 1)
    }

    static func write(_ identity: TraceIdentity) -> String {
        "00-\(identity.traceID)-\(identity.spanID)-\(identity.isSampled ? "01" : "00")"
    }

    /// Lower-case hexadecimal digits, exactly so many.
    private static func number(_ text: Substring, _ digits: Int) -> UInt64? {
        guard text.utf8.count == digits,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        return UInt64(text, radix: 16)
    }
}

/// The trace of the task that is running.
package enum CurrentTrace {
    /// `nil` unless the request is traced and its spans are kept.
    package static var sampled: TraceIdentity? {
        guard let identity = InstrumentationContext.current?.traceIdentity, identity.isSampled else { return nil }
        return identity
    }
}

private enum TraceIdentityKey: InstrumentationContextKey {
    typealias Value = TraceIdentity
    static var nameOverride: String? { "keyturn.trace" }
}

extension InstrumentationContext {
    /// The span that this context belongs to; of a request from elsewhere, the caller's.
    package var traceIdentity: TraceIdentity? {
        get { self[TraceIdentityKey.self] }
        set { self[TraceIdentityKey.self] = newValue }
    }
}
