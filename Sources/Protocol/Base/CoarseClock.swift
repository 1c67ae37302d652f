#if canImport(Darwin)
    private import Darwin
#elseif canImport(Musl)
    private import Musl
#elseif canImport(Glibc)
    private import Glibc
#endif

/// The system's cheapest clock: a few nanoseconds, and a few milliseconds late.
enum CoarseClock {
    static func milliseconds() -> Int64 {
        #if canImport(Darwin)
            // Goes on while the device sleeps, unlike CLOCK_UPTIME_RAW_APPROX: a second must not last a night.
            return Int64(clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW_APPROX) / 1_000_000)
        #else
            var time = timespec()
            unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
            return Int64(time.tv_sec) &* 1_000 &+ Int64(time.tv_nsec) / 1_000_000
        #endif
    }
}
