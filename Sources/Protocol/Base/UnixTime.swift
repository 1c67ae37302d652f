/// A moment, in whole seconds since 1970-01-01T00:00:00Z, as JWT's NumericDate and every protocol here count it
/// (RFC 7519 §2).
public struct UnixTime: RawRepresentable, Hashable, Comparable, Sendable {
    /// Seconds since 1970-01-01T00:00:00Z, leap seconds ignored.
    public let rawValue: Int64

    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    public static func < (left: UnixTime, right: UnixTime) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The moment `seconds` later; stops at the ends of the range instead of trapping.
    public static func + (time: UnixTime, seconds: Int64) -> UnixTime {
        let (sum, overflow) = time.rawValue.addingReportingOverflow(seconds)
        return UnixTime(rawValue: overflow ? (seconds > 0 ? .max : .min) : sum)
    }

    /// The moment `seconds` earlier; stops at the ends of the range instead of trapping.
    public static func - (time: UnixTime, seconds: Int64) -> UnixTime {
        let (difference, overflow) = time.rawValue.subtractingReportingOverflow(seconds)
        return UnixTime(rawValue: overflow ? (seconds > 0 ? .min : .max) : difference)
    }

    /// Seconds from `earlier` to this moment; negative if `earlier` is later.
    public func seconds(since earlier: UnixTime) -> Int64 {
        (self - earlier.rawValue).rawValue
    }
}

extension UnixTime: Codable {
    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(Int64.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
