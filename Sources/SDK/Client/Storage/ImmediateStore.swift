/// A store that can be read without waiting, so that an app knows its session before the first screen.
public protocol ImmediateStore: SessionStore {
    /// What is stored for `container`, like ``SessionStore/read(_:)``.
    ///
    /// Runs on the caller's thread: no network, no lock that others hold for long.
    func readNow(_ container: String) -> StoreReading
}
