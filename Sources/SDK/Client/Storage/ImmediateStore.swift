/// A store that can be read without waiting, so that an app knows its session before the first screen.
public protocol ImmediateStore: SessionStore {
    /// What is stored for `container`, like ``SessionStore/read(_:)``.
    ///
    /// Runs on the caller's thread, perhaps the main one: no network, no lock that others hold for long, and half a
    /// second at most for another program of this machine. What is not known by then is
    /// ``StoreReading/unavailable(_:)``.
    func readNow(_ container: String) -> StoreReading
}
