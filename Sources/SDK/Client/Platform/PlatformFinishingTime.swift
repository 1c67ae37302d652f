/// What this platform does with a process that is in the background.
enum PlatformFinishingTime {
    static func make() -> any FinishingTime {
        #if canImport(Security) && !os(macOS)
            ExpiringActivity()
        #else
            EndlessTime()
        #endif
    }
}
