#if canImport(FoundationEssentials)
    private import FoundationEssentials
#else
    private import Foundation
#endif

extension Ambient {
    /// The machine's wall clock and the system's secure random generator.
    public static let live = Ambient(
        clock: { UnixTime(rawValue: Int64(Date().timeIntervalSince1970.rounded(.down))) },
        entropy: { count in
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        }
    )
}
