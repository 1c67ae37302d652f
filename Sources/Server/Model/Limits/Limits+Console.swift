extension Limits {
    /// An operator in the console signs in again after this time, in seconds.
    public static let consoleSeconds: Int64 = 43_200
    /// Operators of the console.
    public static let operatorsMax = 1_000
}
