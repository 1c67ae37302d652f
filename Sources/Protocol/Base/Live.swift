#if canImport(FoundationEssentials)
    private import FoundationEssentials
#else
    private import Foundation
#endif

extension Ambient {
    private static let start = ContinuousClock.now

    /// The machine's clocks and the system's secure random generator.
    public static let live = Ambient(
        clock: { UnixTime(rawValue: Int64(Date().timeIntervalSince1970.rounded(.down))) },
        uptime: { (ContinuousClock.now - start).components.seconds },
        ticks: { CoarseClock.milliseconds() },
        entropy: { count in
            var generator = SystemRandomNumberGenerator()
            var bytes: [UInt8] = []
            bytes.reserveCapacity(count + 7)
            while bytes.count < count {
                let word: UInt64 = generator.next()
                for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: word >> shift)) }
            }
            bytes.removeLast(bytes.count - count)
            return bytes
        }
    )
}
