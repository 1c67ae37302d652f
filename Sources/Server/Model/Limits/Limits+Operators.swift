/// Bounds of what operators see at once.
extension Limits {
    /// Messages in one list.
    public static let messagesOfPageMax = 100
    /// Grants of a client are counted up to here.
    public static let grantsCountedMax = 10_000
}
