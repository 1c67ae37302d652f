#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension UnixTime {
    /// The second that `date` falls into; at most the ends of the range.
    public init(_ date: Date) {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        self.init(rawValue: Int64(exactly: seconds) ?? (seconds < 0 ? .min : .max))
    }

    /// The same moment as Foundation counts it. Exact for any time within 280 million years.
    public var date: Date { Date(timeIntervalSince1970: Double(rawValue)) }
}
