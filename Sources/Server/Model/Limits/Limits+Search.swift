/// Bounds of searches.
extension Limits {
    /// Values of one condition of a search: each is a parameter of the statement.
    public static let searchValuesMax = 500
    /// Sort keys of a search: each further one decides less.
    public static let sortKeysMax = 8
}
